# SPDX-License-Identifier: Apache-2.0
"""Views: pictures, slots, acknowledgements, scrolling, selection."""

from __future__ import annotations

import asyncio
import os
import random

import pytest

import listd
from listd import Object, Picture
from listd._names import VIEW
from listd._picture import Canvas
from stage import Stage


async def list_of(d: listd.Daemon, name: str, count: int, **options: str) -> listd.List:
    mail = await d.create(name, durability="memory", **options)  # type: ignore[arg-type]
    await mail.replace([Object(f"o{number}", {"n": number, "x": "x"}) for number in range(count)])
    return mail


def ids(picture: Picture) -> list[str]:
    return [shown.object_id for shown in picture.rows()]


async def resync_picture(view: listd.View) -> Canvas:
    """Returns the daemon's picture."""
    canvas = Canvas()
    assert view._daemon is not None
    canvas.resync((await view._link.call(view._path, VIEW, "Resync")).body)
    return canvas


class Calls:
    """Counts the calls of a connection."""

    def __init__(self, d: listd.Daemon) -> None:
        assert d._link.daemon is not None
        self.made: list[str] = []
        wire = d._link.daemon.wire
        call = wire.call

        def counted(*arguments: object, **keywords: object) -> int:
            self.made.append(str(arguments[3]))
            return call(*arguments, **keywords)  # type: ignore[arg-type]

        wire.call = counted  # type: ignore[method-assign]


async def test_a_range_is_shown_and_followed(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(layout="none", fields=["n"]) as view:
            picture = await view.show(10, 14)
            assert ids(picture) == [f"o{number}" for number in range(10, 15)]
            assert picture.rows()[0].content == {"n": 10}
            await mail.patch("o12", {"n": -1})
            picture = await anext(view)
            assert picture.rows()[2].content == {"n": -1}
            assert picture.rows()[2].slot == [s.slot for s in picture.rows()][2]
            # The range is clamped to the list.
            assert ids(await view.show((98, 0), (107, 0))) == [f"o{number}" for number in range(90, 100)]


async def test_a_range_follows_its_rows(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(layout="none") as view:
            await view.show(10, 14)
            async with mail.transaction() as t:
                for number in range(3):
                    t.upsert(f"new{number}", {}, first=True)
            # Rows refer to the picture that was read. By now, o20 is at position 23.
            assert ids(await view.show(20, 22)) == ["o20", "o21", "o22"]
            picture = await view.show(13, 17)
            assert ids(picture) == [f"o{number}" for number in range(10, 15)]
            async with mail.transaction() as t:
                t.remove("new0")
                t.remove("o10")
            picture = await anext(view)
            # The first row that still exists keeps its position.
            assert ids(picture) == ["o9", "o11", "o12", "o13", "o14"]
            assert dict(picture.slots) == (await resync_picture(view)).slots


async def test_a_view_begins_at_an_object(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(layout="none", at=("o50", 0, "center")) as view:
            picture = await view.show(0, 3)
            assert ids(picture) == ["o48", "o49", "o50", "o51"] and picture.sequence == 1
            assert ids(await view.show(0, 3)) == ["o0", "o1", "o2", "o3"]
        async with mail.view(at=("o99", 0, "none"), buffer=0.0) as view:
            picture = await view.scroll(0, 0, 320, 440)
            assert ids(picture)[-1] == "o99" and picture.offset == (0, 44 * 100 - 440) and picture.sequence == 1
        for at, error in [
            (("nope", 0, "none"), listd.NoSuchObject),
            (("o1", 1, "none"), listd.NoSuchItem),
            (("o1", 0, "top"), listd.InvalidArgs),
        ]:
            with pytest.raises(error):
                async with mail.view(at=at):
                    pass
        for wrong in ("o1", ("o1", "0", "none"), ("o1", True, "none"), ("o1", -1, "none"), (1, 0, "none")):
            with pytest.raises(listd.InvalidArgs):
                mail.view(at=wrong)  # type: ignore[arg-type]


async def test_scroll_phases_and_visibility_are_reported(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 10)
        async with mail.view() as view:
            await view.scroll(0, 0, 320, 440)
            for phase in ("began", "ended", "decelerated"):
                await view.report_scroll(phase)
            await view.set_on_screen(False)
            await mail.patch("o1", {"n": -1})
            await view.set_on_screen(True)
            with pytest.raises(listd.InvalidArgs):
                await view.report_scroll("stopped")  # type: ignore[arg-type]


async def test_no_call_inside_of_the_overscan(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(layout="none", overscan_items=20) as view:
            await view.show(30, 40)
            calls = Calls(d)
            for first in range(31, 45):
                picture = await view.show(first, first + 10)
                assert f"o{first}" in ids(picture) and f"o{first + 10}" in ids(picture)
            assert "SetVisibleRange" not in calls.made
            await view.show(60, 70)
            assert calls.made.count("SetVisibleRange") == 1


@pytest.mark.parametrize("direction", ["vertical", "horizontal"])
async def test_no_call_inside_of_the_buffer(shared: Stage, name: str, direction: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 200, direction=direction)
        across = direction == "horizontal"

        def at(along: float) -> tuple[float, float]:
            return (along, 0) if across else (0, along)

        async with mail.view(buffer=500) as view:
            await view.scroll(*at(0), 300, 300)
            await view.scroll(*at(1000), 300, 300)
            calls = Calls(d)
            for along in range(1000, 1500, 44):
                picture = await view.scroll(*at(along), 300, 300)
                assert picture.offset == at(along)
                visible = [
                    shown
                    for shown in picture.rows()
                    if (shown.frame.x if across else shown.frame.y) < along + 300
                    and (shown.frame.x + shown.frame.width if across else shown.frame.y + shown.frame.height) > along
                ]
                assert len(visible) >= 300 // 44
            assert "SetViewport" not in calls.made
            # Farther away, with another size, or next to the former viewport: listd is called.
            await view.scroll(*at(2100), 300, 300)
            await view.scroll(*at(2100), 300, 200)
            assert calls.made.count("SetViewport") == 2


async def test_a_row_in_front_moves_the_offset(shared: Stage, name: str) -> None:
    """The first visible item keeps its place on the screen, even if listd does not know the viewport."""
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(buffer=200) as view:
            await view.scroll(0, 0, 320, 440)
            await view.scroll(0, 1000, 320, 440)
            await view.scroll(0, 1100, 320, 440)
            async with mail.transaction() as t:
                t.upsert("new", {}, first=True)
            picture = await anext(view)
            assert picture.offset == (0, 1144)
            assert (await view.scroll(0, 1150, 320, 440)).offset == (0, 1150)
            # A distant position is relative to the picture that was read.
            picture = await view.scroll(0, 3000, 320, 440)
            assert picture.offset == (0, 3000)
            assert dict(picture.slots) == (await resync_picture(view)).slots


async def test_scroll_to_and_sizes(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view() as view:
            with pytest.raises(listd.InvalidArgs):
                await view.scroll_to("o50")
            await view.scroll(0, 0, 320, 440)
            picture = await view.scroll_to("o50", position="start")
            assert picture.offset == (0, 2200) and "o50" in ids(picture)
            picture = await view.report_sizes([("o50", 0, 320.0, 100.0)])
            assert next(shown for shown in picture.rows() if shown.object_id == "o50").frame.height == 100
            with pytest.raises(listd.NoSuchObject):
                await view.scroll_to("never there")


async def test_actions(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 3)
        async with mail.view() as view:
            await view.scroll(0, 0, 320, 440)
            assert not await view.invoke("o1", "star")
            async with mail.on_invoked() as actions:
                while not await view.invoke("o1", "star", {"on": True}):
                    await asyncio.sleep(0.01)  # until the list has received the subscription
                action = await anext(actions)
                assert (action.id, action.item, action.action) == ("o1", 0, "star")
                assert action.parameters == {"on": True} and action.user == os.getuid()
                assert await view.invoke("o2", "open") and (await anext(actions)).action == "open"
            with pytest.raises(listd.NoSuchItem):
                await view.invoke("o1", "star", item=7)


async def test_selection_and_moving(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 10)
        async with mail.view() as view, mail.selection_events() as events:
            await view.scroll(0, 0, 320, 440)
            assert await view.select("o1") and await view.select("o2")
            assert (await anext(events)).selected == (("o1", 0), ("o2", 0))
            assert await view.deselect("o1")
            assert (await anext(events)).deselected == (("o1", 0),)
            assert (await mail.properties()).selected_items == (("o2", 0),)
            await view.set_highlighted("o1")
            assert await view.move_item((0, 0), (3, 0))
            assert (await mail.find("o0")).section == 3
            with pytest.raises(listd.NoSuchItem):
                await view.move_item((0, 0), (99, 0))
            with pytest.raises(listd.NoSuchObject):
                await view.select("never there")


@pytest.mark.parametrize("ends", [(5, 1), (-1, 5), (0, 2**40)])
async def test_an_invalid_range_is_refused(shared: Stage, name: str, ends: tuple[int, int]) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 3)
        async with mail.view(layout="none") as view:
            with pytest.raises(listd.InvalidArgs):
                await view.show(*ends)
            with pytest.raises(listd.InvalidArgs):
                await view.scroll(0, 0, 10, 10)
            assert ids(await view.show(0, 1)) == ["o0", "o1"]


@pytest.mark.parametrize("viewport", [(float("nan"), 0, 1, 1), (0, float("inf"), 1, 1), (0, 0, -1, 1)])
async def test_an_invalid_viewport_is_refused(shared: Stage, name: str, viewport: tuple[float, float, float, float]) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 3)
        async with mail.view() as view:
            with pytest.raises(listd.InvalidArgs):
                await view.scroll(*viewport)
            with pytest.raises(listd.InvalidArgs):
                await view.show(0, 1)


async def test_views_that_cannot_be_opened(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 3)
        with pytest.raises(listd.InvalidArgs, match="circle"):
            async with mail.view(layout="circle"):  # type: ignore[arg-type]
                pass
        with pytest.raises(listd.InvalidArgs):
            mail.view(window="many")  # type: ignore[arg-type]
        await d.remove(name)
        with pytest.raises(listd.NoSuchAdapter):
            async with mail.view():
                pass
        with pytest.raises(listd.ViewClosed):
            await mail.view().show(0, 1)


async def test_a_slow_consumer_gets_the_newest_picture(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 20)
        async with mail.view(layout="none", window=4) as view:
            await view.show(0, 9)
            for number in range(30):
                await mail.patch("o5", {"n": number})
            rows = [row for row in await d.views() if row.path == view._path]
            assert rows[0].state == "stalled" and rows[0].sequence - rows[0].acknowledged_sequence == 4
            while (await anext(view)).rows()[5].content["n"] != 29:
                pass
            await mail.patch("o5", {"n": 100})
            assert (await anext(view)).rows()[5].content["n"] == 100


async def test_a_call_returns_the_present_picture_while_pictures_are_held_back(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 50)
        async with mail.view(layout="none", window=2) as view:
            await view.show(0, 9)
            for number in range(20):
                await mail.patch("o5", {"n": number})
            assert view._is_stalled
            picture = await view.show(3, 12)
            assert ids(picture) == [f"o{number}" for number in range(3, 13)]
            assert picture.rows()[2].content["n"] == 19


@pytest.mark.parametrize("seed", [1, 2])
async def test_random_scrolling_equals_resync(shared: Stage, name: str, seed: int) -> None:
    numbers = random.Random(seed)
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 300)
        async with mail.view(buffer=numbers.choice([20.0, 300.0])) as view:
            for _ in range(10):
                picture = await view.scroll(0, numbers.randrange(13000), 320, 480)
                for _ in range(numbers.randrange(3)):
                    async with mail.transaction() as t:
                        t.upsert(f"o{numbers.randrange(400)}", {"n": numbers.random()}, first=numbers.random() < 0.3)
                        t.remove(f"o{numbers.randrange(400)}")
                await mail.revision()
                there = await resync_picture(view)
                picture = view.picture
                assert dict(picture.slots) == there.slots and picture.content_size == there.content_size


async def test_the_newest_of_many_requests_is_sent(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 1000)
        async with mail.view(layout="none") as view:
            calls = Calls(d)
            pictures = await asyncio.gather(*(view.show(first, first + 9) for first in range(0, 900, 10)))
            assert ids(pictures[-1]) == [f"o{number}" for number in range(890, 900)]
            assert calls.made.count("SetVisibleRange") == 2


async def test_a_view_outlives_listd(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object(f"o{number}") for number in range(50)])
        async with mail.view(layout="none") as view:
            first = await view.show(10, 12)
            stage.restart()
            async with asyncio.timeout(10):
                while (second := await anext(view)).opening == first.opening or len(second.slots) < 3:
                    pass
            assert ids(second) == ["o10", "o11", "o12"]


async def test_a_list_removed_under_a_view(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 5)
        async with mail.view() as view:
            view._presence._patience = 0.1
            await view.scroll(0, 0, 100, 100)
            await d.remove(name)
            with pytest.raises(listd.NoSuchAdapter):
                async for _ in view:
                    pass
            with pytest.raises(listd.NoSuchAdapter):
                await view.scroll(0, 0, 100, 100)


async def test_helpers_get_the_display_events_of_viewers(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d, listd.connect(shared.address) as other:
        mail = await list_of(d, name, 100)
        async with (await other.list(name)).display_events() as shown, mail.working_range_events() as near:
            await other.lists()  # a reply to this call means that the subscription has arrived
            view = mail.view(layout="none", lead=5, trail=5)
            async with view:
                await view.show(10, 12)
                event = await anext(shown)
                assert event.view == view._path
                assert event.will_display == ((10, "o10"), (11, "o11"), (12, "o12"))
                assert event.items_will_display[0] == (10, "o10", 0)
                entered = [section.id for section in (await anext(near)).entered]
                assert entered == [f"o{number}" for number in range(5, 18)]
                await view.show(11, 13)
                event = await anext(shown)
                assert (event.will_display, event.did_end_displaying) == (((13, "o13"),), ((10, "o10"),))
                # A consumer that was not reading gets the difference, which is empty.
                await view.show(50, 60)
                await view.show(11, 13)
                await other.lists()
            event = await anext(shown)
            assert [section.id for section in event.did_end_displaying] == ["o11", "o12", "o13"]


async def test_helpers_get_the_items_near_a_viewer(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        album = await d.create(name, section_controllers={"*": "listd/binding"})
        photographs = [{"id": str(number), "height": 10.0} for number in range(1000)]
        await album.replace([Object("album", fields={"items": photographs})])
        async with album.working_range_events() as near:
            await d.lists()
            async with album.view(working_range_unit="items", lead=20, trail=0, buffer=0.0) as view:
                await view.scroll(0, 5000, 100, 100)
                event = await anext(near)
                assert event.entered == ((0, "album"),)
                assert event.items_entered == tuple((0, "album", item) for item in range(500, 530))
                await view.scroll(0, 5200, 100, 100)
                event = await anext(near)
                assert not event.entered and not event.exited
                assert event.items_entered == tuple((0, "album", item) for item in range(530, 550))
                assert event.items_exited == tuple((0, "album", item) for item in range(500, 520))


async def test_displayed_items_are_reported_as_gone_when_listd_ends(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object(f"o{number}") for number in range(5)])
        async with mail.display_events() as shown:
            await d.lists()
            async with mail.view(layout="none") as view:
                await view.show(0, 1)
                assert len((await anext(shown)).will_display) == 2
                stage.restart()
                assert len((await anext(shown)).did_end_displaying) == 2
                assert [section.id for section in (await anext(shown)).will_display] == ["o0", "o1"]
