# SPDX-License-Identifier: Apache-2.0
"""Shows a list of messages and invokes an action on one of them: viewer.py BUS NAME ACTION MESSAGE."""

import asyncio
import sys

import listd


def show(picture: listd.Picture) -> None:
    for row in picture.rows():
        star = "*" if row.content.get("starred") else " "
        print(f"{star} {row.object_id:<9} {row.content['from']}: {row.content['text']}", flush=True)


async def main(bus: str, name: str, action: str, message: str) -> None:
    async with listd.connect(bus) as d, (await d.list(name)).view(layout="none") as view:
        picture = await view.show(0, 10)
        show(picture)
        before = picture.rows()
        handled = await view.invoke(message, action)
        print(f"{action} {message}: {'handled' if handled else 'nobody handles it'}", flush=True)
        if handled and action in ("star", "delete"):
            async for picture in view:  # the writer has changed the list, and the view follows
                if picture.rows() != before:
                    return show(picture)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
