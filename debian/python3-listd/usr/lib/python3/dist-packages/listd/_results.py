# SPDX-License-Identifier: Apache-2.0
"""Results of reading a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._objects import Object


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list's objects, at a revision.

    :ivar revision: the list's revision.
    :ivar total: the number of objects in the whole list.
    :ivar objects: the objects, in their order.
    """

    revision: int
    total: int
    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An object and its position, at a revision.

    :ivar revision: the list's revision.
    :ivar section: its position in the list.
    :ivar object: the object.
    """

    revision: int
    section: int
    object: Object


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """The numbers of items of some sections, at a revision.

    :ivar revision: the list's revision.
    :ivar next_section: the first section that was not counted: continue there.
    :ivar counts: the number of items of each section, from the requested one on.
    """

    revision: int
    next_section: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search has found.

    :ivar revision: the revision that was searched.
    :ivar section: its position in the list: ``await view.show(hit.section, hit.section + height - 1)`` shows the object first.
    :ivar id: its id.
    """

    revision: int
    section: int
    id: str


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a section, as its section controller made it.

    :ivar section: the position of its section in the list.
    :ivar item: its index in the section.
    :ivar reuse_identifier: the kind of widget that can show it.
    :ivar content: the content that the widget draws.
    """

    section: int
    item: int
    reuse_identifier: str
    content: Mapping[str, Any]
