# SPDX-License-Identifier: Apache-2.0
"""Tests of complete programs: the watch command, the examples, the tutorial."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import listd
from listd import Object
from stage import Stage

PACKAGE = Path(__file__).resolve().parents[1]


class Program:
    """A running Python program whose output is read line by line."""

    def __init__(self, *words: str) -> None:
        self._words = words

    async def __aenter__(self) -> asyncio.subprocess.Process:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "60", "LINES": "12"}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-u", *self._words, stdout=asyncio.subprocess.PIPE, env=environment
        )
        return self._process

    async def __aexit__(self, *_: object) -> None:
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.communicate()
        self._process._transport.close()  # type: ignore[attr-defined]


async def line(process: asyncio.subprocess.Process, holds: Callable[[str], bool] = lambda _: True) -> str:
    assert process.stdout is not None
    while text := (await process.stdout.readline()).decode():
        if holds(text):
            return text.rstrip("\n")
    raise AssertionError("the program has ended")


async def test_watch(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with Program("-m", "listd", "--bus", shared.address, "watch", name) as watching:
            assert await line(watching) == "= 0 objects"
            await mail.replace([Object("a", {"n": 1}), Object("b"), Object("c")])
            assert [await line(watching) for _ in range(3)] == ['+ 0 a {"n": 1}', "+ 1 b {}", "+ 2 c {}"]
            await mail.move("c", first=True)
            assert await line(watching) == "> 2 → 0"
            await mail.patch("b", {"x": b"\xff"})
            assert await line(watching) == '~ 2 b {"x": "ff"}'
            await mail.replace([Object("c")])
            assert await line(watching) == "- 1…2"
        async with Program("-m", "listd", "--bus", shared.address, "--json", "watch", name) as watching:
            assert '"change": "replaced"' in await line(watching)


@pytest.mark.parametrize(
    ("words", "status"),
    [(["watch"], 64), (["--bus", "unix:path=/nowhere", "list"], 69), (["nonsense"], 64), (["--help"], 0)],
)
async def test_command_lines_have_exit_codes(words: list[str], status: int) -> None:
    async with Program("-m", "listd", *words) as program:
        assert await program.wait() == status


async def test_watching_a_list_that_does_not_exist(bus_stage: Stage) -> None:
    async with Program("-m", "listd", "--bus", bus_stage.address, "watch", "nothing") as program:
        assert await program.wait() == 1
    async with Program("-m", "listd", "--bus", bus_stage.address, "list") as program:
        assert await program.wait() == 0


def example(name: str) -> str:
    return str(PACKAGE / "examples" / name)


async def test_the_table(bus_stage: Stage) -> None:
    pytest.importorskip("rich")
    async with listd.connect(bus_stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object("a", {"subject": "Hi"})])
        async with Program(example("table.py"), bus_stage.address, "mail", "subject") as table:
            while not await d.views():
                await asyncio.sleep(0.05)
            async with mail.display_events() as events:
                await mail.replace([Object("a", {"subject": "Hi"}), Object("b", {"subject": "Ho"})])
                while "b" not in [section.id for section in (await anext(events)).will_display]:
                    pass
            table.terminate()
            out, _ = await table.communicate()
            assert "subject" in out.decode() or not out  # without a terminal, rich draws only at the end


async def test_thumbnails(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        photos = await d.create("photos")
        await photos.replace([Object(f"p{number}") for number in range(50)])
        async with Program(example("thumbnails.py"), bus_stage.address, "photos"):
            async with photos.view(layout="none", lead=2) as view:
                first = 0
                picture = await view.show(0, 3)
                while not all("thumbnail" in row.content for row in picture.rows()):
                    # Nothing is reported to the helper until it listens, so the viewer scrolls away and back.
                    first = 10 - first
                    await view.show(first, first + 3)
                    await asyncio.sleep(0.05)
                    picture = view.picture
            assert "thumbnail" not in (await photos.find("p40")).object.fields


async def test_tail_csv(bus_stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("time,what\n1,a\n2,b\n")
    async with listd.connect(bus_stage.address) as d:
        rows = await d.create("log")
        async with rows.follow() as changes, Program(example("tail_csv.py"), bus_stage.address, "log", str(file)):
            copy: list[Object] = []

            async def until(expected: list[str]) -> None:
                while [row.fields["what"] for row in copy] != expected:
                    (await anext(changes)).apply(copy)

            await until(["b", "a"])
            with file.open("a") as stream:
                stream.write("3,c\n4,ha")
                stream.flush()
                await until(["c", "b", "a"])
                stream.write("lf\n")
            await until(["half", "c", "b", "a"])


async def test_sensors(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        async with Program(example("sensors.py"), bus_stage.address, "sensors"):
            while "sensors" not in [row.name for row in await d.lists()]:
                await asyncio.sleep(0.05)


async def test_actions(bus_stage: Stage) -> None:
    programs = PACKAGE.parents[1] / "Examples/Actions"
    async with Program(str(programs / "writer.py"), bus_stage.address, "mail") as writer:
        assert await line(writer) == "4 messages; listening"
        async with Program(str(programs / "viewer.py"), bus_stage.address, "mail", "star", "weather") as viewer:
            assert [await line(viewer) for _ in range(5)] == [
                "  welcome   Ground: Welcome to Mars.",
                "  dust      Ines: The dust is finer than they said.",
                "  weather   Ground: A storm comes.",
                "  water     Ines: Found water.",
                "star weather: handled",
            ]
            assert "* weather   Ground: A storm comes." in [await line(viewer) for _ in range(4)]
            assert await viewer.wait() == 0
        assert await line(writer) == f"star weather, for user {os.getuid()}"
        async with Program(str(programs / "viewer.py"), bus_stage.address, "mail", "fold", "weather") as viewer:
            assert await line(viewer, lambda text: text.startswith("fold")) == "fold weather: handled"
            assert await viewer.wait() == 0
        assert await line(writer) == f"fold weather, for user {os.getuid()}: no such action"
    async with Program(str(programs / "viewer.py"), bus_stage.address, "mail", "star", "dust") as viewer:
        assert await line(viewer, lambda text: text.startswith("star")) == "star dust: nobody handles it"


@pytest.mark.parametrize("page", ["tutorial", "recipes"])
async def test_the_pages(bus_stage: Stage, tmp_path: Path, page: str) -> None:
    """The code blocks of a page, combined to one program, print the output that the page shows."""
    text = (PACKAGE / f"docs/{page}.rst").read_text()
    blocks = re.findall(r"^\.\. code-block:: (python|text)\n\n((?:    .*\n|\n)+)", text, re.M)
    program = "import asyncio\nasync def main():\n"
    expected = ""
    for kind, block in blocks:
        if kind == "python":
            program += block
        else:
            expected += "".join(line[4:] + "\n" for line in block.rstrip("\n").split("\n"))
    program = program.replace('listd.connect("session")', f"listd.connect({bus_stage.address!r})")
    file = tmp_path / f"{page}.py"
    file.write_text(program + "asyncio.run(main())\n")
    async with Program(str(file)) as running:
        out, _ = await running.communicate()
        assert out.decode() == expected
        assert running.returncode == 0
