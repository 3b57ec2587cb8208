# SPDX-License-Identifier: Apache-2.0
"""Connecting to listd, and its manager."""

from __future__ import annotations

import asyncio
import builtins
import os
import warnings
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, Unpack, cast

from ._errors import AdapterExists, InvalidArgs, NoSuchAdapter, NoSuchPlugin, Unavailable, UnknownObject
from ._info import (
    ClientInfo,
    ListInfo,
    LogLevel,
    Loss,
    ManagerProperties,
    PluginInfo,
    PluginProperties,
    ViewInfo,
    client_info,
    list_info,
    losses,
    manager_properties,
    plugin_info,
    plugin_properties,
    view_info,
)
from ._link import Incarnation, Link, address_of
from ._list import List
from ._names import (
    LOG_CONTROL,
    LOG_CONTROL_PATH,
    MANAGER,
    MANAGER_PATH,
    PLUGIN,
    PROPERTIES,
    did_you_mean,
    plugin_path,
)
from ._options import ListOptions, option_values
from ._values import checked_text, plain, variant_of, variants_of
from ._weak import weakly
from ._wire import Subscription


class Daemon:
    """A client of listd, over a connection that is restored automatically until it is closed. :func:`connect` returns one."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def address(self) -> str:
        """The D-Bus address of the bus, or of listd itself."""
        return self._link.address

    @property
    def is_available(self) -> bool:
        """Whether listd can be called at the moment."""
        return self._link.daemon is not None

    async def wait_available(self) -> None:
        """Waits until listd can be called.

        :raises Unavailable: the connection was closed.
        """
        await self._link.wait()

    async def close(self) -> None:
        """Ends the connection: views close, iterations end with :exc:`Unavailable`. A second call has no effect."""
        self._link.close()
        await self._link.wait_closed()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        if not self._link.is_closed:
            warnings.warn(f"unclosed connection to {self._link.address}", ResourceWarning, source=self)
            if not self._link.loop.is_closed():
                self._link.loop.call_soon_threadsafe(self._link.close)

    # MARK: lists

    async def list(self, name: str) -> List:
        """The list with a name.

        :raises NoSuchAdapter: no list has the name.
        """
        with _naming(name):
            await self._link.call(MANAGER_PATH, MANAGER, "GetAdapter", "s", [checked_text(name)])
        return List(self._link, name)

    async def create(self, name: str, **options: Unpack[ListOptions]) -> List:
        """Creates a list.

        :param options: see :class:`ListOptions`.
        :raises AdapterExists: a list has the name already.
        :raises InvalidArgs: an option is wrong; the message names it.
        :raises AccessDenied: the user may not create lists.
        """
        body = [checked_text(name), variants_of(option_values(options))]
        with _naming(None, name):  # the missing list may be the one that the source follows
            await self._link.call(MANAGER_PATH, MANAGER, "CreateAdapter", "sa{sv}", body)
        return List(self._link, name)

    async def ensure(self, name: str, **options: Unpack[ListOptions]) -> List:
        """Returns the list with a name, and creates it with these options unless it exists. An existing list keeps its own
        options.

        :param options: see :class:`ListOptions`.
        :raises InvalidArgs: an option is wrong, even if the list exists; the message names it.
        :raises AccessDenied: the list does not exist, and the user may not create lists.
        """
        values = option_values(options)
        try:
            there = await self.list(name)
            await _check_names(there, values)
            return there
        except NoSuchAdapter:
            pass
        try:
            return await self.create(name, **options)
        except AdapterExists:
            return await self.list(name)

    async def remove(self, name: str) -> None:
        """Removes a list, with its views.

        :raises NoSuchAdapter: no list has the name.
        :raises AccessDenied: the list is configured, or another user's.
        """
        with _naming(name):
            await self._link.call(MANAGER_PATH, MANAGER, "RemoveAdapter", "s", [checked_text(name)])

    async def lists(self) -> builtins.list[ListInfo]:
        """All lists, each with its state, its owner, and what else the user may know, by name."""
        rows = await self._rows("ListAdapters")
        return [list_info(name, path, _plain(values)) for name, path, values in rows]

    async def rename(self, old: str, new: str) -> None:
        """Renames a list: its views close and subscriptions end; contents, epoch and revision stay.

        :raises NoSuchAdapter: no list has the old name.
        :raises AdapterExists: a list has the new name already.
        :raises AccessDenied: the list is configured, or another user's.
        """
        body = [checked_text(old), checked_text(new)]
        with _naming(old, new):
            await self._link.call(MANAGER_PATH, MANAGER, "RenameAdapter", "ss", body)

    async def clients(self) -> builtins.list[ClientInfo]:
        """The programs that call listd, in the order of their connection; administrators only."""
        rows = await self._rows("ListClients")
        return [client_info(name, _plain(values)) for name, values in rows]

    async def views(self) -> builtins.list[ViewInfo]:
        """All views, of all clients."""
        rows = await self._rows("ListViews")
        return [view_info(path, _plain(values)) for path, values in rows]

    async def _rows(self, member: str) -> builtins.list[builtins.list[Any]]:
        return cast("builtins.list[builtins.list[Any]]", (await self._link.call(MANAGER_PATH, MANAGER, member)).body[0])

    # MARK: plugins

    async def plugins(self) -> builtins.list[PluginInfo]:
        """The plugins and their states, by name."""
        rows = await self._rows("ListPlugins")
        return [plugin_info(name, _plain(values)) for name, values in rows]

    async def plugin(self, name: str) -> PluginProperties:
        """The properties of a plugin.

        :raises NoSuchPlugin: no plugin has the name.
        """
        try:
            return plugin_properties(await self._link.properties(plugin_path(name), PLUGIN))
        except UnknownObject:
            raise NoSuchPlugin(f"there is no plugin {name!r}") from None

    async def load_plugin(self, file: str | Path) -> str:
        """Loads a plugin, or a newer version of one; administrators only.

        :returns: its object path.
        :raises PluginRefused: the file may not be loaded as a plugin.
        """
        body = [checked_text(str(file))]
        return cast(str, (await self._link.call(MANAGER_PATH, MANAGER, "LoadPlugin", "s", body)).body[0])

    async def unload_plugin(self, name: str) -> None:
        """Unloads a plugin; administrators only.

        :raises NoSuchPlugin: no plugin has the name.
        """
        await self._link.call(MANAGER_PATH, MANAGER, "UnloadPlugin", "s", [checked_text(name)])

    # MARK: the service

    async def properties(self) -> ManagerProperties:
        """The properties of listd."""
        return manager_properties(await self._link.properties(MANAGER_PATH, MANAGER))

    async def statistics(self) -> dict[str, int]:
        """listd's counters, by name."""
        return dict((await self._link.call(MANAGER_PATH, MANAGER, "GetStatistics")).body[0])

    async def reload(self) -> None:
        """Makes listd read its configuration again; administrators only.

        :raises InvalidArgs: the configuration has errors, and nothing was changed.
        """
        await self._link.call(MANAGER_PATH, MANAGER, "Reload")

    async def log_level(self) -> LogLevel:
        """The lowest level of messages that listd writes."""
        reply = await self._link.call(LOG_CONTROL_PATH, PROPERTIES, "Get", "ss", [LOG_CONTROL, "LogLevel"])
        return cast("LogLevel", plain(reply.body[0]))

    async def set_log_level(self, level: LogLevel) -> None:
        """Sets the lowest level of messages that listd writes; administrators only."""
        body = [LOG_CONTROL, "LogLevel", variant_of(level)]
        await self._link.call(LOG_CONTROL_PATH, PROPERTIES, "Set", "ssv", body)

    async def dump(self) -> str:
        """listd's state as text, with the result of the store's check; administrators only."""
        reply = await self._link.call(MANAGER_PATH, MANAGER, "DumpByFileDescriptor")
        descriptor = reply.take_descriptor(reply.body[0])
        reply.close()
        with os.fdopen(descriptor, "rb") as source:
            return (await asyncio.to_thread(source.read)).decode(errors="replace")

    async def backup(self, file: IO[bytes]) -> None:
        """Writes a copy of the store to a file that is open for reading and writing (mode ``w+b``), while listd
        continues to run, and verifies it; administrators only.

        :raises StoreFailed: the copy cannot be written, the store is damaged, or listd runs without a store.
        """
        await self._link.call(MANAGER_PATH, MANAGER, "Backup", "h", [0], descriptors=[file.fileno()])

    async def restore(self, file: IO[bytes]) -> None:
        """Replaces the store by a backup; administrators only. listd verifies the backup, answers, and restarts; all
        lists have new epochs then.

        :raises InvalidArgs: the file is no backup of listd, damaged, or of a newer listd. Nothing has changed.
        :raises StoreFailed: the file cannot be copied, or listd runs without a store.
        """
        await self._link.call(MANAGER_PATH, MANAGER, "Restore", "h", [0], descriptors=[file.fileno()])

    async def losses(self) -> tuple[Loss, ...]:
        """Returns what the store has lost and nobody has acknowledged, oldest first."""
        return losses(await self._link.property(MANAGER_PATH, MANAGER, "Losses"))

    async def acknowledge_losses(self) -> None:
        """Acknowledges all losses, so that they are not shown again; administrators only."""
        await self._link.call(MANAGER_PATH, MANAGER, "AcknowledgeLosses")

    def reloading(self) -> Reloading:
        """Returns events of configuration reloads: true before each reload, false after it."""
        return Reloading(self._link)


@contextmanager
def _naming(name: str | None, new: str | None = None) -> Iterator[None]:
    """Replaces errors about a list by errors of this package that name the list."""
    try:
        yield
    except NoSuchAdapter:
        if name is None:
            raise
        raise NoSuchAdapter(f"there is no list {name!r}") from None
    except AdapterExists:
        raise AdapterExists(f"there is a list {new!r} already") from None


async def _check_names(there: List, options: Mapping[str, Any]) -> None:
    """Refuses unknown options of an existing list, as its creation would do.

    :raises InvalidArgs: naming the option.
    """
    strange = [name for name in options if name.replace("-", "_") not in ListOptions.__annotations__]
    if not strange:
        return
    # A newer listd may have more options.
    known = {*ListOptions.__annotations__, *(await there.properties()).options}
    for name in strange:
        if name.replace("-", "_") not in known:
            raise InvalidArgs(f"there is no option {name.replace('-', '_')!r}" + did_you_mean(name, known))


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {key: plain(value) for key, value in values.items()}


class Reloading(AsyncIterator[bool]):
    """A stream of configuration reloads, until the stream is closed. A slow consumer gets the newest event."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._news: bool | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._signals: Subscription | None = None
        self._is_started = False
        self._is_closed = False

    def start(self) -> Self:
        """Listens from now on, not only from the first ``async for`` on."""
        if not self._is_started:
            self._is_started = True
            self._link.watch(self)
        return self

    async def __anext__(self) -> bool:
        self.start()
        while self._news is None:
            if self._link.is_closed:
                raise Unavailable("the connection was closed")
            if self._is_closed:
                raise StopAsyncIteration
            self._waiter = self._link.loop.create_future()
            await self._waiter
        news, self._news = self._news, None
        return news

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the iteration; a second call has no effect."""
        self._is_closed = True
        self._link.unwatch(self)
        self._vanished()

    def _appeared(self, daemon: Incarnation) -> None:
        """A daemon is available."""
        self._signals = daemon.listen(MANAGER_PATH, MANAGER, weakly(self._heard))

    def _vanished(self) -> None:
        """The daemon has ended, and a reload in progress with it."""
        if self._signals is not None:
            self._signals.cancel()
            self._signals = None
        self._wake()

    def _heard(self, member: str, body: list[Any]) -> None:
        if member == "Reloading":
            self._news = bool(body[0])
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Connecting:
    """A connection that is not open yet: use it with ``async with``, or ``await`` it and close the result."""

    def __init__(self, target: str | None) -> None:
        self._target = target
        self._daemon: Daemon | None = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and hasattr(Daemon, name):
                raise AttributeError(f"there is no connection yet: d = await listd.connect(…), then d.{name}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    async def _connect(self) -> Daemon:
        link = Link(address_of(self._target))
        try:
            await link.open()
        except BaseException:
            link.close()
            raise
        return Daemon(link)

    def __await__(self) -> Generator[Any, None, Daemon]:
        return self._connect().__await__()

    async def __aenter__(self) -> Daemon:
        self._daemon = await self._connect()
        return self._daemon

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._daemon is not None:
            await self._daemon.close()


def connect(target: str | None = None) -> Connecting:
    """Connects to listd: ``async with listd.connect() as d: …`` or ``d = await listd.connect()``.

    :param target: ``system`` (the default), ``session``, ``direct`` (listd's own socket, for high rates), or a D-Bus
        address such as ``unix:path=/run/listd/direct.sock``, of a bus or of listd itself: which of both is found out.
    :raises InvalidArgs: the target is none of these.
    :raises Unavailable: no bus is available, or listd is not on the bus and the bus cannot start it.
    """
    return Connecting(target)
