# SPDX-License-Identifier: Apache-2.0
"""Mistakes that newcomers to the package make."""

from __future__ import annotations

import asyncio
import inspect
import pydoc

import pytest

import listd
import listd.sync
from listd import Object, Replaced
from stage import Stage


async def numbers(d: listd.Daemon, name: str, count: int) -> listd.List:
    mail = await d.create(name, durability="memory")
    await mail.replace([Object(f"o{number}", {"n": number}) for number in range(count)])
    return mail


def visible(picture: listd.Picture) -> list[str]:
    return [row.object_id for row in picture.visible()]


def run(first: int, last: int) -> list[str]:
    return [f"o{number}" for number in range(first, last + 1)]


# MARK: following


async def test_a_follower_has_the_epoch(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        async with mail.follow() as changes:
            assert changes.epoch == ""
            await anext(changes)
            assert changes.epoch == (before := (await mail.properties()).epoch)
            await d.remove(name)
            await numbers(d, name, 2)
            assert changes.epoch == before
            await anext(changes)
            assert changes.epoch == (await mail.properties()).epoch != before


async def test_a_copy_reaches_the_revision_of_a_write(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 3)
        rows: list[Object] = []
        async with mail.follow() as changes:
            for expected in (["o1", "o2"], ["o2"]):
                async with mail.transaction() as t:
                    t.remove(f"o{2 - len(expected)}")
                for change in await changes.reached(t.revision):
                    change.apply(rows)
                assert [row.id for row in rows] == expected and changes.revision == t.revision
            assert await changes.reached(t.revision) == [] == await changes.reached(0)
            # The consumer has read only a part of a group.
            await mail.replace([Object("a"), Object("o2", {"n": 5})])
            (await anext(changes)).apply(rows)
            for change in await changes.reached(await mail.revision()):
                change.apply(rows)
            assert rows == [Object("a"), Object("o2", {"n": 5})]
            # The iteration was cancelled and then continued. No change is lost.
            waiting = asyncio.ensure_future(changes.reached(await mail.revision() + 2))
            await mail.patch("a", {"n": 1})
            while changes.revision == t.revision + 1:
                await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            for change in await changes.reached(await mail.patch("a", {"n": 2})):
                change.apply(rows)
            assert rows == [Object("a", {"n": 2}), Object("o2", {"n": 5})]


async def test_waiting_for_a_revision_ends_when_the_list_is_created_again(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        rows: list[Object] = []
        async with mail.follow() as changes:
            (await anext(changes)).apply(rows)
            epoch = changes.epoch
            waiting = asyncio.ensure_future(changes.reached(100))
            await asyncio.sleep(0)
            await d.remove(name)
            await numbers(d, name, 2)
            async with asyncio.timeout(10):
                for change in await waiting:
                    change.apply(rows)
            assert changes.epoch != epoch and changes.revision <= 1
            for change in await changes.reached(1):
                change.apply(rows)
            assert len(rows) == 2


def test_a_script_reaches_the_revision_of_a_write(shared: Stage, name: str) -> None:
    with listd.sync.connect(shared.address, timeout=30) as d:
        mail = d.create(name, durability="memory")
        with mail.follow() as changes:
            revision = mail.replace([Object("a")])
            rows: list[Object] = []
            for change in changes.reached(revision):
                change.apply(rows)
            assert rows == [Object("a")] and changes.epoch == mail.properties().epoch
            assert changes.complete


def test_a_partly_known_list_is_reported_as_incomplete() -> None:
    from listd._mirror import Mirror, Sections, Update

    mirror = Mirror()
    mirror.reset(1, 1)
    mirror.fill(0, [Object("a")], 1)
    assert mirror.take_changes() == [Replaced((Object("a"),))] == [Replaced((Object("a"),), complete=True)]
    mirror.apply(Update(1, 2, "batch", Sections(inserts=[[1, 0]]), count=2))
    assert mirror.take_known_objects() == [Replaced((Object("a"),), complete=False)]


# MARK: views


async def test_rows_on_the_screen_with_overscan(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 100)
        async with mail.view(layout="none", overscan_items=5) as view:
            assert visible(await view.show(0, 3)) == run(0, 3)
            assert visible(await view.show(2, 5)) == run(2, 5)  # already in the picture
            picture = await view.show(50, 53)
            assert visible(picture) == run(50, 53) and len(picture.rows()) == 14
            # The range follows its rows. Rows before it and in it change.
            await mail.replace([Object("new"), *(Object(f"o{n}", {"n": n}) for n in range(100) if n not in (10, 11, 51))])
            while view.picture.revision < await mail.revision():
                await anext(view)
            assert visible(view.picture) == ["o50", "o52", "o53", "o54"]
            first = view.picture.visible()[0].section
            assert visible(await view.show(first + 1, first + 4)) == run(52, 55)
            assert visible(await view.show(200, 203)) == run(96, 99)
            await mail.replace([Object("only")])
            while view.picture.revision < await mail.revision():
                await anext(view)
            assert visible(view.picture) == ["only"]


async def test_rows_on_the_screen_of_a_layout(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 100)
        async with mail.view(layout="flow", buffer=100.0) as view:
            rows = (await view.scroll(0, 0, 100, 20)).rows()
            height = rows[0].frame.height
            for place in (0.0, 50 * height, 50 * height + 2, 50 * height + height / 2):
                picture = await view.scroll(0, place, 100, 2 * height)
                expected = [
                    row.object_id
                    for row in picture.rows()
                    if row.frame.y < place + 2 * height and row.frame.y + row.frame.height > place
                ]
                assert visible(picture) == expected and 2 <= len(expected) <= 3 < len(picture.rows())


async def test_the_screen_follows_its_rows_as_listd_does(shared: Stage, name: str) -> None:
    """With overscan, the package computes the visible rows. They equal those of a view without overscan, unless the range left
    the rows that listd sends to the other view."""
    import random

    generator = random.Random(5)
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 40)
        rows, left = run(0, 39), 0
        for options in ({}, {"anchor": False}, {"anchor_at_start": True}):
            async with (
                mail.view(layout="none", **options) as bare,  # type: ignore[arg-type]
                mail.view(layout="none", overscan_items=6, **options) as wide,  # type: ignore[arg-type]
            ):
                for number in range(60):
                    if number % 3 == 0:
                        first = generator.randrange(45)
                        last = first + generator.randrange(1, 8)
                        shown = visible(await wide.show(first, last))
                        assert shown == visible(await bare.show(first, last)), (options, number)
                    place = generator.randrange(len(rows) + 1)
                    rows[place:place] = [f"n{generator.randrange(10**9)}"]
                    del rows[generator.randrange(len(rows))]
                    # A write is answered after its change was sent, and each write changes something on the screen.
                    # Otherwise listd would relate the next range to another picture.
                    await mail.replace([Object(row, {"n": number}) for row in rows])
                    expected = visible(bare.picture)
                    if {*expected} <= {row.object_id for row in wide.picture.rows()}:
                        assert visible(wide.picture) == expected, (options, number)
                    else:
                        left += 1
        assert left < 10


async def test_a_view_opened_again_requests_as_many_rows_as_before(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        async with mail.view(layout="none") as view, mail.view(layout="none", overscan_items=2) as wide:
            for one in (view, wide):
                assert visible(await one.show(0, 3)) == ["o0"]
            await d.remove(name)
            await numbers(d, name, 9)
            async with asyncio.timeout(10):
                for one in (view, wide):
                    while len(one.picture.visible()) < 4:
                        await anext(one)
            assert visible(view.picture) == visible(wide.picture) == run(0, 3)


async def test_a_view_waits_for_its_list_as_long_as_its_patience(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        async with mail.view(layout="none", patience=0.1) as hasty, mail.view(layout="none", patience=60.0) as patient:
            await hasty.show(0, 1)
            await patient.show(0, 1)
            await d.remove(name)
            with pytest.raises(listd.NoSuchAdapter, match=name.partition("[")[0]):
                while True:
                    await anext(hasty)
            await numbers(d, name, 2)
            while len(patient.picture.slots) < 2:
                await anext(patient)


# MARK: filters


async def test_a_filter_waits_for_its_list_after_a_restart(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        mail = await numbers(d, "mail", 3)
        async with mail.filter(patience=60.0) as hits, hits.follow() as changes:
            rows: list[Object] = []
            (await anext(changes)).apply(rows)
            bus_stage.kill()
            bus_stage.start()
            await d.wait_available()
            while True:
                try:
                    await numbers(d, "mail", 4)
                    break
                except (listd.Disconnected, listd.Unavailable):
                    pass
            while len(rows) < 4:
                (await anext(changes)).apply(rows)


async def test_a_filter_ends_when_its_list_stays_missing(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        mail = await numbers(d, "mail", 3)
        async with mail.filter(patience=0.2) as hits, hits.follow() as changes, hits.view(layout="none") as view:
            await view.show(0, 1)
            await anext(changes)
            bus_stage.kill()
            bus_stage.start()
            message = "there is no list 'mail', which is filtered"
            with pytest.raises(listd.NoSuchAdapter, match=message):
                while True:
                    await anext(changes)
            with pytest.raises(listd.NoSuchAdapter, match=message):
                while True:
                    await anext(view)


async def test_a_filter_names_its_list_when_it_is_written(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        async with mail.filter() as hits:
            with pytest.raises(listd.ReadOnly) as refusal:
                await hits.patch("o0", {"n": 1})
            assert str(refusal.value) == f"a filter of the list {name!r} cannot be written: write to that list instead"
        with pytest.raises(listd.NoSuchAdapter) as gone:
            await hits.page()
        assert str(gone.value) == f"the filter of the list {name!r} has ended"


async def test_use_before_the_async_with_block_has_a_helpful_error(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await numbers(d, name, 1)
        with pytest.raises(AttributeError, match="async with .* as hits: .* hits.follow"):
            mail.filter("x").follow()  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match="nonsense"):
            mail.filter("x").nonsense  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="d = await listd.connect.*d.list"):
        listd.connect(shared.address).list("mail")  # type: ignore[attr-defined]


# MARK: names


@pytest.mark.parametrize(("target", "meant"), [("sesion", "session"), ("System", "system"), ("dirct", "direct")])
async def test_a_misspelt_name_of_a_bus_has_a_suggestion(target: str, meant: str) -> None:
    with pytest.raises(listd.InvalidArgs, match=f"{target!r}.*did you mean {meant!r}"):
        await listd.connect(target)


@pytest.mark.parametrize("target", ["", "nothing at all"])
async def test_a_target_that_is_not_an_address_is_refused(target: str) -> None:
    with pytest.raises(listd.InvalidArgs, match="system, session, direct, or a D-Bus address"):
        await listd.connect(target)


async def test_errors_contain_the_name_of_the_list(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        await numbers(d, name, 1)
        for call in (d.list("nope"), d.remove("nope"), d.rename("nope", "other")):
            with pytest.raises(listd.NoSuchAdapter, match="there is no list 'nope'"):
                await call
        for made in (d.create(name), d.rename(name, name)):
            with pytest.raises(listd.AdapterExists) as refusal:
                await made
            assert str(refusal.value) == f"there is a list {name!r} already"


async def test_ensure_refuses_a_misspelt_option_of_an_existing_list(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        for _ in range(2):
            with pytest.raises(listd.InvalidArgs, match="durabilty"):
                await d.ensure(name, durabilty="memory")  # type: ignore[call-arg]
            with pytest.raises(listd.InvalidArgs, match="coalesce_min"):
                await d.ensure(name, coalesce_min="soon")  # type: ignore[arg-type]
            await d.ensure(name, durability="memory")
        with pytest.raises(listd.InvalidArgs, match="did you mean 'durability'"):
            await d.ensure(name, durabilty="memory")  # type: ignore[call-arg]


# MARK: help


@pytest.mark.parametrize("module", [listd, listd.sync])
def test_help_shows_only_the_public_interface(module: object) -> None:
    text = pydoc.plain(pydoc.render_doc(module))
    for internal in ("attach", "detach", "give_up", "appeared", "vanished", "contextmanager"):
        assert f" {internal}(" not in text, internal
    assert "class Runner" not in text and "class ListInfo" not in text or module is listd


@pytest.mark.parametrize("name", [name for name in listd.__all__ if isinstance(getattr(listd, name), type)])
def test_each_attribute_is_documented(name: str) -> None:
    """Each option is documented in the class's own docstring, which help() shows."""
    kind = getattr(listd, name)
    fields = getattr(kind, "__dataclass_fields__", None) or getattr(kind, "_fields", None)
    if fields is None and not name.endswith("Options"):
        return
    text = inspect.getdoc(kind) or ""
    for field in [*(fields or kind.__annotations__)]:
        if not field.startswith("_"):
            assert f":ivar {field}:" in text or f"``{field}``" in text, field
