# SPDX-License-Identifier: Apache-2.0
"""Prepares objects before they are visible: thumbnails.py BUS NAME. An example for a program that makes thumbnails.

The program follows the working ranges of all viewers, and adds a field ``thumbnail`` to each object in them."""

import asyncio
import sys

import listd


async def make(mail: listd.List, id: str) -> None:
    try:
        found = await mail.find(id)
        if "thumbnail" not in found.object.fields:
            await mail.patch(id, {"thumbnail": f"a small picture of {id}"})
    except listd.NoSuchObject:
        pass  # the object was removed in the meantime


async def main(bus: str, name: str) -> None:
    async with listd.connect(bus) as d:
        mail = await d.list(name)
        async with mail.working_range_events() as events:
            async for event in events:
                for section in event.entered:
                    await make(mail, section.id)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
