# SPDX-License-Identifier: Apache-2.0
"""Lines of a growing CSV file as a list, the newest first: tail_csv.py BUS NAME FILE."""

import asyncio
import csv
import sys

import listd


async def main(bus: str, name: str, path: str) -> None:
    async with listd.connect(bus) as d:
        rows = await d.ensure(name, durability="memory")
        with open(path, newline="", encoding="utf-8") as file:
            names = next(csv.reader([file.readline()]))
            count = 0
            while True:
                async with rows.transaction() as t:
                    while (line := file.readline()).endswith("\n"):
                        count += 1
                        t.upsert(f"line {count}", dict(zip(names, next(csv.reader([line])))), first=True)
                file.seek(file.tell() - len(line.encode()))  # an incomplete line is read again later
                await asyncio.sleep(0.2)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
