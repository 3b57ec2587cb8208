# SPDX-License-Identifier: Apache-2.0
"""Tracks which rows of a view with layout ``none`` are on the screen, without calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ._picture import Shown, Span

Slots: TypeAlias = Mapping[int, Shown]
Place: TypeAlias = tuple[int, int]


class Screen:
    """Follows the rows of the visible range as listd does, among the additional rows of ``overscan_items``.

    listd knows only the last requested range. While the wanted range is inside the picture, no call is made.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._overscan = int(options.get("overscan-items", 0))
        self._is_anchored = bool(options.get("anchor", True))
        self._is_anchored_at_start = bool(options.get("anchor-at-start", False))
        #: The rows on the screen as of the newest picture, by object and item, in their order.
        self._rows: list[tuple[str, int]] = []
        self._places: list[Place] = []
        #: Whether the range that listd knows stays at the start of the list.
        self._stays_at_start = False
        #: Whether the picture may have more rows than the visible ones. Otherwise the visible rows are not recorded.
        self._is_part = False
        #: The number of requested rows. The list may have fewer.
        self._length = 0

    @property
    def span(self) -> Span | None:
        """The rows on the screen; None when all rows of the picture are on the screen, or no range was set."""
        return Span(self._places[0], self._places[-1]) if self._is_part and self._places else None

    def range(self, shown: list[Place]) -> tuple[Place, Place] | None:
        """Returns the range to request from a view that is opened again: its visible rows, or those in ``shown``. The range is as
        long as the last requested one, even if the list had fewer rows."""
        places = self._places if self._is_part else sorted(shown)
        if not places:
            return None
        last, absent = places[-1], self._length - len(places)
        # Past the end, each section counts as one row.
        return places[0], (last[0] + absent, 0) if absent > 0 else last

    def reset(self) -> None:
        """Forgets all rows, because the view was opened again."""
        self._rows, self._places, self._length, self._is_part = [], [], 0, False

    def move_within_picture(self, first: Place, last: Place, slots: Slots) -> bool:
        """Sets a wanted range that is in the picture already. Returns False if listd must be called nevertheless.

        The wanted range follows its rows, and listd moves the range that it knows. The result is the same unless one of the two
        ranges starts at the start of the list.
        """
        if self._stays_at_start != self._would_stay(first):
            return False
        cells = _cells(slots)
        chosen = [number for number, cell in enumerate(cells) if first <= _place(cell) <= last]
        self._length = len(chosen)
        self._is_part = self._length < len(cells)
        self._choose(cells, chosen[0] if chosen else 0)
        return True

    def record_reply(self, first: Place, last: Place, slots: Slots) -> None:
        """Records that listd shows this range, clamped to the list."""
        cells = _cells(slots)
        places = [_place(cell) for cell in cells]
        within = sum(first <= place <= last for place in places)
        # Past the end, each section counts as one row.
        self._length = within + max(0, last[0] - max(first[0] - 1, places[-1][0])) if places else last[0] - first[0] + 1
        self._is_part = self._overscan > 0
        # Positions may have changed since the consumer's picture. But listd adds a fixed number of rows on both
        # sides, if the list has so many.
        before, beyond = sum(place < first for place in places), len(cells) - self._length - self._overscan
        is_whole = bool(places) and places[0] != (0, 0) and beyond != before
        self._choose(cells, self._overscan if beyond == self._overscan or is_whole else before)
        self._stays_at_start = bool(self._places) and self._would_stay(self._places[0])

    def record_picture(self, slots: Slots) -> None:
        """Updates the visible rows for another picture."""
        if not self._is_part:
            return
        cells = _cells(slots)
        known = {_row(cell): number for number, cell in enumerate(cells)}
        begin = sum(_place(cell) < self._places[0] for cell in cells) if self._places else 0
        if self._is_anchored:
            if self._places and self._would_stay(self._places[0]):
                begin = 0
            else:
                staying = ((known[row] - number) for number, row in enumerate(self._rows) if row in known)
                begin = next(staying, begin)
        self._choose(cells, begin)

    def _would_stay(self, first: Place) -> bool:
        """Whether a range with this start stays at the start of the list."""
        return first == (0, 0) and self._is_anchored and not self._is_anchored_at_start

    def _choose(self, cells: list[Shown], begin: int) -> None:
        begin = max(0, min(begin, len(cells) - self._length))
        chosen = cells[begin : begin + self._length]
        self._rows = [_row(cell) for cell in chosen]
        self._places = [_place(cell) for cell in chosen]


def _cells(slots: Slots) -> list[Shown]:
    return sorted((shown for shown in slots.values() if shown.kind == "cell"), key=_place)


def _place(shown: Shown) -> Place:
    return shown.section, shown.item


def _row(shown: Shown) -> tuple[str, int]:
    return shown.object_id, shown.item
