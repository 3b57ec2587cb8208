# SPDX-License-Identifier: Apache-2.0
"""The steps of Tests/Soak/million-objects; LISTD, PLUGINS and OBJECTS are its parameters."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "clients/python/src"), str(ROOT / "clients/python/tests")]

import listd  # noqa: E402
import stage  # noqa: E402

OBJECTS = int(os.environ["OBJECTS"])
BATCH = 25_000
TEXT = "x" * 200
CONFIGURATION = "[Limits]\nPayloadBytes=64M\n[Plugin files]\nMemoryMax=2G\n"


def peak(process: int) -> int:
    """Returns the peak memory of a process, in MiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


async def items(rows: listd.List, view: listd.View) -> dict[str, str]:
    """Returns the names of the objects on the screen, in the middle and at the end of the list."""
    shown: dict[str, str] = {}
    for first in (OBJECTS // 2, OBJECTS - 40):
        picture = await view.show(first, first + 39)
        shown |= {item.object_id: str(item.content.get("name", item.content)) for item in picture.visible()}
    return shown


async def run(address: str) -> None:
    async with listd.connect(address) as d:
        began = time.monotonic()
        rows = await d.create(
            "million", durability="memory", layout="none", section_controllers={"*": "files/EntryController"}
        )
        for first in range(0, OBJECTS, BATCH):
            async with rows.transaction() as t:
                for number in range(first, min(first + BATCH, OBJECTS)):
                    t.upsert(f"object-{number:07}", {"name": f"row {number}", "text": TEXT, "size": number}, "row", last=True)
        print(f"filled in {time.monotonic() - began:.1f} s, as {OBJECTS // BATCH} transactions", flush=True)
        process = (await d.plugin("files")).process_id
        async with rows.view() as view:
            began = time.monotonic()
            await rows.patch(f"object-{OBJECTS // 2:07}", {"size": 0})
            print(f"one object changed in {(time.monotonic() - began) * 1000:.1f} ms; the worker's peak is {peak(process)} MiB")
            before = await items(rows, view)
            if len(before) != 80:
                sys.exit(f"{len(before)} objects are shown, not 80")
            began = time.monotonic()
            os.kill(process, signal.SIGKILL)
            while (info := await d.plugin("files")).state != "ready" or info.process_id in (0, process):
                await asyncio.sleep(0.2)
        async with rows.view() as view:
            after = await items(rows, view)
        print(f"shown again {time.monotonic() - began:.1f} s after its worker was killed; the new one's peak is {peak(info.process_id)} MiB")
        count = (await rows.properties()).object_count
        if after != before or count != OBJECTS:
            sys.exit(f"{count} objects; {sum(after.get(name) != text for name, text in before.items())} of the 80 shown objects differ from before")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="listd-million-objects.") as place:
        program = Path(place) / "listd"
        program.write_text(f'#!/bin/sh\nexec "{os.environ["LISTD"]}" --plugins "{os.environ["PLUGINS"]}" "$@"\n')
        program.chmod(0o755)
        stage.LISTD = str(program)
        service = stage.Stage("direct")
        (service.directory / "config/listd.conf").write_text(CONFIGURATION)
        try:
            service.start()
            asyncio.run(run(service.address))
            print(f"listd's own peak is {peak(service.process)} MiB")
        except BaseException:
            sys.stderr.write(service.log.read_text())
            raise
        finally:
            service.close()


main()
