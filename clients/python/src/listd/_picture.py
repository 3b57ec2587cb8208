# SPDX-License-Identifier: Apache-2.0
"""What a view shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, cast

from ._values import fields_of


class Point(NamedTuple):
    """A place in the content, in the units of the layout (points of a widget tree, cells of a terminal)."""

    x: float
    y: float


class Size(NamedTuple):
    """Width and height, in the units of the layout."""

    width: float
    height: float


class Frame(NamedTuple):
    """The place and extent of an item in the content, in the units of the layout."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Shown:
    """An item in its slot."""

    #: The widget that shows it: it keeps its number until the item leaves, and is used again for another item then.
    slot: int
    #: The object whose section the item belongs to; empty for the empty view.
    object_id: str
    #: The section, which is the position of the object in the list.
    section: int
    #: The item inside its section; 0 for header and footer.
    item: int
    kind: Literal["cell", "header", "footer"]
    #: Which kind of widget can show it: a slot never changes its reuse identifier.
    reuse_identifier: str
    #: Its place in the content; zero in layout ``none``.
    frame: Frame
    #: Higher ones cover lower ones.
    z: int
    #: What the widget draws.
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """What a view shows at one moment. Pictures are values: the next one does not change this one."""

    #: Counts the differences that listd has sent.
    sequence: int = 0
    #: The list's revision that is shown.
    revision: int = 0
    content_size: Size = Size(0, 0)
    #: Where the viewport starts in the content.
    offset: Point = Point(0, 0)
    #: What is shown, by slot.
    slots: Mapping[int, Shown] = field(default_factory=dict)
    #: Another number means that the view was opened anew, after a restart of listd: its slots are other widgets.
    opening: int = 0

    def rows(self) -> list[Shown]:
        """The items in the order of the list, header first and footer last in each section."""
        return sorted(self.slots.values(), key=lambda shown: (shown.section, _KINDS[shown.kind], shown.item))


_KINDS = {"header": 0, "cell": 1, "footer": 2}


class Outcome(Enum):
    """Whether a difference fitted."""

    APPLIED = 0
    #: Older than what is shown.
    IGNORED = 1
    #: A sequence is missing, or a slot is not what the difference expects: ``Resync``.
    GAP = 2


def shown_of(row: list[Any]) -> Shown:
    """A row of ``a(usuuss(dddd)xa{sv})``."""
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


class Canvas:
    """The newest picture, which takes in differences: pure."""

    def __init__(self) -> None:
        self.sequence = 0
        self.revision = 0
        self.content_size = Size(0, 0)
        self.offset = Point(0, 0)
        self.slots: dict[int, Shown] = {}

    def resync(self, body: list[Any]) -> None:
        """The answer of ``Resync``."""
        self.sequence, self.revision = body[0], body[1]
        self.content_size, self.offset = Size(*body[2]), Point(*body[3])
        self.slots = {row[0]: shown_of(row) for row in body[4]}

    def apply(self, body: list[Any]) -> Outcome:
        """A ``Changed``: release, show, place, rebind."""
        sequence, revision, content_size, offset, released, shown, placed, rebound = body
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
        return Outcome.APPLIED

    def picture(self, offset: Point, opening: int) -> Picture:
        """The picture as a value; differences replace :attr:`slots` and never change it."""
        return Picture(
            self.sequence, self.revision, self.content_size, offset, MappingProxyType(self.slots), opening
        )
