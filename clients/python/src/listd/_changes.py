# SPDX-License-Identifier: Apache-2.0
"""What happened to a list that is followed."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ._objects import Object


@dataclass(frozen=True, slots=True)
class Inserted:
    """Objects were put in: the first one is at ``index`` now, what stood there stands behind the last one.

    :ivar index: the position of the first one.
    :ivar objects: the objects, in their order.
    """

    index: int
    objects: Sequence[Object]

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Does the same to a copy of the list."""
        rows[self.index : self.index] = self.objects


@dataclass(frozen=True, slots=True)
class Removed:
    """``count`` objects from ``index`` on were taken out.

    :ivar index: the position of the first one.
    :ivar count: how many.
    """

    index: int
    count: int

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Does the same to a copy of the list."""
        del rows[self.index : self.index + self.count]


@dataclass(frozen=True, slots=True)
class Moved:
    """The object at ``old`` was taken out and put in at ``new``, a position in the list without it.

    :ivar old: its position before.
    :ivar new: its position in the list without it.
    """

    old: int
    new: int

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Does the same to a copy of the list."""
        rows.insert(self.new, rows.pop(self.old))


@dataclass(frozen=True, slots=True)
class Updated:
    """The objects from ``index`` on have new content, and keep their places.

    :ivar index: the position of the first one.
    :ivar objects: the objects with their new content, in their order.
    """

    index: int
    objects: Sequence[Object]

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Does the same to a copy of the list."""
        rows[self.index : self.index + len(self.objects)] = self.objects


@dataclass(frozen=True, slots=True)
class Replaced:
    """The list is another one as a whole: the first change that is told, and what many changes compose to.

    :ivar objects: all objects, in their order.
    :ivar complete: false when the list changes faster than it can be read: then these are the objects that are known, new ones may
        be missing and contents be older, and the changes that follow bring what is missing.
    """

    objects: Sequence[Object]
    complete: bool = True

    def apply(self, rows: MutableSequence[Object]) -> None:
        """Does the same to a copy of the list."""
        rows[:] = self.objects


#: What happened to a list. Whoever applies changes one by one, in their order, has the list: positions are those that
#: the changes before left.
Change: TypeAlias = Inserted | Removed | Moved | Updated | Replaced
