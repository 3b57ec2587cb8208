# SPDX-License-Identifier: Apache-2.0
"""Several changes at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

from ._values import checked_text, variants_of

Commit = Callable[[list[str], list[list[Any]]], Awaitable[int]]


def place(first: bool, last: bool, before: str | None, after: str | None) -> tuple[str, str]:
    """Returns the position and anchor of the contract.

    :raises ValueError: more than one place is named.
    """
    named = [name for name, given in (("first", first), ("last", last)) if given]
    named += [name for name, anchor in (("before", before), ("after", after)) if anchor is not None]
    if len(named) > 1:
        raise ValueError(f"only one position may be given, not {' and '.join(named)}")
    if before is not None:
        return "before", checked_text(before)
    if after is not None:
        return "after", checked_text(after)
    return (named[0], "") if named else ("keep", "")


class Transaction:
    """Changes that listd applies together, when the ``async with`` block ends; an exception in the block discards them.

    Without a change nothing is sent. :meth:`List.transaction` returns a transaction.

    :ivar revision: the list's revision with these changes, for :meth:`Follower.reached`; 0 before the end of the block, and when
        nothing was sent.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._removed: dict[str, None] = {}
        self._upserts: list[list[Any]] = []
        self.revision = 0

    def upsert(
        self,
        id: str,
        fields: Mapping[str, Any],
        type: str = "",
        *,
        first: bool = False,
        last: bool = False,
        before: str | None = None,
        after: str | None = None,
    ) -> None:
        """Inserts an object, or replaces the type and fields of an existing one.

        Without a position, an existing object keeps its position, and a new object becomes the last one. An anchor may be an
        object that this transaction inserts.

        :raises InvalidObject: D-Bus cannot carry a field.
        """
        position, anchor = place(first, last, before, after)
        self._upserts.append([checked_text(id), checked_text(type), position, anchor, variants_of(fields)])

    def remove(self, id: str) -> None:
        """Removes an object; an unknown id is ignored."""
        # Removals come first in the contract, so an earlier insert of the object need not be sent.
        self._upserts = [row for row in self._upserts if row[0] != id]
        self._removed[checked_text(id)] = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and (self._removed or self._upserts):
            self.revision = await self._commit(list(self._removed), self._upserts)
