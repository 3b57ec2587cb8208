# SPDX-License-Identifier: Apache-2.0
"""A copy of a list that is updated by ``Updated`` signals. The copy makes no calls, so that tests need no bus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias, cast

from ._changes import Change, Replaced, Updated
from ._objects import Object
from ._script import steps

Pair = Sequence[int]


@dataclass(slots=True)
class Sections:
    """The changes of sections by one transaction. Deletes, origins of moves and reloads are positions before the transaction;
    inserts and targets of moves are positions after it."""

    deletes: Sequence[Pair] = ()
    inserts: Sequence[Pair] = ()
    moves: Sequence[Pair] = ()
    reloads: Sequence[Pair] = ()


@dataclass(slots=True)
class Update:
    """The changes of a list by one transaction, from ``Updated`` or ``GetChanges``."""

    base: int
    revision: int
    kind: str
    sections: Sections = field(default_factory=Sections)
    #: Sections that stay but whose items change, by their positions before and after the transaction.
    old_sections: Sequence[int] = ()
    new_sections: Sequence[int] = ()
    #: The number of sections afterwards; -1 when unknown.
    count: int = -1

    @classmethod
    def of_signal(cls, body: list[Any]) -> Update:
        """Decodes the body of ``Updated``."""
        return cls._of(body[0], body[1], body[2], body[6], body[7], body[4])

    @classmethod
    def of_batch(cls, batch: list[Any]) -> Update:
        """Decodes a batch of ``GetChanges``."""
        return cls._of(batch[0], batch[1], batch[2], batch[3], batch[4], -1)

    @classmethod
    def _of(cls, base: int, revision: int, kind: str, sections: list[Any], items: list[Any], count: int) -> Update:
        deletes, inserts, moves, reloads = items
        return cls(
            base,
            revision,
            kind,
            Sections(*sections),
            [path[0] for path in deletes] + [path[0] for path in reloads] + [move[0] for move in moves],
            [path[0] for path in inserts] + [move[2] for move in moves],
            count,
        )


class Step(Enum):
    """The next step of the mirror's owner after an update."""

    #: No step: the update is already known, or was applied.
    NONE = 0
    #: An update was lost: call ``GetChanges`` with the mirror's revision.
    CATCH_UP = 1
    #: The copy is outdated as a whole: read everything again.
    READ_ALL = 2


class Mismatch(Exception):
    """A batch does not fit the list, because an update was lost or the sender has an error."""


class Stale:
    """A placeholder for an object whose content must be read. Until then, the placeholder has the older content."""

    __slots__ = ("known",)

    def __init__(self, known: Object | None) -> None:
        #: The older content; None for a new object.
        self.known = known


#: The placeholder for objects that updates inserted.
NEW = Stale(None)
#: An object, a placeholder for an object to read, or None for an object that was not read since the last start.
Entry: TypeAlias = Object | Stale | None


class Mirror:
    """Updates have positions only; inserted content is missing until :meth:`fill` supplies it."""

    def __init__(self) -> None:
        self.revision = 0
        self._entries: list[Entry] = []
        self._missing = 0
        #: The last reported list, once the order has changed. Until then, `_olds` has the reported objects whose content changed.
        self._told: list[Object] | None = None
        self._olds: dict[int, Object] = {}
        #: The numbers of objects at the front and at the back that are unchanged since the last report.
        self._head = self._tail = 0
        #: The number of position changes since the last report. If it exceeds the number of objects, the report is Replaced.
        self._weight = 0
        self._is_fresh = True
        #: For a fresh copy, the position before which all content was read.
        self._read = 0
        #: Whether all objects of the last start were read.
        self._is_loaded = False

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def is_complete(self) -> bool:
        """Whether all content has been read."""
        return self._missing == 0

    def is_loaded(self) -> bool:
        """Whether all objects of the last start were read. Later objects may be missing, and contents may be outdated."""
        self._is_loaded = self._is_loaded or None not in self._entries
        return self._is_loaded

    @property
    def has_news(self) -> bool:
        """Whether there are unreported changes."""
        return self._is_fresh or self._told is not None or bool(self._olds)

    def reset(self, revision: int, total: int) -> None:
        """Starts again with a list of which only the length is known."""
        self.revision = revision
        self._entries = [None] * total
        self._missing = total
        self._is_loaded = False
        self._begin(is_fresh=True)

    def _begin(self, is_fresh: bool) -> None:
        self._told = None
        self._olds.clear()
        self._head = self._tail = len(self._entries)
        self._weight = 0
        self._is_fresh = is_fresh
        self._read = 0

    # MARK: content

    def missing(self, most: int, *, page: int, gap: int = 0, margin: int = 0) -> list[range]:
        """Returns at most ``most`` ranges to read, each of at most a page. Ranges with few known objects between them are
        joined.

        :param margin: the number of additional objects on both sides, because positions may shift in the meantime.
        """
        runs: list[range] = []
        start = stop = -1
        for position in self._missing_positions():
            if start < 0:
                start = position
            elif position > stop + gap or position >= start + page:
                runs.append(range(start, stop))
                start = position
                if len(runs) == most:
                    start = -1
                    break
            stop = position + 1
        if start >= 0:
            runs.append(range(start, stop))
        count = len(self._entries)
        return [range(max(0, run.start - margin), min(count, run.stop + margin)) for run in runs]

    def _missing_positions(self) -> Iterable[int]:
        if not self._missing:
            return ()
        if self._is_fresh:
            while self._read < len(self._entries) and type(self._entries[self._read]) is Object:
                self._read += 1
            return self._scan(self._read, len(self._entries))
        if self._told is None:
            return (position for position in sorted(self._olds) if type(self._entries[position]) is not Object)
        return self._scan(self._head, len(self._entries) - self._tail)

    def _scan(self, start: int, stop: int) -> Iterator[int]:
        entries = self._entries
        return (position for position in range(start, stop) if type(entries[position]) is not Object)

    def fill(self, offset: int, objects: Sequence[Object], revision: int) -> Step:
        """Applies objects that were read from a position on. Objects of another revision do not fit, and are ignored."""
        if revision != self.revision:
            return Step.CATCH_UP if revision > self.revision else Step.NONE
        entries = self._entries
        count = len(objects)
        if self._missing >= count and entries[offset : offset + count].count(None) == count:
            entries[offset : offset + count] = objects
            self._missing -= count
            return Step.NONE
        for position, entry in enumerate(objects[: len(entries) - offset], offset):
            # An unchanged object stays the Python object that was reported before.
            if type(entries[position]) is not Object:
                entries[position] = entry
                self._missing -= 1
        return Step.NONE

    # MARK: updates

    def apply(self, update: Update) -> Step:
        """Applies a transaction, by the contract's rule for clients."""
        if update.kind == "announce":
            return Step.CATCH_UP if update.revision > self.revision else Step.NONE
        if update.revision <= self.revision:
            return Step.NONE
        if update.base != self.revision:
            return Step.CATCH_UP
        if update.kind != "update":
            return Step.READ_ALL
        try:
            self._advance(update)
        except Mismatch:
            return Step.READ_ALL
        self.revision = update.revision
        if not self._is_fresh and self._weight > max(1000, len(self._entries)):
            self._begin(is_fresh=True)
        return Step.NONE

    def _advance(self, update: Update) -> None:
        sections = update.sections
        count = len(self._entries)
        for first, length in (*sections.deletes, *sections.reloads):
            if first + length > count:
                raise Mismatch(f"section {first + length - 1} of {count} does not exist")
        refreshed = [position for first, length in sections.reloads for position in range(first, first + length)]
        refreshed += [position for position in update.old_sections if position < count]
        if sections.deletes or sections.inserts or sections.moves:
            self._reorder(update, refreshed)
        else:
            refreshed += [position for position in update.new_sections if position < count]
            self._expect(update.count, count)
            for position in refreshed:
                self._mark(position)
            self._weigh(refreshed, refreshed, count, count)

    def _expect(self, expected: int, count: int) -> None:
        if expected not in (-1, count):
            raise Mismatch(f"{count} sections result instead of {expected}")

    def _mark(self, position: int) -> None:
        """Replaces an entry by a placeholder, because its content must be read."""
        entry = self._entries[position]
        if not isinstance(entry, Object):
            return
        if self._told is None and not self._is_fresh:
            self._olds.setdefault(position, entry)
        self._entries[position] = Stale(entry)
        self._missing += 1

    def _weigh(self, before: Sequence[int], after: Sequence[int], old_count: int, new_count: int) -> None:
        """Records a changed range, by its positions before and after."""
        for positions, count in ((before, old_count), (after, new_count)):
            if positions:
                self._head = min(self._head, min(positions))
                self._tail = min(self._tail, count - 1 - max(positions))
        self._weight += len(before) + len(after)
        self._read = min(self._read, self._head)

    def _reorder(self, update: Update, refreshed: list[int]) -> None:
        sections = update.sections
        count = len(self._entries)
        leaving = sorted(
            [position for first, length in sections.deletes for position in range(first, first + length)]
            + [move[0] for move in sections.moves]
        )
        arriving = sorted(
            [(position, -1) for first, length in sections.inserts for position in range(first, first + length)]
            + [(move[1], move[0]) for move in sections.moves],
            key=lambda arrival: arrival[0],
        )
        new_count = count - len(leaving) + len(arriving)
        if leaving and (leaving[-1] >= count or any(a == b for a, b in zip(leaving, leaving[1:]))):
            raise Mismatch("a section is removed twice, or does not exist")
        if arriving and (
            arriving[-1][0] >= new_count or any(a[0] == b[0] for a, b in zip(arriving, arriving[1:]))
        ):
            raise Mismatch("two sections arrive at the same position, or past the end")
        self._expect(update.count, new_count)
        self._keep_told()
        for position in refreshed:
            self._mark(position)
        moved = {move[0]: self._entries[move[0]] for move in sections.moves}
        self._missing -= sum(type(self._entries[position]) is not Object for position in leaving)
        self._take_out(leaving)
        arrivals = [(position, NEW if source < 0 else moved[source]) for position, source in arriving]
        self._put_in(arrivals)
        self._missing += sum(type(entry) is not Object for _, entry in arrivals)
        later = [position for position in update.new_sections if position < new_count]
        for position in later:
            self._mark(position)
        self._weigh(leaving + refreshed, [arrival[0] for arrival in arriving] + later, count, new_count)

    def _keep_told(self) -> None:
        """Copies the reported order before the order changes."""
        if self._told is not None or self._is_fresh:
            return
        told = self._entries.copy()
        for position, entry in self._olds.items():
            told[position] = entry
        self._olds.clear()
        self._told = cast(list[Object], told)

    def _take_out(self, positions: list[int]) -> None:
        entries = self._entries
        if len(positions) <= 16:
            for position in reversed(positions):
                del entries[position]
            return
        rest: list[Entry] = []
        following = 0
        for position in positions:
            rest += entries[following:position]
            following = position + 1
        rest += entries[following:]
        self._entries = rest

    def _put_in(self, arrivals: list[tuple[int, Entry]]) -> None:
        entries = self._entries
        if len(arrivals) <= 16:
            for position, entry in arrivals:
                entries.insert(position, entry)
            return
        made: list[Entry] = []
        taken = 0
        for position, entry in arrivals:
            absent = position - len(made)
            made += entries[taken : taken + absent]
            taken += absent
            made.append(entry)
        made += entries[taken:]
        self._entries = made

    # MARK: telling

    def take_changes(self) -> list[Change] | None:
        """Returns the changes since the last call, to be applied one by one; None until all content has been read.

        Complexity: O(changes) while only content changed, else O(n) copies and O(m log m) steps for the m objects between
        the first and the last that changed.
        """
        if self._missing:
            return None
        # No content is missing, so all entries are objects.
        entries = cast(list[Object], self._entries)
        changes: list[Change]
        if self._is_fresh:
            changes = [Replaced(tuple(entries))]
        elif self._told is None:
            changes = updates(entries, sorted(self._olds))
        else:
            changes = self._reordered(self._told, entries)
        self._begin(is_fresh=False)
        self._is_loaded = True
        return changes

    def take_known_objects(self) -> list[Change]:
        """Returns the known part of the list, while it changes faster than it can be read. New objects are missing, and
        contents may be outdated.

        Complexity: O(n).
        """
        known = [entry if isinstance(entry, Object) else entry.known for entry in self._entries if entry is not None]
        told = [entry for entry in known if entry is not None]
        self._begin(is_fresh=False)
        # The next report is the difference between the list and this report.
        self._told = told
        self._head = self._tail = 0
        return [Replaced(tuple(told), complete=False)]

    def _reordered(self, told: list[Object], entries: list[Object]) -> list[Change]:
        old = told[self._head : len(told) - self._tail]
        new = entries[self._head : len(entries) - self._tail]
        changes = steps(old, new, self._head)
        known = {entry.id: entry for entry in old}
        changed = []
        for position, entry in enumerate(new, self._head):
            before = known.get(entry.id)
            if before is not None and before is not entry:
                changed.append(position)
        return changes + updates(entries, changed)


def updates(entries: Sequence[Object], positions: Sequence[int]) -> list[Change]:
    """Returns changes for new content at ascending positions, as few as possible."""
    changes: list[Change] = []
    first = 0
    for number, position in enumerate(positions):
        if number + 1 == len(positions) or positions[number + 1] != position + 1:
            start = positions[first]
            changes.append(Updated(start, tuple(entries[start : position + 1])))
            first = number + 1
    return changes
