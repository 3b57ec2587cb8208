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
    #: The revision of the list that is meant; None = the picture that was read last.
    revision: int | None = None

    @classmethod
    def of(
        cls, first: int | tuple[int, int], last: int | tuple[int, int], revision: int | None = None
    ) -> Range:
        """Sections, or (section, item).

        :raises InvalidArgs: a number is not a valid position, or last is before first.
        """
        made = cls(
            (first, 0) if isinstance(first, int) else first,
            (last, LAST) if isinstance(last, int) else last,
            revision,
        )
        if not all(0 <= number <= LAST for number in (*made.first, *made.last)):
            raise InvalidArgs(f"rows are numbered from 0 to {LAST}")
        if made.last < made.first:
            raise InvalidArgs(f"the last row {last} is before the first, {first}")
        return made

    def call(self, seen: int) -> tuple[str, str, list[Any]]:
        """Returns the call that requests the range."""
        return "SetVisibleRange", "tuuuu", [seen if self.revision is None else self.revision, *self.first, *self.last]


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

    def has_size_of(self, other: Viewport) -> bool:
        """Returns whether width and height are the same."""
        return (self.width, self.height) == (other.width, other.height)

    def call(self, seen: int) -> tuple[str, str, list[Any]]:
        """Returns the call that requests the viewport."""
        return "SetViewport", "tdddd", [seen, self.x, self.y, self.width, self.height]


class Window:
    """The requested viewport, the viewport that listd knows, and the difference between the two."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._buffer = float(options.get("buffer", 20.0))
        #: How far beyond the viewport that listd has confirmed the picture has items.
        self._reach = max(self._buffer, float(options.get("prefetch", 0.0)))
        self._screen = Screen(options)
        self._names_revisions = options.get("range-at") == "revision"
        self._seen_revision = 0
        self.is_horizontal = False
        #: Whether the picture has items beyond the viewport on all four sides.
        self.is_absolute = options.get("layout") == "absolute"
        self.wanted: Range | Viewport | None = None
        #: The sequence of the picture that the consumer read last; 0 = none.
        self.seen_sequence = 0
        #: Where the viewport really is, where it was requested last, and where listd has confirmed it: the picture covers that
        #: place. listd moves all three along with the items.
        self._place = self._known = self._covered = Point(0, 0)
        #: How far listd has moved the viewport, now, in the picture that the consumer read last, and when it set the viewport.
        self._shift = self._seen_shift = self._wanted_shift = Point(0, 0)
        #: The request that listd has confirmed.
        self._sent: Range | Viewport | None = None

    @property
    def place(self) -> Point:
        """The offset of the real viewport."""
        return self._place

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
        self._known = self._covered = self._shift = self._seen_shift = self._wanted_shift = Point(0, 0)

    def record_read(self, canvas: Canvas) -> None:
        """Records that the consumer has read a picture."""
        self.seen_sequence, self._seen_revision = canvas.sequence, canvas.revision
        self._seen_shift = self._shift

    def record_picture(self, canvas: Canvas) -> None:
        """Records another picture, for which listd may have moved the viewport."""
        moved = _distance(canvas.shift, self._shift)
        self._place, self._known = _sum(self._place, moved), _sum(self._known, moved)
        self._covered = _sum(self._covered, moved)
        self._shift = canvas.shift
        if isinstance(self.wanted, Range) and self._sent is None:
            self._screen.record_reply(self.wanted.first, self.wanted.last, canvas.slots)
        else:
            self._screen.record_picture(canvas.slots)

    def record_move(self, offset: Point) -> None:
        """Records that listd has moved the viewport by itself."""
        self._place = self._known = self._covered = offset
        if isinstance(self._sent, Viewport) and isinstance(self.wanted, Viewport):
            self.wanted = self._sent = Viewport(*offset, self._sent.width, self._sent.height)
            self._wanted_shift = self._shift

    def record_request(self, what: Range | Viewport) -> tuple[str, str, list[Any]]:
        """Records that the part is being requested. Returns the call."""
        if isinstance(what, Viewport):
            if isinstance(self._sent, Viewport) and not what.has_size_of(self._sent):
                # Until the reply, the picture may be that of either size.
                self._sent = None
            # listd adds the shifts since the picture that the consumer read, which may be a later one by now.
            self._place = self._known = _sum(Point(what.x, what.y), _distance(self._shift, self._wanted_shift))
            x, y = _sum(Point(what.x, what.y), _distance(self._seen_shift, self._wanted_shift))
            return Viewport(x, y, what.width, what.height).call(self.seen_sequence)
        return what.call(self._seen_revision if self._names_revisions else self.seen_sequence)

    def record_reply(self, what: Range | Viewport, canvas: Canvas) -> None:
        """Records listd's reply."""
        if isinstance(what, Range):
            self._screen.record_reply(what.first, what.last, canvas.slots)
        else:
            # A viewport that changes nothing in the picture is confirmed without another picture.
            self._covered = canvas.offset = self._known
        self._sent = what

    def record_refusal(self, what: Range | Viewport) -> None:
        """Records that listd refuses the request and leaves the view as it was."""
        self._known = self._covered
        if self.wanted is what:
            self.wanted = None

    def set_wanted(self, what: Range | Viewport, canvas: Canvas, is_settled: bool) -> bool:
        """Sets the requested part. Returns whether the picture shows it already; a range only if no request is unanswered."""
        self.wanted = what
        self._wanted_shift = self._seen_shift
        if isinstance(what, Range):
            if not is_settled or what.revision is not None:
                return False
            # Rows are those of the picture that the consumer read; listd knows later moves.
            if not isinstance(self._sent, Range) or self.seen_sequence != canvas.sequence or not _shows(canvas, what):
                return False
            return self._screen.move_within_picture(what.first, what.last, canvas.slots)
        self._place = _sum(Point(what.x, what.y), _distance(self._shift, self._seen_shift))
        if not isinstance(self._sent, Viewport) or not what.has_size_of(self._sent):
            return False
        # While a call is under way, the picture may already be the one that it asks for.
        return self._reaches_from(self._covered) and self._reaches_from(canvas.offset)

    def _reaches_from(self, origin: Point) -> bool:
        """Returns whether a picture that was made for the viewport at another place has the items of the viewport."""
        along, across = self._drift(origin)
        return abs(along) <= self._reach and abs(across) <= (self._reach if self.is_absolute else 0)

    @property
    def must_tell(self) -> bool:
        """Whether listd has to know where the viewport is, because other items are displayed there."""
        along, across = self._drift(self._known)
        return isinstance(self.wanted, Viewport) and (abs(along) > self._buffer or abs(across) > self._buffer)

    def _drift(self, origin: Point) -> tuple[float, float]:
        """Returns how far the viewport is from another place, along the scroll axis and across."""
        drift = _distance(self._place, origin)
        return (drift.x, drift.y) if self.is_horizontal else (drift.y, drift.x)


def _sum(one: Point, other: Point) -> Point:
    return Point(one.x + other.x, one.y + other.y)


def _distance(one: Point, other: Point) -> Point:
    return Point(one.x - other.x, one.y - other.y)


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
