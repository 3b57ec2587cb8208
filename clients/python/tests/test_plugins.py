# SPDX-License-Identifier: Apache-2.0
"""Views of lists whose section controllers are in the worker process of a plugin."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import listd
from listd import Object, Picture, Shown
from stage import Stage
from test_ranges import REMEMBERED
from test_viewing import Calls, resync_picture

#: The heights in marslink's sections: of the header, of the weather, of each of its details, and of the space below a section.
HEADER, WEATHER, DETAIL, SPACE = 52.0, 70.0, 30.0, 15.0
SECTION = HEADER + WEATHER + SPACE
DETAILS = ("sunrise", "sunset", "high", "low")
WIDTH, HEIGHT = 320.0, 480.0
#: A message with three lines of text, and one with one.
LONG, LONG_HEIGHT = "word " * 20, HEADER + 30 + 3 * 19 + 16 + SPACE
SHORT, SHORT_HEIGHT = "Hello", HEADER + 30 + 1 * 19 + 16 + SPACE


def weather(id: str) -> Object:
    """Weather: one item, below which four details are inserted when it is selected."""
    fields = {"date": 0, "high": -9, "low": -78, "sunrise": "05:42", "sunset": "17:58", "condition": "clear"}
    return Object(id, fields, "weather")


async def mars_of(d: listd.Daemon, stage: Stage, name: str, count: int) -> listd.List:
    """A list of the weather, shown by a worker."""
    await d.load_plugin("marslink")
    plugin = await d.plugin("marslink")
    assert plugin.isolation == "worker" and plugin.process_id not in (0, stage.process)
    controllers = {
        "message": "marslink/MessageSectionController",
        "weather": "marslink/WeatherSectionController",
    }
    mars = await d.create(name, durability="memory", section_controllers=controllers, sticky_headers=True)
    await mars.replace([weather(f"w{number}") for number in range(count)])
    return mars


async def insert_in_front(mars: listd.List, *objects: Object) -> int:
    """Inserts objects one by one, each in front of the others, and returns the revision after them."""
    for object in objects:
        async with mars.transaction() as t:
            t.upsert(object.id, object.fields, type=object.type, first=True)
    return await mars.revision()


async def toggle(mars: listd.List, view: listd.View, id: str) -> int:
    """Selects a weather, whose controller then inserts or deletes its details, and returns the revision after that."""
    before = (await mars.properties()).item_count
    assert not await view.select(id)
    while (properties := await mars.properties()).item_count == before:
        await asyncio.sleep(0.01)
    assert abs(properties.item_count - before) == len(DETAILS)
    return properties.revision


def items(picture: Picture) -> list[tuple[str, str]]:
    """Returns the objects and the names of the items: weather, sunrise and so on."""
    return [(shown.object_id, shown.content["title"].partition(",")[0].lower()) for shown in picture.rows()]


async def test_a_range_of_a_revision_finds_what_a_worker_shows(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d, listd.connect(plugged.address) as writer:
        mars = await mars_of(d, plugged, name, 60)
        async with mars.view(layout="none", range_at="revision") as view:
            await view.show(0, 0)
            seen = await toggle(mars, view, "w20")
            details = [("w20", "sunrise"), ("w20", "sunset"), ("w20", "high")]
            assert items(await view.show((20, 1), (20, 3), revision=seen)) == details
            theirs = await writer.list(name)
            newest = await insert_in_front(theirs, weather("new0"), weather("new1"), weather("new2"))
            assert newest == seen + 3
            # The worker inserts items into a section that is in front of some rows.
            assert await toggle(mars, view, "w5") == newest + 1
            for revision, section in [(seen, 20), (seen + 1, 21), (newest, 23), (0, 23), (seen, 20)]:
                picture = await view.show((section, 1), (section, 3), revision=revision)
                assert items(picture) == details and {shown.section for shown in picture.rows()} == {23}
                assert dict(picture.slots) == (await resync_picture(view)).slots
                picture = await view.show((section - 10, 0), (section - 9, 0), revision=revision)
                assert items(picture) == [("w10", "weather"), ("w11", "weather")]
            # What the worker moves and deletes is followed too.
            assert await view.move_item((23, 1), (23, 4))
            assert items(await view.show((20, 1), (20, 1), revision=seen)) == [("w20", "sunrise")]
            await toggle(mars, view, "w20")
            assert items(await view.show((20, 1), (20, 3), revision=seen))[0] == ("w21", "weather")


async def test_a_revision_that_a_workers_list_has_forgotten(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d:
        mars = await mars_of(d, plugged, name, 60)
        seen = await mars.revision()
        async with mars.view(layout="none", range_at="revision") as view:
            await view.show(0, 0)
            await insert_in_front(mars, weather("new"))
            assert items(await view.show(10, 10, revision=seen)) == [("w10", "weather")]
            for high in range(REMEMBERED):
                await mars.patch("w59", {"high": high})
            oldest = (await mars.properties()).oldest_revision
            assert oldest == seen + 1
            with pytest.raises(listd.RevisionGone, match=str(oldest)):
                await view.show(20, 20, revision=seen)
            assert items(view.picture) == [("w10", "weather")]
            assert items(await view.show(20, 20, revision=oldest)) == [("w19", "weather")]


async def test_a_range_of_a_revision_from_before_the_worker_died(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d:
        mars = await mars_of(d, plugged, name, 60)
        async with mars.view(layout="none", range_at="revision") as view:
            await view.show(0, 0)
            seen = await toggle(mars, view, "w20")
            newest = await insert_in_front(mars, weather("new0"), weather("new1"))
            os.kill((await d.plugin("marslink")).process_id, signal.SIGKILL)
            while await mars.revision() == newest:
                await asyncio.sleep(0.01)
            # The reload keeps the objects where they were.
            assert items(await view.show((10, 0), (11, 0), revision=seen)) == [("w10", "weather"), ("w11", "weather")]
            newest = await insert_in_front(mars, weather("new2"))
            assert items(await view.show((10, 0), (11, 0), revision=seen)) == [("w10", "weather"), ("w11", "weather")]
            assert items(await view.show((10, 0), (11, 0), revision=newest)) == [("w7", "weather"), ("w8", "weather")]


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_program_with_a_copy_asks_a_worker_while_others_write(plugged: Stage, name: str, seed: int) -> None:
    """The worker inserts and deletes items in front of the rows, as selected weather does."""
    source, done = random.Random(seed), asyncio.Event()
    async with listd.connect(plugged.address) as d, listd.connect(plugged.address) as writer:
        mars = await mars_of(d, plugged, name, 100)

        async def write() -> None:
            number = 0
            theirs = await writer.list(name)
            async with theirs.view() as view:
                await view.scroll(0, 0, WIDTH, HEIGHT)
                while not done.is_set():
                    await insert_in_front(theirs, weather(f"new{number}"))
                    await view.select(f"new{source.randrange(number + 1)}")
                    number += 1

        async with mars.follow() as changes, mars.view(layout="none", range_at="revision") as view:
            rows: list[Object] = []
            (await anext(changes)).apply(rows)
            writing = asyncio.create_task(write())
            behind = 0
            try:
                for _ in range(40):
                    (await anext(changes)).apply(rows)
                    # The range has a fixed number of items, so weather inside of it does not get details.
                    seen, first = changes.revision, len(rows) - 100 + source.randrange(90)
                    wanted = [(row.id, "weather") for row in rows[first : first + 10]]
                    picture = await view.show((first, 0), (first + 9, 0), revision=seen)
                    assert items(picture) == wanted, f"row {first} of revision {seen}, shown at {picture.revision}"
                    behind += picture.revision > seen
            finally:
                done.set()
                await writing
            assert behind > 5


def places(picture: Picture) -> dict[tuple[str, str, int], float]:
    """Returns where the visible elements are on the screen."""
    return {(s.object_id, s.kind, s.item): s.frame.y - picture.offset.y for s in picture.visible()}


def wanted_headers(picture: Picture) -> dict[str, float]:
    """Returns where the headers of the visible sections, none of which has details, lie at the picture's offset."""
    starts = {s.object_id: s.frame.y - HEADER for s in picture.visible() if s.kind == "cell"}
    edge = picture.offset.y
    return {id: max(start, min(edge, start + SECTION - HEADER)) for id, start in starts.items()}


def headers(picture: Picture) -> dict[str, float]:
    return {s.object_id: s.frame.y for s in picture.rows() if s.kind == "header"}


async def test_a_program_that_scrolls_by_itself_over_what_a_worker_shows(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d, listd.connect(plugged.address) as writer:
        mars = await mars_of(d, plugged, name, 60)
        theirs = await writer.list(name)
        async with mars.view(buffer=600.0) as view:
            place = 20 * SECTION
            picture = await view.scroll(0, place, WIDTH, HEIGHT)
            calls = Calls(d)
            is_stuck = is_pushed = False
            for step in range(1, 41):
                place = 20 * SECTION + 7 * step
                picture = await view.scroll(0, place, WIDTH, HEIGHT)
                assert picture.offset == (0, place)
                shown, wanted = headers(picture), wanted_headers(picture)
                assert wanted.items() <= shown.items(), f"step {step}: {shown} is not {wanted}"
                is_stuck = is_stuck or place in shown.values()
                is_pushed = is_pushed or any(place - HEADER < y < place for y in shown.values())
            assert is_stuck and is_pushed and "SetViewport" not in calls.made
            # The worker measures what comes in front; listd knows only the first viewport.
            before = places(picture)
            for number, (text, height) in enumerate([(LONG, LONG_HEIGHT), (SHORT, SHORT_HEIGHT)]):
                message = {"date": 0, "author": "Ground", "text": text}
                await insert_in_front(theirs, Object(f"m{number}", message, "message"))
                picture, place = await anext(view), place + height
                assert picture.offset == (0, place) and places(picture) == before
            # The worker itself inserts items in front, by its own decision.
            await toggle(theirs, view, "w3")
            place += len(DETAILS) * DETAIL
            while picture.offset != (0, place):
                picture = await anext(view)
            assert places(picture) == before and "SetViewport" not in calls.made
            await check_by_another_view(theirs, picture)
            # The program scrolls on from there; the header follows it.
            picture = await view.scroll(0, place + 30, WIDTH, HEIGHT)
            assert picture.offset == (0, place + 30) and wanted_headers(picture).items() <= headers(picture).items()
            await check_by_another_view(theirs, picture)
            await toggle(theirs, view, "w3")
            while picture.offset == (0, place + 30):
                picture = await anext(view)
            assert picture.offset == (0, place + 30 - len(DETAILS) * DETAIL)


async def check_by_another_view(mars: listd.List, picture: Picture) -> None:
    """Checks a picture against that of a new view, for which listd has laid out the same viewport."""
    async with mars.view(buffer=0.0) as other:
        there = await other.scroll(*picture.offset, WIDTH, HEIGHT)
        assert there.offset == picture.offset and places(there) == places(picture)


async def test_what_a_worker_prefetches_is_shown_and_not_displayed(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d, listd.connect(plugged.address) as helper:
        mars = await mars_of(d, plugged, name, 60)
        async with (await helper.list(name)).display_events() as shown:
            await helper.lists()  # a reply to this call means that the subscription has arrived
            async with mars.view(prefetch=800.0, buffer=0.0) as view:
                place = 20 * SECTION
                picture = await view.scroll(0, place, WIDTH, HEIGHT)
                assert shown_ids(picture.rows()) == [f"w{number}" for number in range(14, 30)]
                assert shown_ids(picture.visible()) == [f"w{number}" for number in range(20, 24)]
                event = await anext(shown)
                assert event.will_display == tuple((number, f"w{number}") for number in range(20, 24))
                # The first step inside of it waits for nothing, and what it displays is reported later.
                async with worker_stopped(d):
                    await check_step(view, place + 780)
                event = await anext(shown)
                assert event.did_end_displaying == tuple((number, f"w{number}") for number in range(20, 24))
                assert event.will_display == tuple((number, f"w{number}") for number in range(25, 30))


async def test_steps_inside_of_the_prefetch_do_not_wait_for_each_other(plugged: Stage, name: str) -> None:
    async with listd.connect(plugged.address) as d:
        mars = await mars_of(d, plugged, name, 60)
        async with mars.view(prefetch=800.0, buffer=0.0) as view:
            place = 20 * SECTION
            await view.scroll(0, place, WIDTH, HEIGHT)
            async with worker_stopped(d):
                for step in range(1, 79):
                    await check_step(view, place + 10 * step)


@asynccontextmanager
async def worker_stopped(d: listd.Daemon) -> AsyncIterator[None]:
    """Stops the worker for the duration of a block."""
    worker = (await d.plugin("marslink")).process_id
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


def shown_ids(rows: list[Shown]) -> list[str]:
    """Returns the objects of some rows, each once."""
    return list(dict.fromkeys(shown.object_id for shown in rows))


async def check_step(view: listd.View, place: float) -> None:
    """Scrolls, and checks that there is at once a picture that fills the viewport, with each header where it belongs."""
    async with asyncio.timeout(2):
        picture = await view.scroll(0, place, WIDTH, HEIGHT)
    assert picture.offset == (0, place)
    assert wanted_headers(picture).items() <= headers(picture).items()
    first, last = place // SECTION, (place + HEIGHT - SPACE - 1) // SECTION
    assert {f"w{number}" for number in range(int(first) + 1, int(last) + 1)} <= set(shown_ids(picture.visible()))
