# SPDX-License-Identifier: Apache-2.0
"""Filters: lists that have some of the objects of another list."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ._errors import Disconnected, ListdError, NoSuchAdapter, ReadOnly, Unavailable
from ._link import Incarnation, Link
from ._list import List
from ._names import ADAPTER, MANAGER, MANAGER_PATH, OBJECT_MANAGER, PROPERTIES, adapter_path
from ._presence import Target
from ._values import checked_text, checked_texts, variants_of
from ._weak import weakly
from ._wire import Reply, Subscription

_numbers = itertools.count(1)


def source_argument(
    contains: str = "", fields: Iterable[str] = (), type: str | None = None, sort: str | None = None, limit: int = 0
) -> str:
    """Returns the text after ``?`` in a source ``list:NAME?…``."""
    pairs = [("contains", _encoded(contains))] if contains else []
    if keys := [_encoded(field) for field in checked_texts("fields", fields)]:
        pairs.append(("in", ",".join(keys)))
    if type is not None:
        pairs.append(("type", _encoded(type)))
    if sort is not None:
        pairs.append(("sort", _encoded(sort)))
    if limit:
        pairs.append(("limit", str(limit)))
    return "&".join(f"{key}={value}" for key, value in pairs)


def _encoded(text: str) -> str:
    return quote(checked_text(text), safe="")


class FilteredList(List):
    """The list of a filter, with objects of another list. It cannot be written, and exists as long as its :class:`Filter`."""

    def __init__(self, link: Link, filter: Filter) -> None:
        super().__init__(link, filter.name)
        self._target = filter._target
        self._filter = filter

    async def change(
        self,
        contains: str = "",
        fields: Iterable[str] = (),
        *,
        type: str | None = None,
        sort: str | None = None,
        limit: int = 0,
    ) -> int:
        """Changes the filter, for example while a user types. The list gets one update, with moves.

        :returns: the revision that contains the effect.
        """
        self._filter.argument = source_argument(contains, fields, type, sort, limit)
        return await self.set_source_argument(self._filter.argument)

    async def _write(
        self, member: str, signature: str, body: Sequence[Any], expected: int, descriptors: Sequence[int] = ()
    ) -> int:
        try:
            return await super()._write(member, signature, body, expected, descriptors)
        except ReadOnly:
            raise ReadOnly(f"a filter of the list {self._target.base!r} cannot be written: write to that list instead") from None

    def _missing(self) -> NoSuchAdapter:
        if self._filter._is_ended:
            return NoSuchAdapter(f"the filter of the list {self._target.base!r} has ended")
        return super()._missing()


class Filter:
    """A list that follows another list as long as the ``async with`` block runs. The block gets a :class:`FilteredList`.

    The filter belongs to the connection. After listd or the bus was away, the list is created again as soon as they and the other
    list are back, and programs that follow or view the list continue.

    :ivar name: the name of the filter's list.
    :ivar argument: the filter's conditions, as for :meth:`List.set_source_argument`.
    """

    def __init__(self, link: Link, base: Target, argument: str) -> None:
        self._link = link
        self._base = base
        self.argument = argument
        self.name = f"{base.name[:40]} {os.getpid()}.{next(_numbers)}"
        self._target = Target(self.name, base.patience, base.base or base.name)
        self._daemon: Incarnation | None = None
        self._lists: Subscription | None = None
        self._filling: asyncio.Future[None] | None = None
        self._is_ended = False

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and hasattr(FilteredList, name):
                raise AttributeError(f"a filter begins with its block: async with mail.filter(…) as hits: … hits.{name}(…)")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    async def __aenter__(self) -> FilteredList:
        body = [self.name, variants_of(self._options())]
        try:
            await self._link.call(MANAGER_PATH, MANAGER, "CreateAdapter", "sa{sv}", body, late=self._too_late)
        except NoSuchAdapter:
            raise self._target.missing() from None
        self._daemon = self._link.daemon
        self._link.watch(self)
        try:
            await self._filled()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return FilteredList(self._link, self)

    async def _filled(self) -> None:
        """Waits until the first pass over the other list is complete, or the daemon has ended."""
        daemon, path = self._daemon, adapter_path(self.name)
        if daemon is None:
            return
        self._filling = self._link.loop.create_future()

        def changed(member: str, body: list[Any]) -> None:
            state = body[1].get("State")
            if state is not None and state.value != "loading":
                self._end_filling()

        signals = daemon.listen(path, PROPERTIES, changed, lambda _: self._end_filling())
        try:
            if await self._link.property(path, ADAPTER, "State") == "loading":
                await self._filling
        except (Disconnected, Unavailable):
            pass
        finally:
            signals.cancel()

    def _end_filling(self) -> None:
        if self._filling is not None and not self._filling.done():
            self._filling.set_result(None)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_ended = True
        self._link.unwatch(self)
        self._end_waiting()
        if self._link.daemon is None:
            return
        try:
            await self._link.call(MANAGER_PATH, MANAGER, "RemoveAdapter", "s", [self.name])
        except NoSuchAdapter:
            pass

    def _options(self) -> dict[str, Any]:
        source = f"list:{_encoded(self._base.name)}" + (f"?{self.argument}" if self.argument else "")
        return {"source": source, "transient": True, "durability": "memory"}

    def _too_late(self, result: Reply | ListdError) -> None:
        """Removes the list after its creation was cancelled."""
        if isinstance(result, Reply) and self._link.daemon is not None:
            self._link.daemon.call(MANAGER_PATH, MANAGER, "RemoveAdapter", "s", [self.name], None)

    def _appeared(self, daemon: Incarnation) -> None:
        """Creates the filter in a daemon that does not have it."""
        if daemon is not self._daemon:
            self._daemon = daemon
            # Subscribed before the filter is created, so that the creation of the followed list in the meantime is
            # not missed.
            self._lists = daemon.listen(MANAGER_PATH, OBJECT_MANAGER, weakly(self._lists_changed))
            self._make(daemon)

    def _make(self, daemon: Incarnation) -> None:
        made = weakly(self._made)
        body = [self.name, variants_of(self._options())]
        daemon.call(MANAGER_PATH, MANAGER, "CreateAdapter", "sa{sv}", body, lambda result: made(result))

    def _made(self, result: Reply | ListdError) -> None:
        if not isinstance(result, NoSuchAdapter):
            self._end_waiting()

    def _lists_changed(self, member: str, body: list[Any]) -> None:
        if member == "InterfacesAdded" and body[0] == self._base.path and self._daemon is not None:
            self._make(self._daemon)

    def _end_waiting(self) -> None:
        if self._lists is not None:
            self._lists.cancel()
            self._lists = None

    def _vanished(self) -> None:
        """The daemon has ended, and the list with it."""
        self._end_waiting()
        self._end_filling()
