# SPDX-License-Identifier: Apache-2.0
"""Changes of a followed list."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ._objects import Object


@dataclass(frozen=True, slots=True)
class Inserted:
    """Objects were inserted, the first of them at ``index``. The objects that were at ``index`` and behind it follow the last
    inserted one.

    :ivar index: the position of the first inserted object.
    :ivar objects: the objects, in their order.
    """

    index: int
    objects: Sequence[Object]

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Applies the change to a copy of the list."""
        rows[self.index : self.index] = self.objects


@dataclass(frozen=True, slots=True)
class Removed:
    """``count`` objects from ``index`` on were removed.

    :ivar index: the position of the first removed object.
    :ivar count: the number of objects.
    """

    index: int
    count: int

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Applies the change to a copy of the list."""
        del rows[self.index : self.index + self.count]


@dataclass(frozen=True, slots=True)
class Moved:
    """The object at ``old`` was removed, and then inserted at ``new``.

    :ivar old: the position of the object before the move.
    :ivar new: the position to insert the object at, after it was removed.
    """

    old: int
    new: int

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Applies the change to a copy of the list."""
        rows.insert(self.new, rows.pop(self.old))


@dataclass(frozen=True, slots=True)
class Updated:
    """The objects from ``index`` on have new content, and keep their positions.

    :ivar index: the position of the first changed object.
    :ivar objects: the objects with their new content, in their order.
    """

    index: int
    objects: Sequence[Object]

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Applies the change to a copy of the list."""
        rows[self.index : self.index + len(self.objects)] = self.objects


@dataclass(frozen=True, slots=True)
class Replaced:
    """The whole list was replaced. This is the first change of a follower, and the result of coalescing many changes.

    :ivar objects: all objects, in their order.
    :ivar complete: false when the list changes faster than it can be read. Then ``objects`` are the known objects: new objects
        may be missing, contents may be outdated, and later changes supply the rest.
    """

    objects: Sequence[Object]
    complete: bool = True

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Applies the change to a copy of the list."""
        rows[:] = self.objects


#: A change of a list. Applying changes one by one, in their order, keeps a copy of the list up to date: positions
#: refer to the list after the previous changes.
Change: TypeAlias = Inserted | Removed | Moved | Updated | Replaced
