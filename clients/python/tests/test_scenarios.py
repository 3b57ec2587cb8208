# SPDX-License-Identifier: Apache-2.0
"""The scenarios that all clients run: Tests/Scenarios/README.md."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path

import pytest

import listd
from conftest import KINDS
from listd import Object
from stage import ROOT

SCENARIOS = ROOT / "Tests/Scenarios"
FILES = sorted(SCENARIOS.glob("*.jsonl"))
#: The number of generated scenarios; `make soak` runs 50.
SEEDS = int(os.environ.get("LISTD_SCENARIO_SEEDS", "0"))


class Client:
    """The package, as the client under test."""

    def __init__(self) -> None:
        self.copy: list[Object] = []
        self.revision = -1
        self._changed = asyncio.Event()

    async def follow(self, address: str, name: str) -> None:
        async with listd.connect(address) as d, (await d.list(name)).follow() as changes:
            async for batch in changes.batches():
                for change in batch:
                    change.apply(self.copy)
                self.revision = changes.revision
                self._changed.set()

    async def expect(self, revision: int, objects: list[Object]) -> str:
        try:
            async with asyncio.timeout(30):
                while self.revision != revision or self.copy != objects:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return f"the client has {self.copy} at {self.revision}"
        return "ok"


async def play(file: Path, kind: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *("/usr/bin/python3", str(SCENARIOS / "play.py"), str(file), kind),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    assert process.stdin is not None and process.stdout is not None
    client = Client()
    following: asyncio.Task[None] | None = None
    try:
        async for line in process.stdout:
            message = json.loads(line)
            if "end" in message:
                break
            if "follow" in message:
                following = asyncio.create_task(client.follow(message["address"], message["follow"]))
                expecting = asyncio.create_task(client.expect(0, []))
            else:
                expected = message["expect"]
                objects = [Object(row["id"], row["fields"], row["type"]) for row in expected["objects"]]
                expecting = asyncio.create_task(client.expect(expected["revision"], objects))
            assert following is not None
            await asyncio.wait([expecting, following], return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                expecting.cancel()
                await asyncio.wait([expecting])
                following.result()
            process.stdin.write((expecting.result() + "\n").encode())
            await process.stdin.drain()
        assert await process.wait() == 0
    finally:
        if following is not None:
            following.cancel()
            await asyncio.wait([following])
        if process.returncode is None:
            process.terminate()
            await process.wait()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.close()
            await process.stdin.wait_closed()
        process._transport.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_scenario(file: Path, kind: str) -> None:
    await play(file, kind)


@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
async def test_generated(seed: int, tmp_path: Path) -> None:
    file = tmp_path / f"{seed}.jsonl"
    words = [str(SCENARIOS / "generate.py"), str(seed), "60", *(["--filter"] if seed % 4 >= 2 else [])]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    file.write_bytes((await process.communicate())[0])
    await play(file, KINDS[seed % len(KINDS)])
