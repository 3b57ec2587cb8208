# SPDX-License-Identifier: Apache-2.0
"""Computes the steps from one order of a list to another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ._changes import Change, Inserted, Moved, Removed
from ._objects import Object


def steps(old: Sequence[Object], new: Sequence[Object], start: int) -> list[Change]:
    """Returns the changes of order from ``old`` to ``new``, whose first position is ``start``: removals from the back, then
    inserts and moves from the front. As few objects as possible move.

    Complexity: O(m log m) for m objects.
    """
    places = {entry.id: place for place, entry in enumerate(new)}
    kept: list[int] = []
    gone: list[int] = []
    for position, entry in enumerate(old):
        place = places.get(entry.id)
        if place is None:
            gone.append(start + position)
        else:
            kept.append(place)
    changes = _removals(gone)
    changes += _arrivals(kept, new, start)
    return changes


def _removals(gone: list[int]) -> list[Change]:
    changes: list[Change] = []
    count = 0
    for number in range(len(gone) - 1, -1, -1):
        count += 1
        if number == 0 or gone[number - 1] != gone[number] - 1:
            changes.append(Removed(gone[number], count))
            count = 0
    return changes


def _arrivals(kept: list[int], new: Sequence[Object], start: int) -> list[Change]:
    """Walks through the new order from the front.

    Objects that stay divide the list into gaps. An object that arrives in a gap is placed before the objects of this gap that
    still wait for their move. So an arrival at ``place`` of the new order follows the first ``place`` objects of that order, and
    the waiting objects of earlier gaps.
    """
    if len(kept) == len(new) and all(a < b for a, b in zip(kept, kept[1:])):
        return []
    staying = set(longest_ascending(kept))
    waiting = _WaitingMoves(kept, staying)
    changes: list[Change] = []
    run: list[Object] = []
    run_at = gap = 0
    gaps_of_arrivals: list[int] = []
    for place, entry in enumerate(new):
        if place in staying:
            gap += 1
            continue
        source = waiting.take(place, gaps_of_arrivals)
        position = start + place + waiting.count_before(gap)
        gaps_of_arrivals.append(gap)
        if run and (source is not None or position != run_at + len(run)):
            changes.append(Inserted(run_at, tuple(run)))
            run = []
        if source is not None:
            changes.append(Moved(start + source, position))
        else:
            if not run:
                run_at = position
            run.append(entry)
    if run:
        changes.append(Inserted(run_at, tuple(run)))
    return changes


def longest_ascending(numbers: Sequence[int]) -> list[int]:
    """Returns the longest ascending subsequence of distinct numbers."""
    ends: list[int] = []  # ends[k]: the smallest last number of an ascending subsequence of k + 1 numbers
    at: list[int] = []  # the index in `numbers` of each element of `ends`
    previous = [-1] * len(numbers)
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        if length > 0:
            previous[index] = at[length - 1]
        if length == len(ends):
            ends.append(number)
            at.append(index)
        else:
            ends[length] = number
            at[length] = index
    choice: list[int] = []
    index = at[-1] if at else -1
    while index >= 0:
        choice.append(numbers[index])
        index = previous[index]
    choice.reverse()
    return choice


class _WaitingMoves:
    """The objects that still wait for their move, in their old order, while others are placed around them."""

    def __init__(self, kept: Sequence[int], staying: set[int]) -> None:
        #: The gap of each waiting object: the number of staying objects before it. Ascending.
        self._gaps: list[int] = []
        self._numbers: dict[int, int] = {}
        gap = 0
        for place in kept:
            if place in staying:
                gap += 1
            else:
                self._numbers[place] = len(self._gaps)
                self._gaps.append(gap)
        # The number of waiting objects as a Fenwick tree: prefix sums in O(log n).
        self._sums = [place & -place for place in range(len(self._gaps) + 1)]

    def count_before(self, gap: int) -> int:
        """Returns the number of waiting objects in earlier gaps."""
        return self._among(bisect_left(self._gaps, gap)) if self._gaps else 0

    def take(self, place: int, arrivals: list[int]) -> int | None:
        """Removes a waiting object. Returns its position, given the ascending gaps of the arrivals so far; None when the object
        does not wait."""
        number = self._numbers.pop(place, None)
        if number is None:
            return None
        gap = self._gaps[number]
        position = gap + bisect_right(arrivals, gap) + self._among(number)
        node = number + 1
        while node < len(self._sums):
            self._sums[node] -= 1
            node += node & -node
        return position

    def _among(self, first: int) -> int:
        total = 0
        while first > 0:
            total += self._sums[first]
            first &= first - 1
        return total
