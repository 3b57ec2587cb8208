# SPDX-License-Identifier: Apache-2.0
"""Actions, near ends, filters, search, and calls for administrators."""

from __future__ import annotations

import asyncio
import os
import pwd

import pytest

import listd
import listd.sync
from listd import Object
from listd._filter import source_argument
from stage import Stage


async def make_list_of_words(d: listd.Daemon, name: str, words: list[str], **options: object) -> listd.List:
    mail = await d.create(name, durability="memory", **options)  # type: ignore[arg-type]
    await mail.replace([Object(f"o{number}", {"text": word, "n": number}) for number, word in enumerate(words)])
    return mail


async def ids(mail: listd.List) -> list[str]:
    return [one.id for one in await mail.objects()]


async def test_lists_and_clients_are_described(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        await make_list_of_words(d, name, ["a", "b"])
        described = {one.name: one for one in await d.lists()}[name]
        assert (described.state, described.owner, described.objects) == ("ready", os.getuid(), 2)
        assert described.bytes is not None and described.source_error == ""
        assert described.owner_name == described.last_writer == pwd.getpwuid(os.getuid()).pw_name
        assert described.last_write is not None and described.epoch == (await (await d.list(name)).properties()).epoch
        mine = [one for one in await d.clients() if one.pid == os.getpid()]
        assert mine and mine[-1].calls > 0 and mine[-1].user == os.getuid()


async def test_items_are_counted_without_their_contents(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a", "b", "c"])
        counts = await mail.item_counts(1)
        assert (counts.next_section, counts.counts) == (3, (1, 1))
        assert (await mail.item_counts(7)).counts == ()


async def test_many_items_are_selected_at_once(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a", "b", "c"])
        async with mail.view(layout="none") as view, mail.selection_events() as events:
            await view.show(0, 2)
            result = await view.change_selection([("o0", 0), ("o2", 0)])
            assert set(result.selected) == {("o0", 0), ("o2", 0)} and result.deselected == ()
            assert set((await anext(events)).selected) == {("o0", 0), ("o2", 0)}
            assert (await view.change_selection(deselect=[("o0", 0)])).deselected == (("o0", 0),)
            with pytest.raises(listd.InvalidArgs):
                await view.change_selection([("o1", 0)], [("o1", 0)])
            with pytest.raises(listd.NoSuchObject):
                await view.change_selection([("nosuch", 0)])


async def test_an_action_is_sent_to_the_owner_and_answered(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a"])
        async with mail.view(layout="none") as view:
            assert not await view.invoke("o0", "archive")
            async with mail.on_invoked() as actions:
                while not await view.invoke("o0", "archive", {"by": "ada", "n": 5}):
                    await asyncio.sleep(0)  # until the subscription has arrived
                action = await anext(actions)
            assert (action.id, action.item, action.action, action.user) == ("o0", 0, "archive", os.getuid())
            assert action.parameters == {"by": "ada", "n": 5} and actions.missed == 0
            with pytest.raises(listd.NoSuchObject):
                await view.invoke("nosuch", "archive")
            with pytest.raises(listd.InvalidObject):
                await view.invoke("o0", "archive", {"no": None})


async def test_a_view_near_the_end_is_reported(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a"] * 50, near_end_distance=10.0)
        async with mail.near_end_events() as events, mail.view(layout="none") as view:
            await view.show(0, 9)
            await view.show(35, 44)
            assert (await anext(events)).distance == 5.0


async def test_a_filter_follows_its_list(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["Apple", "pear", "pineapple", "plum"])
        async with mail.filter("APPLE") as hits:
            async with hits.follow() as changes:
                first = await anext(changes)
                while isinstance(first, listd.Replaced) and len(first.objects) < 2:
                    first = await anext(changes)
                await mail.patch("o3", {"text": "apple pie"})
                change = await anext(changes)
                assert isinstance(change, listd.Inserted) and change.objects[0].id == "o3"
            await hits.change("p", sort="-n", limit=2)
            assert await ids(hits) == ["o3", "o2"]
            filter_name = hits.name
            with pytest.raises(listd.ReadOnly):
                await hits.replace([])
        assert filter_name not in [one.name for one in await d.lists()]


async def test_a_filter_is_created_again_after_a_restart_of_listd(stage: Stage, name: str) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create(name)
        await mail.replace([Object("a", {"text": "x"}), Object("b", {"text": "y"})])
        async with mail.filter("x") as hits:
            async with hits.follow() as changes:
                await anext(changes)
                stage.restart()
                while True:  # the connection notices the restart some time later
                    await d.wait_available()
                    try:
                        await mail.patch("b", {"text": "xx"})
                        break
                    except (listd.Disconnected, listd.Unavailable):
                        pass
                async with asyncio.timeout(20):
                    rows: list[Object] = []
                    async for change in changes:
                        change.apply(rows)
                        if any(row.id == "b" for row in rows):
                            break


async def test_text_is_found_in_both_directions(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["Straße", "x", "STRASSE"])
        hit = await mail.search("strasse")
        assert hit is not None and (hit.section, hit.id) == (0, "o0")
        hit = await mail.search("strasse", start=1)
        assert hit is not None and hit.id == "o2"
        hit = await mail.search("strasse", start=1, backwards=True)
        assert hit is not None and hit.id == "o0"
        assert await mail.search("nothing") is None
        assert await mail.search("strasse", ["other"]) is None


async def test_a_view_begins_at_an_object(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a"] * 100)
        async with mail.view(layout="none", at=("o50", 0, "start")) as view:
            picture = await view.show(0, 9)
            assert [row.object_id for row in picture.rows()] == [f"o{number}" for number in range(50, 60)]
            assert picture.sequence == 1
        with pytest.raises(listd.NoSuchObject):
            async with mail.view(at=("nosuch", 0, "start")):
                pass


async def test_a_list_is_renamed(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a"])
        await d.rename(name, name + "2")
        assert await ids(await d.list(name + "2")) == ["o0"]
        with pytest.raises(listd.NoSuchAdapter):
            await mail.page()
        with pytest.raises(listd.NoSuchAdapter):
            await d.rename(name, name + "3")


async def test_scrolling_is_reported(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await make_list_of_words(d, name, ["a"])
        async with mail.view(layout="none") as view:
            await view.show(0, 0)
            for phase in ("began", "ended", "decelerated"):
                await view.report_scroll(phase)
            with pytest.raises(listd.InvalidArgs):
                await view.report_scroll("flying")  # type: ignore[arg-type]
            await view.set_on_screen(False)


def test_the_synchronous_interface_filters_searches_and_invokes(shared: Stage, name: str) -> None:
    with listd.sync.connect(shared.address) as d:
        mail = d.create(name, durability="memory", hints={"n": "bytes"})
        mail.replace([Object("a", {"text": "x"}), Object("b", {"text": "y"})])
        with mail.filter("y") as hits:
            assert [one.id for one in hits.objects()] == ["b"]
            hits.change("x")
            assert [one.id for one in hits.objects()] == ["a"]
        hit = mail.search("Y")
        assert hit is not None and hit.id == "b"
        assert mail.item_counts().counts == (1, 1)
        assert name in [one.name for one in d.lists()]
        with mail.view(layout="none") as view:
            assert not view.invoke("a", "archive")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ""),
        ({"contains": "a&b=ü %"}, "contains=a%26b%3D%C3%BC%20%25"),
        ({"contains": "x", "fields": ["a,b", "c"]}, "contains=x&in=a%2Cb,c"),
        ({"type": ""}, "type="),
        ({"sort": "-date", "limit": 5}, "sort=-date&limit=5"),
    ],
)
def test_conditions_of_a_filter_are_encoded(arguments: dict[str, object], expected: str) -> None:
    assert source_argument(**arguments) == expected  # type: ignore[arg-type]
