# SPDX-License-Identifier: Apache-2.0
"""Compares the mirror of a list with a simple model, by seeded random transactions without a bus."""

from __future__ import annotations

import random

import pytest

from listd import Change, Moved, Object, Removed, Replaced, Updated
from listd._mirror import Mirror, Sections, Step, Update
from listd._script import longest_ascending, steps


class Daemon:
    """A model of a list that produces the content of ``Updated`` for each transaction."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: list[Object] = []
        self.revision = 0
        self._next = 0

    def new(self) -> Object:
        self._next += 1
        return Object(f"o{self._next}", {"n": 0})

    def change(self, size: int) -> Update:
        """Applies random removals, moves, inserts and new contents."""
        old = self.rows
        removed = {row.id for row in old if self.random.random() < size / max(20, len(old))}
        kept = [row for row in old if row.id not in removed]
        moving = {row.id for row in kept if self.random.random() < size / max(40, len(old))}
        new = [row for row in kept if row.id not in moving]
        for row in [row for row in kept if row.id in moving] + [self.new() for _ in range(self.random.randrange(size + 1))]:
            new.insert(self.random.randrange(len(new) + 1), row)
        if self.random.random() < 0.2:
            # An object that was removed before is inserted again.
            ids = {row.id for row in new}
            again = Object(f"o{self.random.randrange(1, self._next + 2)}", {"n": -1})
            if again.id not in ids and again.id not in removed:
                new.append(again)
                self._next = max(self._next, int(again.id[1:]))
        reloaded = {row.id for row in kept if self.random.random() < size / max(30, len(old))}
        self.rows = [Object(row.id, {"n": row.fields["n"] + 1}) if row.id in reloaded else row for row in new]
        was = {row.id: place for place, row in enumerate(old)}
        now = {row.id: place for place, row in enumerate(self.rows)}
        # A move to the position that its neighbours free may be omitted or reported. Both are correct.
        sections = Sections(
            deletes=[(was[id], 1) for id in was if id in removed],
            inserts=[(now[id], 1) for id in now if id not in was or id in removed],
            moves=[(was[id], now[id]) for id in moving],
            reloads=[(was[id], 1) for id in reloaded],
        )
        self.revision += 1
        return Update(self.revision - 1, self.revision, "update", sections, count=len(self.rows))


def fill(mirror: Mirror, daemon: Daemon) -> None:
    for run in mirror.missing(1000, page=7, gap=daemon.random.randrange(4)):
        assert mirror.fill(run.start, daemon.rows[run.start : run.stop], daemon.revision) is Step.NONE
    while not mirror.is_complete:
        run = mirror.missing(1, page=3)[0]
        mirror.fill(run.start, daemon.rows[run.start : run.stop], daemon.revision)


@pytest.mark.parametrize("seed", range(60))
def test_applied_changes_give_the_list(seed: int) -> None:
    daemon = Daemon(seed)
    mirror = Mirror()
    mirror.reset(0, 0)
    copy: list[Object] = [Object("wrong")]
    for step in range(60):
        update = daemon.change([1, 4, 40][seed % 3])
        assert mirror.apply(update) is Step.NONE
        if daemon.random.random() < 0.3:
            fill(mirror, daemon)
        if daemon.random.random() < 0.5:
            continue  # several transactions are coalesced
        fill(mirror, daemon)
        changes = mirror.take_changes()
        assert changes is not None
        for change in changes:
            change.apply(copy)
        assert copy == daemon.rows, f"seed {seed}, step {step}"
        assert mirror.take_changes() == []


@pytest.mark.parametrize("seed", range(60))
def test_known_objects_are_reported_while_the_list_changes_faster_than_it_is_read(seed: int) -> None:
    daemon = Daemon(seed)
    mirror = Mirror()
    mirror.reset(0, 0)
    copy: list[Object] = []
    tellings = 0
    for _ in range(60):
        assert mirror.apply(daemon.change([1, 4, 40][seed % 3])) is Step.NONE
        for run in mirror.missing(2, page=3):
            mirror.fill(run.start, daemon.rows[run.start : run.stop], daemon.revision)
        if daemon.random.random() < 0.2:
            fill(mirror, daemon)
        if mirror.is_complete:
            changes = mirror.take_changes()
            assert changes is not None
        else:
            assert mirror.is_loaded()
            changes = mirror.take_known_objects()
            tellings += 1
        for change in changes:
            change.apply(copy)
        if mirror.is_complete:
            assert copy == daemon.rows
        else:
            ids = {row.id for row in copy}
            assert [row.id for row in daemon.rows if row.id in ids] == [row.id for row in copy]
    assert tellings > 5 or seed % 3 == 0


def test_a_list_is_not_reported_before_all_objects_were_read_once() -> None:
    mirror = Mirror()
    mirror.reset(1, 2)
    mirror.fill(0, [Object("a")], 1)
    mirror.apply(Update(1, 2, "update", Sections(reloads=[(0, 1)])))
    assert not mirror.is_loaded()
    mirror.fill(1, [Object("b")], 2)
    assert mirror.is_loaded() and mirror.take_known_objects() == [Replaced((Object("a"), Object("b")), complete=False)]
    mirror.fill(0, [Object("a", {"n": 1})], 2)
    assert mirror.take_changes() == [Updated(0, (Object("a", {"n": 1}),))]


def test_a_lost_update_is_noticed() -> None:
    mirror = Mirror()
    mirror.reset(5, 0)
    assert mirror.apply(Update(6, 7, "update")) is Step.CATCH_UP
    assert mirror.apply(Update(5, 5, "announce")) is Step.NONE
    assert mirror.apply(Update(8, 8, "announce")) is Step.CATCH_UP
    assert mirror.apply(Update(2, 3, "update")) is Step.NONE
    assert mirror.apply(Update(5, 6, "reload")) is Step.READ_ALL


@pytest.mark.parametrize(
    "sections",
    [
        Sections(deletes=[(1, 1)]),
        Sections(deletes=[(0, 1), (0, 1)]),
        Sections(inserts=[(2, 1)]),
        Sections(inserts=[(0, 1), (0, 1)]),
        Sections(moves=[(0, 1)]),
        Sections(reloads=[(0, 2)]),
    ],
)
def test_after_a_batch_that_does_not_fit_everything_is_read_again(sections: Sections) -> None:
    mirror = Mirror()
    mirror.reset(1, 1)
    mirror.fill(0, [Object("a")], 1)
    mirror.take_changes()
    assert mirror.apply(Update(1, 2, "update", sections)) is Step.READ_ALL


def test_after_a_wrong_count_everything_is_read_again() -> None:
    mirror = Mirror()
    mirror.reset(1, 0)
    assert mirror.apply(Update(1, 2, "update", Sections(inserts=[(0, 1)]), count=2)) is Step.READ_ALL


def test_more_changes_than_objects_are_reported_as_replaced() -> None:
    daemon = Daemon(1)
    mirror = Mirror()
    mirror.reset(0, 0)
    assert mirror.take_changes() == [Replaced(())]
    for _ in range(400):
        mirror.apply(daemon.change(10))
    fill(mirror, daemon)
    assert mirror.take_changes() == [Replaced(tuple(daemon.rows))]


def test_an_object_removed_and_inserted_at_its_position_is_reported_as_updated() -> None:
    mirror = Mirror()
    mirror.reset(0, 2)
    mirror.fill(0, [Object("a"), Object("b")], 0)
    mirror.take_changes()
    # b is removed and then inserted again at its old position.
    mirror.apply(Update(0, 1, "update", Sections(deletes=[(1, 1)])))
    mirror.apply(Update(1, 2, "update", Sections(inserts=[(1, 1)])))
    mirror.fill(1, [Object("b", {"n": 1})], 2)
    assert mirror.take_changes() == [Updated(1, (Object("b", {"n": 1}),))]


def test_objects_read_at_another_revision_are_ignored() -> None:
    mirror = Mirror()
    mirror.reset(3, 1)
    assert mirror.fill(0, [Object("a")], 4) is Step.CATCH_UP
    assert mirror.fill(0, [Object("a")], 2) is Step.NONE
    assert not mirror.is_complete


def test_few_objects_move_and_adjacent_changes_are_joined() -> None:
    rows = [Object(str(number)) for number in range(100)]
    assert steps(rows, rows[1:] + rows[:1], 0) == [Moved(0, 99)]
    assert steps(rows, rows[:10] + rows[20:], 5) == [Removed(15, 10)]
    assert steps(rows, rows, 0) == []


@pytest.mark.parametrize("seed", range(20))
def test_steps_from_any_order_to_any_other(seed: int) -> None:
    numbers = random.Random(seed)
    old = [Object(str(number)) for number in numbers.sample(range(60), 40)]
    new = [Object(str(number)) for number in numbers.sample(range(60), 40)]
    copy = list(old)
    changes: list[Change] = steps(old, new, 0)
    for change in changes:
        change.apply(copy)
    assert copy == new
    kept = [int(row.id) for row in old if row in new]
    places = {row.id: place for place, row in enumerate(new)}
    order = [places[str(number)] for number in kept]
    moves = sum(isinstance(change, Moved) for change in changes)
    assert moves == len(kept) - len(longest_ascending(order))
