# SPDX-License-Identifier: Apache-2.0
"""``python -m listd watch NAME``: prints the changes of a list."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

import listd


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns the exit code: 0, 64 for a wrong command line, 69 when no listd is available, 1 for other
    errors."""
    parser = argparse.ArgumentParser(prog="python -m listd", description="Looks at lists of listd.")
    parser.add_argument("--bus", default="system", help="system (the default), session, direct, or a D-Bus address")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    watch = commands.add_parser("watch", help="the changes of a list as they come")
    watch.add_argument("name", metavar="NAME", help="the list")
    commands.add_parser("list", help="the existing lists")
    try:
        words = parser.parse_args(arguments)
    except SystemExit as end:
        return 64 if end.code else 0
    try:
        asyncio.run(_watch(words.bus, words.name, words.json) if words.command == "watch" else _list(words.bus, words.json))
    except listd.Unavailable as error:
        print(f"listd: {error}", file=sys.stderr)
        return 69
    except listd.ListdError as error:
        print(f"listd: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, BrokenPipeError):
        pass
    return 0


async def _list(bus: str, as_json: bool) -> None:
    async with listd.connect(bus) as d:
        for row in await d.lists():
            print(_json(asdict(row)) if as_json else f"{row.name}: {row.objects} objects, revision {row.revision}")


async def _watch(bus: str, name: str, as_json: bool) -> None:
    async with listd.connect(bus) as d, (await d.list(name)).follow() as changes:
        async for change in changes:
            if as_json:
                line = _json({"change": type(change).__name__.lower(), "revision": changes.revision} | asdict(change))
            else:
                line = _line(change)
            print(line, flush=True)


def _line(change: listd.Change) -> str:
    match change:
        case listd.Replaced(objects):
            return f"= {len(objects)} objects"
        case listd.Inserted(index, objects):
            return "\n".join(f"+ {place} {_text(row)}" for place, row in enumerate(objects, index))
        case listd.Updated(index, objects):
            return "\n".join(f"~ {place} {_text(row)}" for place, row in enumerate(objects, index))
        case listd.Removed(index, count):
            return f"- {index}" + (f"…{index + count - 1}" if count > 1 else "")
        case listd.Moved(old, new):
            return f"> {old} → {new}"


def _text(row: listd.Object) -> str:
    return f"{row.id} {_json(row.fields)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=lambda other: other.hex() if isinstance(other, bytes) else str(other))


if __name__ == "__main__":
    sys.exit(main())
