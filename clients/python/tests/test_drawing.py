# SPDX-License-Identifier: Apache-2.0
"""A program that scrolls by itself while others write, compared with a naive model at each frame."""

from __future__ import annotations

import asyncio
import os
import random
from itertools import accumulate

import pytest

import listd
from listd import Object
from stage import Stage

#: In a long run there are 3,000 frames.
FRAMES = int(os.environ.get("LISTD_DRAWING_FRAMES", "300"))
HEADER, ITEM, STEP, HEIGHT, FAR = 12.0, 20.0, 20.0, 300.0, 2_000.0


def section(id: str, items: int) -> Object:
    """A section with a sticky header and some items."""
    return Object(
        id, {"header": {"height": HEADER}, "items": [{"id": f"i{number}", "height": ITEM} for number in range(items)]}
    )


class Model:
    """The list at each revision, laid out naively: the sections, and where they begin."""

    def __init__(self, revision: int, sections: list[tuple[str, int]]) -> None:
        self.revision = revision
        #: Where the program has scrolled to.
        self.place = 0.0
        self.states = {revision: self._laid_out(sections)}

    @staticmethod
    def _laid_out(sections: list[tuple[str, int]]) -> tuple[list[tuple[str, int]], list[float]]:
        return sections, [0.0, *accumulate(HEADER + ITEM * count for _, count in sections)]

    def add(self, sections: list[tuple[str, int]]) -> None:
        self.revision += 1
        self.states[self.revision] = self._laid_out(sections)

    def frames(self, revision: int, place: float) -> dict[tuple[str, str, int], float]:
        """Returns where the elements on the screen begin."""
        sections, starts = self.states[revision]
        found: dict[tuple[str, str, int], float] = {}
        for (id, count), start, end in zip(sections, starts, starts[1:]):
            header = max(start, place)
            if id != sections[-1][0]:
                header = min(header, end - HEADER)
            for kind, item, y, size in [("header", 0, header, HEADER)] + [
                ("cell", number, start + HEADER + ITEM * number, ITEM) for number in range(count)
            ]:
                if y < place + HEIGHT and place < y + size:
                    found[id, kind, item] = y
        return found

    def start(self, revision: int, id: str) -> float:
        sections, starts = self.states[revision]
        return next(start for (other, _), start in zip(sections, starts) if other == id)

    def first(self, revision: int, place: float) -> str:
        sections, starts = self.states[revision]
        return next(id for (id, _), end in zip(sections, starts[1:]) if end > place)


async def write(mail: listd.List, model: Model, done: asyncio.Event, seed: int) -> None:
    """Inserts in front, and moves and deletes far from the screen, one write after the other."""
    source, number = random.Random(seed), 0
    while not done.is_set():
        sections, starts = model.states[model.revision]
        front = [entry for entry, end in zip(sections, starts[1:]) if end < model.place - FAR]
        back = [entry for entry, start in zip(sections, starts) if start > model.place + FAR]
        kind = source.randrange(5)
        async with mail.transaction(animated=source.random() < 0.5) as t:
            if kind < 3 or not front or len(back) < 2:
                number += 1
                entry = (f"new{number}", source.randrange(1, 6))
                t.upsert(entry[0], section(*entry).fields, first=True)
                model.add([entry, *sections])
            elif kind == 3:
                entry = source.choice(front)
                t.remove(entry[0])
                model.add([other for other in sections if other != entry])
            else:
                entry, target = source.choice(front), source.choice(back)
                rest = [other for other in sections if other != entry]
                t.upsert(entry[0], section(*entry).fields, after=target[0])
                at = rest.index(target) + 1
                model.add([*rest[:at], entry, *rest[at:]])
        await asyncio.sleep(0.02)


async def test_each_frame_of_a_program_that_scrolls_by_itself_is_exact(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(
            name, durability="memory", section_controllers={"*": "listd/binding"}, sticky_headers=True
        )
        sections = [(f"s{number}", number % 5 + 1) for number in range(1_500)]
        revision = await mail.replace([section(*entry) for entry in sections])
        model = Model(int(revision), sections)
        async with mail.view(prefetch=600.0, window=2) as view:
            place, speed, done = 6_000.0, STEP, asyncio.Event()
            model.place = place
            picture = await view.scroll(0, place, 200, HEIGHT)
            writer = asyncio.create_task(write(mail, model, done, 7))
            known, moved = picture.revision, 0
            try:
                for frame in range(FRAMES):
                    if frame % 3 == 0:
                        await asyncio.sleep(0.016)
                    place = picture.offset.y + speed
                    picture = await view.scroll(0, place, 200, HEIGHT)
                    # The naive program: what was on the screen stays where it was.
                    for step in range(known, picture.revision):
                        first = model.first(step, place)
                        place += model.start(step + 1, first) - model.start(step, first)
                        moved += 1
                    known, model.place = picture.revision, place
                    assert abs(picture.offset.y - place) <= 0.25, f"frame {frame}: {picture.offset.y} is not {place}"
                    shown = {(str(s.object_id), str(s.kind), s.item): s.frame.y for s in picture.visible()}
                    wanted = model.frames(picture.revision, place)
                    assert shown.keys() == wanted.keys(), f"frame {frame}: {shown.keys() ^ wanted.keys()}"
                    assert all(abs(shown[key] - wanted[key]) <= 0.25 for key in wanted), f"frame {frame}"
                    if not FAR * 2 < place < picture.content_size.height - FAR * 2:
                        speed = STEP if place < FAR * 2 else -STEP
            finally:
                done.set()
                await writer
            assert moved > FRAMES // 20


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_picture_of_each_step_fills_the_viewport_while_steps_overlap(shared: Stage, name: str, seed: int) -> None:
    source, done = random.Random(seed), asyncio.Event()
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory", section_controllers={"*": "listd/binding"})
        row = {"items": [{"id": "i", "height": ITEM}]}
        await mail.replace([Object(f"s{number}", row) for number in range(3_000)])

        async def insert_in_front() -> None:
            number = 0
            while not done.is_set():
                number += 1
                async with mail.transaction() as t:
                    t.upsert(f"new{number}", row, first=True)
                await asyncio.sleep(0.01)

        async with mail.view(prefetch=600.0, buffer=0.0, window=2) as view:
            picture = await view.scroll(0, 20_000, 200, HEIGHT)
            writer, steps = asyncio.create_task(insert_in_front()), set[asyncio.Task[listd.Picture]]()
            try:
                for _ in range(FRAMES // 2):
                    # Inside of the prefetch, near its end, and far outside of it.
                    way = source.choice((10, 50, 300, 580, 650, 1_500)) * source.choice((-1, 1))
                    place = min(max(picture.offset.y + way, 2_000), 50_000)
                    step = asyncio.create_task(view.scroll(0, place, 200, HEIGHT))
                    await asyncio.sleep(0)
                    if not step.done() and source.random() < 0.5:
                        steps.add(step)
                        continue
                    picture = await step
                    rows = [shown.frame.y for shown in picture.visible()]
                    assert rows and rows[0] <= picture.offset.y and rows[-1] + ITEM >= picture.offset.y + HEIGHT
            finally:
                done.set()
                await asyncio.gather(writer, *steps)
