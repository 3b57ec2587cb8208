# SPDX-License-Identifier: Apache-2.0
"""The synchronous interface."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import pytest

import listd.sync
from listd import Inserted, Object, Replaced
from stage import Stage


def test_a_script(shared: Stage, name: str) -> None:
    with listd.sync.connect(shared.address, timeout=30) as d:
        mail = d.create(name, durability="memory", layout="none")
        with mail.transaction() as t:
            t.upsert("a", {"n": 1})
            t.upsert("b", {})
        assert t.revision == 1
        assert (mail.find("a").section, mail.page().total, len(mail.items())) == (0, 2, 2)
        mail.move("b", first=True)
        mail.patch("b", {"n": 2})
        assert mail.objects() == (Object("b", {"n": 2}), Object("a", {"n": 1}))
        with mail.follow() as changes:
            assert isinstance(next(changes), Replaced)
            mail.replace([Object("b", {"n": 2}), Object("a", {"n": 1}), Object("c")])
            assert changes.next_within(30) == Inserted(2, (Object("c"),))
            assert changes.revision == mail.revision()
            with pytest.raises(TimeoutError):
                changes.next_within(0.01)
            changes.close()
            assert list(changes) == []
        with mail.selection_events() as events, mail.view() as view:
            assert [shown.object_id for shown in view.show(0, 1).rows()] == ["b", "a"]
            assert view.select("a")
            assert next(events).selected == (("a", 0),)
            mail.patch("b", {"n": 3})
            assert next(view).rows()[0].content == {"n": 3}
        with pytest.raises(listd.NoSuchObject):
            mail.find("z")
        with pytest.raises(KeyError):
            with mail.transaction() as t:
                t.remove("a")
                raise KeyError
        assert name in [row.name for row in d.lists()] and d.properties().version and d.statistics()
        d.remove(name)
        assert d.is_available
    with pytest.raises(listd.Unavailable):
        d.lists()
    d.close()
    assert "listd" not in [thread.name for thread in threading.enumerate()]


PAIRS: list[tuple[type, type]] = [
    (listd.Daemon, listd.sync.Daemon),
    (listd.List, listd.sync.List),
    (listd.FilteredList, listd.sync.FilteredList),
    (listd.View, listd.sync.View),
    (listd.Follower, listd.sync.Changes),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=[one.__name__ for one, _ in PAIRS])
def test_both_interfaces_have_the_same_members(one: type, other: type) -> None:
    def members(owner: type) -> dict[str, Any]:
        return {name: getattr(owner, name) for name in dir(owner) if not name.startswith("_")}

    # contextlib.aclosing needs aclose, next_within takes the place of asyncio.timeout.
    asynchronous, synchronous = members(one), members(other)
    asynchronous.pop("aclose", None)
    synchronous.pop("next_within", None)
    assert asynchronous.keys() == synchronous.keys()
    for name, member in asynchronous.items():
        if callable(member):
            wanted, found = inspect.signature(member).parameters, inspect.signature(synchronous[name]).parameters
            assert wanted.keys() == found.keys(), name
            assert [one.default for one in wanted.values()] == [one.default for one in found.values()], name
        else:
            assert isinstance(synchronous[name], property), name


def test_batches_pictures_and_reloads(shared: Stage, name: str) -> None:
    with listd.sync.connect(shared.address, timeout=30) as d:
        mail = d.create(name, durability="memory", layout="none")
        with mail.follow() as changes, mail.view() as view, d.reloading() as reloads:
            groups = changes.batches()
            assert next(groups) == [Replaced(())]
            revision = mail.replace([Object("a"), Object("b")])
            assert groups.next_within(30) == [Inserted(0, (Object("a"), Object("b")))]
            assert changes.revision == revision
            groups.close()
            assert list(changes) == []
            shown = view.show(0, 1)
            assert view.picture.sequence == shown.sequence
            d.reload()
            while reloads.next_within(30):
                pass  # true before the reload, unless the newer event has replaced it


def test_no_listd_leaves_no_thread() -> None:
    with pytest.raises(listd.Unavailable):
        listd.sync.connect("unix:path=/nowhere/at/all")
    assert "listd" not in [thread.name for thread in threading.enumerate()]


def test_a_call_that_takes_too_long(bus_stage: Stage) -> None:
    import signal

    with listd.sync.connect(bus_stage.address, timeout=0.1) as d:
        mail = d.create("mail")
        bus_stage.signal(signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            mail.revision()
        bus_stage.signal(signal.SIGCONT)
