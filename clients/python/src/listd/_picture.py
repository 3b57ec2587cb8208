# SPDX-License-Identifier: Apache-2.0
"""The picture of a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

from ._values import fields_of


class Point(NamedTuple):
    """A place in the content, in the units of the layout (points of a widget tree, cells of a terminal).

    :ivar x: from the left.
    :ivar y: from the top.
    """

    x: float
    y: float


class Size(NamedTuple):
    """Width and height, in the units of the layout.

    :ivar width: from left to right.
    :ivar height: from top to bottom.
    """

    width: float
    height: float


class Frame(NamedTuple):
    """The place and extent of an item in the content, in the units of the layout.

    :ivar x: its left edge.
    :ivar y: its upper edge.
    :ivar width: from left to right.
    :ivar height: from top to bottom.
    """

    x: float
    y: float
    width: float
    height: float


#: Why a slot came, left or moved: the item is new in the list, it is gone, an update changed its frame or index, or it was
#: made again with another reuse identifier.
Cause = Literal["inserted", "deleted", "moved", "reloaded"]


class Span(NamedTuple):
    """The first and the last of some rows, each as (section, item)."""

    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Shown:
    """An item in its slot.

    :ivar slot: the widget that shows it: the item keeps its slot until it leaves; then another item uses the slot.
    :ivar object_id: the object whose section the item belongs to; empty for the empty view.
    :ivar section: the section, which is the position of the object in the list.
    :ivar item: the item inside its section; 0 for header and footer.
    :ivar kind: ``cell``, ``header`` or ``footer``.
    :ivar reuse_identifier: the kind of widget that can show it: a slot never changes its reuse identifier.
    :ivar frame: its place in the content; zero in layout ``none``.
    :ivar z: higher ones cover lower ones.
    :ivar content: the content that the widget draws.
    """

    slot: int
    object_id: str
    section: int
    item: int
    kind: Literal["cell", "header", "footer"]
    reuse_identifier: str
    frame: Frame
    z: int
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of a view at one moment. Pictures are values: a later one does not change this one.

    :ivar sequence: the number of differences that listd has sent.
    :ivar revision: the revision of the shown list.
    :ivar content_size: the size of the whole content, in the units of the layout; zero in layout ``none``.
    :ivar offset: where the viewport is in the content: where the program has scrolled to, moved along with the items when
        something before them changes.
    :ivar slots: the shown items, by slot. Sticky headers lie where they belong at :attr:`offset`.
    :ivar opening: a number that changes when the view is opened again, after a restart of listd; the slots then stand for other
        widgets.
    :ivar animated: whether updates changed something since the picture that was read before, and all of them are animated.
    :ivar causes: why slots that are shown came or moved since the picture that was read before. A slot without an entry only
        scrolled.
    :ivar gone: why slots of the picture that was read before were released, in the same way.
    """

    sequence: int = 0
    revision: int = 0
    content_size: Size = Size(0, 0)
    offset: Point = Point(0, 0)
    slots: Mapping[int, Shown] = field(default_factory=dict)
    opening: int = 0
    animated: bool = False
    causes: Mapping[int, Cause] = field(default_factory=dict)
    gone: Mapping[int, Cause] = field(default_factory=dict)
    _screen: Frame | Span | None = field(default=None, repr=False)

    def rows(self) -> list[Shown]:
        """Returns the items in the order of the list, header first and footer last in each section."""
        return sorted(self.slots.values(), key=lambda shown: (shown.section, _KINDS[shown.kind], shown.item))

    def visible(self) -> list[Shown]:
        """Returns the :meth:`rows` that are on the screen, without the additional ones of ``buffer`` or ``overscan_items``.

        In layout ``none``, there are as many rows as the last :meth:`View.show` requested. They follow the list as the range
        does.
        """
        screen = self._screen
        if screen is None:
            return self.rows()
        if isinstance(screen, Frame):
            return [shown for shown in self.rows() if _meet(shown.frame, screen)]
        return [shown for shown in self.rows() if screen.first <= (shown.section, shown.item) <= screen.last]


def _meet(one: Frame, other: Frame) -> bool:
    """Whether two frames have an area in common."""
    is_beside = one.x >= other.x + other.width or other.x >= one.x + one.width
    return not is_beside and one.y < other.y + other.height and other.y < one.y + one.height


_KINDS = {"header": 0, "cell": 1, "footer": 2}


class Outcome(Enum):
    """The result of applying a difference to a picture."""

    APPLIED = 0
    #: The difference is older than the picture.
    IGNORED = 1
    #: A difference is missing, or a slot is not in the expected state: ``Resync`` is required.
    GAP = 2


def shown_of(row: list[Any]) -> Shown:
    """Decodes a row of ``a(usuuss(dddd)xa{sv})``."""
    slot, object_id, section, item, kind, reuse, frame, z, content = row
    return Shown(
        slot,
        object_id,
        section,
        item,
        cast('Literal["cell", "header", "footer"]', kind),
        reuse,
        Frame(*frame),
        z,
        fields_of(content),
    )


_CAUSES: dict[int, Cause] = {1: "inserted", 2: "deleted", 3: "moved", 4: "reloaded"}


class News:
    """What updates changed between two pictures, in any number of differences."""

    def __init__(self) -> None:
        #: Whether all updates are animated; None if there was none.
        self._animated: bool | None = None
        self._has_update = False
        self.causes: dict[int, Cause] = {}
        self.gone: dict[int, Cause] = {}
        self._fresh: set[int] = set()

    @property
    def animated(self) -> bool:
        """Whether there were updates, and all of them are animated."""
        return self._animated is True

    def add(self, released: list[int], shown: list[int], placed: list[int], details: Mapping[str, Any]) -> None:
        """Adds a difference."""
        waiting: dict[int, list[int]] = {}
        for slot, cause in details.get("causes", ()):
            waiting.setdefault(slot, []).append(cause)

        def cause_of(slot: int) -> Cause | None:
            return _CAUSES.get(waiting[slot].pop(0)) if waiting.get(slot) else None

        if waiting or details.get("animated"):
            # A change whose updates are not animated says so only by its causes.
            self._animated = bool(details.get("animated")) and self._animated is not False
        for slot in released:
            cause, before = cause_of(slot), self.causes.pop(slot, None)
            if slot in self._fresh:
                # The consumer never saw the item.
                self._fresh.discard(slot)
            elif (why := cause or before) is not None:
                self.gone[slot] = why
        for slot in shown:
            self._fresh.add(slot)
            self._note(slot, cause_of(slot))
        for slot in placed:
            cause = cause_of(slot)
            if slot not in self.causes:
                self._note(slot, cause)

    def _note(self, slot: int, cause: Cause | None) -> None:
        if cause is not None:
            self.causes[slot] = cause


class Canvas:
    """The newest picture, to which differences are applied. This class makes no calls."""

    def __init__(self) -> None:
        #: How far listd has moved the viewport, in all differences together.
        self.shift = Point(0, 0)
        #: Where sticky items travel along the scroll axis, by slot.
        self.sticky: dict[int, tuple[float, float]] = {}
        self.sticky_edge = 0.0
        #: What updates changed since :meth:`picture` was called last.
        self.news = News()
        self.sequence = 0
        self.revision = 0
        self.content_size = Size(0, 0)
        self.offset = Point(0, 0)
        self.slots: dict[int, Shown] = {}

    def resync(self, body: list[Any]) -> None:
        """Replaces the picture by the reply to ``Resync``."""
        self.sequence, self.revision = body[0], body[1]
        self.content_size, self.offset = Size(*body[2]), Point(*body[3])
        self.slots = {row[0]: shown_of(row) for row in body[4]}
        self.news = News()
        self.sticky = {}
        self._take_in({key: fact.value for key, fact in body[5].items()})

    def apply(self, body: list[Any]) -> Outcome:
        """Applies a ``Changed`` signal: release, show, place, rebind."""
        sequence, revision, content_size, offset, released, shown, placed, rebound, details = body
        if sequence <= self.sequence:
            return Outcome.IGNORED
        if sequence != self.sequence + 1:
            return Outcome.GAP
        slots = dict(self.slots)
        for slot in released:
            if slots.pop(slot, None) is None:
                return Outcome.GAP
        for row in shown:
            if row[0] in slots:
                return Outcome.GAP
            slots[row[0]] = shown_of(row)
        for slot, section, item, frame, z in placed:
            if slot not in slots:
                return Outcome.GAP
            slots[slot] = replace(slots[slot], section=section, item=item, frame=Frame(*frame), z=z)
        for slot, content in rebound:
            if slot not in slots:
                return Outcome.GAP
            slots[slot] = replace(slots[slot], content=fields_of(content))
        self.slots = slots
        self.sequence, self.revision = sequence, revision
        self.content_size, self.offset = Size(*content_size), Point(*offset)
        self.sticky = {slot: way for slot, way in self.sticky.items() if slot not in released}
        facts = {key: fact.value for key, fact in details.items()}
        self._take_in(facts)
        self.news.add(released, [row[0] for row in shown], [row[0] for row in placed], facts)
        return Outcome.APPLIED

    def _take_in(self, details: Mapping[str, Any]) -> None:
        x, y = details.get("shift", (0, 0))
        self.shift = Point(self.shift.x + x, self.shift.y + y)
        self.sticky = {**self.sticky, **{slot: (first, last) for slot, first, last in details.get("sticky", ())}}
        self.sticky_edge = details.get("sticky-edge", 0.0)

    def picture(
        self, offset: Point, opening: int, screen: Frame | Span | None = None, is_horizontal: bool = False
    ) -> Picture:
        """Returns the picture as a value. Later differences replace :attr:`slots` and never modify it."""
        news, self.news = self.news, News()
        slots = self.slots
        if self.sticky:
            edge = (offset.x if is_horizontal else offset.y) + self.sticky_edge
            slots = dict(slots)
            for slot, (first, last) in self.sticky.items():
                frame, place = slots[slot].frame, max(first, min(edge, last))
                frame = frame._replace(x=place) if is_horizontal else frame._replace(y=place)
                slots[slot] = replace(slots[slot], frame=frame)
        return Picture(
            self.sequence,
            self.revision,
            self.content_size,
            offset,
            MappingProxyType(slots),
            opening,
            news.animated,
            MappingProxyType(news.causes),
            MappingProxyType(news.gone),
            screen,
        )
