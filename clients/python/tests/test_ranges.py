# SPDX-License-Identifier: Apache-2.0
"""Ranges of rows that refer to a revision: to the copy of the list that a program keeps, not to the picture it has."""

from __future__ import annotations

import asyncio
import random

import pytest

import listd
from listd import Object
from stage import Stage
from test_viewing import ids, list_of, resync_picture

#: How many revisions listd remembers.
REMEMBERED = 256


async def insert_in_front(mail: listd.List, ids: list[str]) -> int:
    """Inserts objects one by one, each in front of the others, and returns the revision after them."""
    for id in ids:
        async with mail.transaction() as t:
            t.upsert(id, {}, first=True)
    return await mail.revision()


@pytest.mark.parametrize("is_open_before", [True, False], ids=["opened before", "opened after"])
async def test_a_range_is_meant_in_the_list_of_a_revision(shared: Stage, name: str, is_open_before: bool) -> None:
    """The writes are another program's. A view that is opened after them has no picture from before."""
    async with listd.connect(shared.address) as d, listd.connect(shared.address) as writer:
        mail = await list_of(d, name, 100)
        seen = await mail.revision()
        view = mail.view(layout="none", range_at="revision")
        if is_open_before:
            async with view:
                assert ids(await view.show(40, 42, revision=seen)) == ["o40", "o41", "o42"]
                newest = await insert_in_front(await writer.list(name), ["new0", "new1", "new2"])
                await check_revisions(view, seen, newest)
        else:
            newest = await insert_in_front(await writer.list(name), ["new0", "new1", "new2"])
            async with view:
                await check_revisions(view, seen, newest)


async def check_revisions(view: listd.View, seen: int, newest: int) -> None:
    """Asks for the same positions of each revision: what is at them differs, because three rows came in front."""
    assert newest == seen + 3
    for revision, wanted in [
        (seen, ["o10", "o11", "o12"]),
        (seen + 1, ["o9", "o10", "o11"]),
        (newest, ["o7", "o8", "o9"]),
        (seen + 2, ["o8", "o9", "o10"]),
        (seen, ["o10", "o11", "o12"]),
    ]:
        picture = await view.show(10, 12, revision=revision)
        assert ids(picture) == wanted and picture.revision >= newest
        assert dict(picture.slots) == (await resync_picture(view)).slots
    # A row that is in front of the seen list is not in it, nor is a row past its end.
    assert ids(await view.show(0, 1, revision=seen)) == ["o0", "o1"]
    assert ids(await view.show(99, 99, revision=seen)) == ["o99"]


async def test_the_newest_revision_and_one_that_was_never_announced(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        async with mail.view(layout="none", range_at="revision") as view:
            await insert_in_front(mail, ["new0", "new1"])
            for revision in (0, 10**6, 2**64 - 1):
                assert ids(await view.show(10, 11, revision=revision)) == ["o8", "o9"]
            # Without a revision, the rows are those of the picture that was read last.
            await insert_in_front(mail, ["new2"])
            assert ids(await view.show(20, 21)) == ["o18", "o19"]


async def test_moved_and_removed_rows_of_a_revision(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        seen = await mail.revision()
        async with mail.view(layout="none", range_at="revision") as view:
            await mail.move("o12", after="o50")
            # Each end is where its row is now.
            picture = await view.show(10, 12, revision=seen)
            assert ids(picture)[:3] == ["o10", "o11", "o13"] and ids(picture)[-1] == "o12"
            async with mail.transaction() as t:
                t.remove("o30")
                t.remove("o34")
            # A removed row is replaced by the next one towards the other end.
            assert ids(await view.show(30, 34, revision=seen)) == ["o31", "o32", "o33"]
            async with mail.transaction() as t:
                for number in range(40, 45):
                    t.remove(f"o{number}")
            assert ids(await view.show(40, 44, revision=seen))[0] == "o45"


async def test_a_revision_that_is_too_old(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        seen = await mail.revision()
        async with (
            mail.view(layout="none", range_at="revision") as early,
            mail.view(layout="none", range_at="revision", overscan_items=2) as view,
        ):
            assert ids(await view.show(50, 50, revision=seen)) == [f"o{number}" for number in range(48, 53)]
            newest = await insert_in_front(mail, [f"new{number}" for number in range(REMEMBERED)])
            assert (await mail.properties()).oldest_revision == seen
            assert ids(await early.show(10, 11, revision=seen)) == ["o10", "o11"]
            await mail.patch("o99", {"n": -1})
            oldest = (await mail.properties()).oldest_revision
            assert oldest == seen + 1
            before = view.picture
            while before.revision < newest:
                before = await anext(view)
            for other in (early, view):
                with pytest.raises(listd.RevisionGone, match=str(oldest)):
                    await other.show(10, 11, revision=seen)
            # The view is as it was, and takes other revisions.
            assert ids(before) == [f"o{number}" for number in range(48, 53)]
            assert dict(before.slots) == dict(view.picture.slots) == (await resync_picture(view)).slots
            assert ids(await early.show(10, 11, revision=oldest)) == ["o9", "o10"]
            # A copy that is too old is read again, as a program does that has missed too much.
            page = await mail.page(10, 2)
            assert ids(await early.show(10, 11, revision=page.revision)) == [object.id for object in page.objects]


async def test_a_revision_and_the_other_views(shared: Stage, name: str) -> None:
    """Without the option, or with a layout, nothing refers to a revision."""
    async with listd.connect(shared.address) as d:
        mail = await list_of(d, name, 100)
        with pytest.raises(listd.InvalidArgs, match="epoch"):
            async with mail.view(layout="none", range_at="epoch"):  # type: ignore[arg-type]
                pass
        async with mail.view(layout="none") as view:
            with pytest.raises(listd.InvalidArgs, match="range_at"):
                await view.show(0, 1, revision=1)
        async with mail.view(range_at="revision", buffer=0.0) as view:
            assert ids(await view.scroll(0, 440, 320, 88)) == ["o10", "o11"]
            await insert_in_front(mail, ["new0"])
            # A viewport refers to the picture that was read.
            picture = await view.scroll(0, 880, 320, 88)
            assert ids(picture) == ["o20", "o21"] and picture.offset == (0, 924)


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_program_with_a_copy_asks_while_others_write(shared: Stage, name: str, seed: int) -> None:
    """The program knows the list from its changes, and takes the rows that it asks for from its copy."""
    source, done = random.Random(seed), asyncio.Event()
    async with listd.connect(shared.address) as d, listd.connect(shared.address) as writer:
        mail = await list_of(d, name, 300)

        async def write() -> None:
            number = 0
            theirs = await writer.list(name)
            while not done.is_set():
                async with theirs.transaction() as t:
                    for _ in range(source.randrange(1, 4)):
                        number += 1
                        t.upsert(f"new{number}", {}, first=True)

        async with mail.follow() as changes, mail.view(layout="none", range_at="revision") as view:
            rows: list[Object] = []
            (await anext(changes)).apply(rows)
            writing = asyncio.create_task(write())
            behind = 0
            try:
                for _ in range(60):
                    for _ in range(source.randrange(1, 4)):
                        (await anext(changes)).apply(rows)
                    seen, first = changes.revision, source.randrange(len(rows) - 10)
                    wanted = [row.id for row in rows[first : first + 10]]
                    picture = await view.show(first, first + 9, revision=seen)
                    assert ids(picture) == wanted, f"row {first} of revision {seen}, shown at {picture.revision}"
                    behind += picture.revision > seen
            finally:
                done.set()
                await writing
            assert behind > 10
