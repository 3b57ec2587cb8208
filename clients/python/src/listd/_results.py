# SPDX-License-Identifier: Apache-2.0
"""What reading a list answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._objects import Object


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, at a revision."""

    revision: int
    #: How many objects the whole list has.
    total: int
    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An object and where it stands, at a revision."""

    revision: int
    section: int
    object: Object


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items each of some sections has, at a revision."""

    revision: int
    #: The first section that was not counted: go on there.
    next_section: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search has found."""

    #: The revision that was searched.
    revision: int
    #: Its position in the list.
    section: int
    id: str


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a section, as its section controller made it."""

    section: int
    item: int
    reuse_identifier: str
    content: Mapping[str, Any]
