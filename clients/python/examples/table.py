# SPDX-License-Identifier: Apache-2.0
"""A list as a table on the terminal that follows its changes: table.py BUS NAME [FIELD…]. Needs rich."""

import asyncio
import sys

from rich.live import Live
from rich.table import Table

import listd


def table(picture: listd.Picture, fields: list[str]) -> Table:
    made = Table("id", *fields)
    for row in picture.rows():
        made.add_row(row.object_id, *(str(row.content.get(field, "")) for field in fields))
    return made


async def main(bus: str, name: str, *fields: str) -> None:
    with Live(auto_refresh=False) as live:
        async with listd.connect(bus) as d, (await d.list(name)).view(layout="none", fields=list(fields)) as view:
            await view.show(0, live.console.height - 5)
            async for picture in view:
                live.update(table(picture, list(fields)), refresh=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
