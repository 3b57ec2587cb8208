# SPDX-License-Identifier: Apache-2.0
"""Lists made from lists: what is wanted of one, as a list of its own."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Iterable
from types import TracebackType
from typing import Any
from urllib.parse import quote

from ._errors import Disconnected, ListdError, NoSuchAdapter, Unavailable
from ._link import Incarnation, Link
from ._list import List
from ._names import ADAPTER, MANAGER, MANAGER_PATH, PROPERTIES, adapter_path
from ._values import checked_text, checked_texts, variants_of
from ._wire import Reply

_numbers = itertools.count(1)


def source_argument(
    contains: str = "", fields: Iterable[str] = (), type: str | None = None, sort: str | None = None, limit: int = 0
) -> str:
    """What follows ``?`` in a source ``list:NAME?…``."""
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
    """Those objects of another list that are wanted. It is written by nobody, and lives as long as its :class:`Filter`."""

    def __init__(self, link: Link, filter: Filter) -> None:
        super().__init__(link, filter.name)
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
        """Wants others, as somebody types: one update of the list, with its moves.

        :returns: the revision that contains the effect.
        """
        self._filter.argument = source_argument(contains, fields, type, sort, limit)
        return await self.set_source_argument(self._filter.argument)


class Filter:
    """A list that follows another one, as long as the ``async with`` block runs.

    It belongs to the connection: when listd or the bus is away, it is made again as soon as they are back, and those who
    follow or view it go on.
    """

    def __init__(self, link: Link, base: str, argument: str) -> None:
        self._link = link
        self._base = base
        #: What is wanted, as ``SetSourceArgument`` has it.
        self.argument = argument
        #: The name of the list.
        self.name = f"{base[:40]} {os.getpid()}.{next(_numbers)}"
        self._daemon: Incarnation | None = None
        self._filling: asyncio.Future[None] | None = None

    async def __aenter__(self) -> FilteredList:
        body = [self.name, variants_of(self._options())]
        await self._link.call(MANAGER_PATH, MANAGER, "CreateAdapter", "sa{sv}", body, late=self._too_late)
        self._daemon = self._link.daemon
        self._link.watch(self)
        try:
            await self._filled()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return FilteredList(self._link, self)

    async def _filled(self) -> None:
        """Waits until the first look at the other list is over; a daemon that goes meanwhile ends the waiting too."""
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
        self._link.unwatch(self)
        if self._link.daemon is None:
            return
        try:
            await self._link.call(MANAGER_PATH, MANAGER, "RemoveAdapter", "s", [self.name])
        except NoSuchAdapter:
            pass

    def _options(self) -> dict[str, Any]:
        source = f"list:{_encoded(self._base)}" + (f"?{self.argument}" if self.argument else "")
        return {"source": source, "transient": True, "durability": "memory"}

    def _too_late(self, result: Reply | ListdError) -> None:
        """Somebody cancelled: the list that was made all the same goes."""
        if isinstance(result, Reply) and self._link.daemon is not None:
            self._link.daemon.call(MANAGER_PATH, MANAGER, "RemoveAdapter", "s", [self.name], None)

    def appeared(self, daemon: Incarnation) -> None:
        """A daemon answers: one that has not heard of the list is told."""
        if daemon is not self._daemon:
            self._daemon = daemon
            body = [self.name, variants_of(self._options())]
            daemon.call(MANAGER_PATH, MANAGER, "CreateAdapter", "sa{sv}", body, None)

    def vanished(self) -> None:
        """The daemon is gone, and the list with it."""
        self._end_filling()
