# SPDX-License-Identifier: Apache-2.0
"""What reading a list answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._objects import Object


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, at a revision.

    :ivar revision: the list's revision.
    :ivar total: how many objects the whole list has.
    :ivar objects: the objects, in their order.
    """

    revision: int
    total: int
    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An object and where it stands, at a revision.

    :ivar revision: the list's revision.
    :ivar section: its position in the list.
    :ivar object: the object.
    """

    revision: int
    section: int
    object: Object


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items each of some sections has, at a revision.

    :ivar revision: the list's revision.
    :ivar next_section: the first section that was not counted: go on there.
    :ivar counts: how many items each section has, from the first that was asked for.
    """

    revision: int
    next_section: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search has found.

    :ivar revision: the revision that was searched.
    :ivar section: its position in the list: ``await view.show(hit.section, hit.section + height - 1)`` shows it first.
    :ivar id: its id.
    """

    revision: int
    section: int
    id: str


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a section, as its section controller made it.

    :ivar section: the position of its section in the list.
    :ivar item: its number in the section.
    :ivar reuse_identifier: which kind of widget can show it.
    :ivar content: what the widget draws.
    """

    section: int
    item: int
    reuse_identifier: str
    content: Mapping[str, Any]
