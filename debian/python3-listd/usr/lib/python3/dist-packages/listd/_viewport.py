# SPDX-License-Identifier: Apache-2.0
"""The requested range or viewport of a view, and whether the picture shows it already."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._errors import InvalidArgs
from ._picture import Canvas, Frame, Point, Span
from ._screen import Screen

LAST = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Range:
    """The first and the last visible item of a view with layout ``none``."""

    first: tuple[int, int]
    last: tuple[int, int]

    @classmethod
    def of(cls, first: int | tuple[int, int], last: int | tuple[int, int]) -> Range:
        """Sections, or (section, item).

        :raises InvalidArgs: a number is not a valid position, or last is before first.
        """
        made = cls((first, 0) if isinstance(first, int) else first, (last, LAST) if isinstance(last, int) else last)
        if not all(0 <= number <= LAST for number in (*made.first, *made.last)):
            raise InvalidArgs(f"rows are numbered from 0 to {LAST}")
        if made.last < made.first:
            raise InvalidArgs(f"the last row {last} is before the first, {first}")
        return made

    def call(self, seen: int) -> tuple[str, str, list[Any]]:
        """Returns the call that requests the range."""
        return "SetVisibleRange", "tuuuu", [seen, *self.first, *self.last]


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible part of the content."""

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        numbers = (self.x, self.y, self.width, self.height)
        if not all(math.isfinite(number) for number in numbers):
            raise InvalidArgs(f"the numbers of a viewport must be finite, not {numbers}")
        if self.width < 0 or self.height < 0:
            raise InvalidArgs(f"the size of a viewport must not be negative: {self.width} × {self.height}")

    def call(self, seen: int) -> tuple[str, str, list[Any]]:
        """Returns the call that requests the viewport."""
        return "SetViewport", "tdddd", [seen, self.x, self.y, self.width, self.height]


class Window:
    """The requested viewport, the viewport that listd knows, and the difference between the two."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._buffer = float(options.get("buffer", 20.0))
        self._screen = Screen(options)
        self.is_horizontal = False
        self.wanted: Range | Viewport | None = None
        #: The sequence of the picture that the consumer read last; 0 = none.
        self.seen_sequence = 0
        #: The viewport's offset as listd knows it, now and in the picture that the consumer read last.
        self._offset = self._seen_offset = Point(0, 0)
        #: The request that listd has confirmed; None when it may be outdated.
        self._sent: Range | Viewport | None = None
        self._expected = Point(0, 0)
        self._sequence = 0
        #: The distance between the real viewport and the one that listd knows.
        self._drift = Point(0, 0)

    @property
    def place(self) -> Point:
        """The offset of the real viewport."""
        return Point(self._offset.x + self._drift.x, self._offset.y + self._drift.y)

    @property
    def screen(self) -> Frame | Span | None:
        """The visible part; None when the whole picture is visible, or no part was requested."""
        if isinstance(self.wanted, Viewport):
            return Frame(*self.place, self.wanted.width, self.wanted.height)
        return self._screen.span

    def prepare_reopening(self, before: Canvas) -> None:
        """Prepares a view that was opened again and has no viewport: requests the last position."""
        if isinstance(self.wanted, Viewport):
            self.wanted = Viewport(*self.place, self.wanted.width, self.wanted.height)
        elif isinstance(self._sent, Range) and (places := self._screen.range(_places(before))):
            # listd has moved the viewport with its rows.
            self.wanted = Range(*places)
        self._screen.reset()
        self.seen_sequence = 0
        self._sent = None
        self._offset = self._seen_offset = self._drift = Point(0, 0)

    def record_read(self, sequence: int) -> None:
        """Records that the consumer has read a picture."""
        self.seen_sequence = sequence
        self._seen_offset = self._offset

    def record_picture(self, canvas: Canvas) -> None:
        """Records another picture, with the offset of the viewport."""
        self._offset = canvas.offset
        if isinstance(self.wanted, Range) and self._sent is None:
            self._screen.record_reply(self.wanted.first, self.wanted.last, canvas.slots)
        else:
            self._screen.record_picture(canvas.slots)

    def record_move(self, offset: Point) -> None:
        """Records that listd has moved the viewport by itself."""
        self._offset = offset
        self._drift = Point(0, 0)
        if isinstance(self._sent, Viewport) and isinstance(self.wanted, Viewport):
            self.wanted = self._sent = Viewport(*offset, self._sent.width, self._sent.height)

    def record_request(self, what: Range | Viewport, sequence: int) -> None:
        """Records that the part is being requested."""
        self._sequence = sequence
        if isinstance(what, Viewport):
            # listd adds the shifts since the picture that the consumer read.
            shift = Point(self._offset.x - self._seen_offset.x, self._offset.y - self._seen_offset.y)
            self._expected = Point(what.x + shift.x, what.y + shift.y)

    def record_reply(self, what: Range | Viewport, canvas: Canvas) -> None:
        """Records listd's reply. For a viewport that shows nothing new, no picture follows."""
        sequence = canvas.sequence
        self._drift = Point(0, 0)
        if isinstance(what, Range):
            self._screen.record_reply(what.first, what.last, canvas.slots)
        if isinstance(what, Viewport) and sequence == self._sequence:
            self._offset = self._expected
        self._sent = what if isinstance(what, Range) or self._offset == self._expected else None

    def set_wanted(self, what: Range | Viewport, canvas: Canvas, is_settled: bool) -> bool:
        """Sets the requested part. Returns whether the picture shows it already."""
        self.wanted = what
        if not is_settled:
            return False
        if isinstance(what, Range):
            # Rows are those of the picture that the consumer read; listd knows later moves.
            if not isinstance(self._sent, Range) or self.seen_sequence != canvas.sequence or not _shows(canvas, what):
                return False
            return self._screen.move_within_picture(what.first, what.last, canvas.slots)
        if not isinstance(self._sent, Viewport) or (what.width, what.height) != (self._sent.width, self._sent.height):
            return False
        drift = Point(what.x - self._seen_offset.x, what.y - self._seen_offset.y)
        along, across = (drift.x, drift.y) if self.is_horizontal else (drift.y, drift.x)
        if across != 0 or abs(along) > self._buffer:
            return False
        self._drift = drift
        return True


def _places(canvas: Canvas) -> list[tuple[int, int]]:
    return [(entry.section, entry.item) for entry in canvas.slots.values() if entry.kind == "cell"]


def _shows(canvas: Canvas, wanted: Range) -> bool:
    """Returns whether a whole range is in the picture, which has no gaps between its ends."""
    shown = _places(canvas)
    if not shown:
        return False
    first, last = min(shown), max(shown)
    # If all items of the last section are requested, an item of the next section shows that they are complete.
    return first <= wanted.first and (wanted.last <= last or wanted.last[0] < last[0])
