# SPDX-License-Identifier: Apache-2.0
"""A connection to listd that is restored after the bus or the daemon ended."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakSet

from ._errors import Disconnected, InvalidArgs, ListdError, Unavailable
from ._names import ADAPTER, BUS_NAME, DIRECT_ADDRESS, PROPERTIES, did_you_mean
from ._values import plain
from ._weak import weakly
from ._wire import DRIVER, DRIVER_PATH, Answer, Reply, Subscription, Wire

#: Seconds between two attempts to connect: the first, and the longest.
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 10.0


class Incarnation:
    """One daemon process over one connection, to which calls and subscriptions belong."""

    def __init__(self, wire: Wire, owner: str) -> None:
        self.wire = wire
        #: The unique name of the daemon. A call to it cannot start or reach another daemon process.
        self.owner = owner

    def call(
        self, path: str, interface: str, member: str, signature: str, body: Sequence[Any], then: Answer | None
    ) -> int:
        """Calls a method of listd; see :meth:`Wire.call`."""
        return self.wire.call(self.owner, path, interface, member, signature, body, then=then)

    def listen(
        self,
        path: str,
        interface: str,
        handle: Callable[[str, list[Any]], None],
        on_error: Callable[[ListdError], None] | None = None,
        *,
        is_broadcast: bool = True,
    ) -> Subscription:
        """Calls a handler for the signals of an object of listd."""
        rule = f"type='signal',sender='{BUS_NAME}',path='{path}',interface='{interface}'" if is_broadcast else None
        return self.wire.listen(path, interface, handle, sender=self.owner, rule=rule, on_error=on_error)

    def subscribe(self, path: str, event: str, on_error: Callable[[ListdError], None]) -> ListSubscription:
        """Subscribes to a kind of a list's events, in addition to other subscriptions on this connection."""
        return ListSubscription(self, path, event, on_error)


class ListSubscription(Subscription):
    """A subscription to a kind of a list's events, until it is cancelled."""

    __slots__ = ("_daemon", "_event", "_is_cancelled", "_number", "_on_error", "_path")

    def __init__(self, daemon: Incarnation, path: str, event: str, on_error: Callable[[ListdError], None]) -> None:
        super().__init__(self._end)
        self._daemon = daemon
        self._path = path
        self._event = event
        self._on_error = on_error
        self._number = 0
        self._is_cancelled = False
        self.renew()

    def renew(self) -> None:
        """Subscribes again, as the list may have ended the subscription; reports the error of a list that refuses it."""
        self._daemon.call(self._path, ADAPTER, "Subscribe", "as", [[self._event]], self._answered)

    def _answered(self, result: Reply | ListdError) -> None:
        if isinstance(result, ListdError):
            if not self._is_cancelled:
                self._on_error(result)
            return
        self._unsubscribe()
        self._number = int(result.body[0])
        if self._is_cancelled:
            self._unsubscribe()

    def _end(self) -> None:
        self._is_cancelled = True
        self._unsubscribe()

    def _unsubscribe(self) -> None:
        number, self._number = self._number, 0
        if number and self._daemon.wire.is_open:
            self._daemon.call(self._path, ADAPTER, "Unsubscribe", "t", [number], None)


class Watcher(Protocol):
    """An observer of daemons that start and end."""

    def _appeared(self, daemon: Incarnation) -> None:
        """A daemon is available from now on."""

    def _vanished(self) -> None:
        """The last daemon has ended."""


class Link:
    """A connection to an address that is restored until it is closed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.loop = asyncio.get_running_loop()
        self._wire: Wire | None = None
        self._owner_watch: Subscription | None = None
        self._reason = "not connected yet"
        self._pause = FIRST_PAUSE
        self._timer: asyncio.TimerHandle | None = None
        self._attempt: asyncio.Task[None] | None = None
        self._watchers: WeakSet[Watcher] = WeakSet()
        self._waiting: set[asyncio.Future[None]] = set()
        self.daemon: Incarnation | None = None
        self.is_closed = False

    async def open(self) -> None:
        """Connects for the first time.

        :raises Unavailable: no bus is available, or listd is not on the bus and the bus cannot start it.
        """
        self._adopt(await Wire.open(self.address))
        try:
            await self.need()
        except BaseException:
            self.close()
            await self.wait_closed()
            raise

    # MARK: the daemon

    async def need(self) -> Incarnation:
        """Returns the available daemon. If there is none, the bus is asked to start one.

        :raises Unavailable: there is no daemon.
        """
        if self.is_closed:
            raise Unavailable("the connection was closed")
        if self.daemon is not None:
            return self.daemon
        wire = self._wire
        if wire is None:
            raise Unavailable(f"no connection to {self.address}: {self._reason}")
        try:
            reply = await self._driver(wire, "GetNameOwner", "s", [BUS_NAME])
        except Unavailable:
            await self._start(wire)
            reply = await self._driver(wire, "GetNameOwner", "s", [BUS_NAME])
        if wire is self._wire:
            self._found(wire, reply.body[0])
        if self.daemon is None:
            raise Unavailable(f"listd at {self.address} has just ended")
        return self.daemon

    async def _start(self, wire: Wire) -> None:
        try:
            await self._driver(wire, "StartServiceByName", "su", [BUS_NAME, 0])
        except ListdError as error:
            raise Unavailable(f"there is no listd at {self.address}: {error}") from None

    async def _driver(self, wire: Wire, member: str, signature: str, body: list[Any]) -> Reply:
        return await awaited(
            self.loop, wire, lambda then: wire.call(DRIVER, DRIVER_PATH, DRIVER, member, signature, body, then=then)
        )

    def watch(self, watcher: Watcher) -> None:
        """Reports the present daemon immediately, and later ones as long as the watcher exists."""
        self._watchers.add(watcher)
        if self.daemon is not None:
            watcher._appeared(self.daemon)

    def unwatch(self, watcher: Watcher) -> None:
        """Stops reporting."""
        self._watchers.discard(watcher)

    async def wait(self) -> Incarnation:
        """Waits until a daemon can be called.

        :raises Unavailable: the connection was closed.
        """
        while self.daemon is None:
            if self.is_closed:
                raise Unavailable("the connection was closed")
            change = self.loop.create_future()
            self._waiting.add(change)
            try:
                await change
            finally:
                self._waiting.discard(change)
        return self.daemon

    def _changed(self) -> None:
        for change in self._waiting:
            if not change.done():
                change.set_result(None)

    def _found(self, wire: Wire, owner: str) -> None:
        if self.daemon is not None and self.daemon.wire is wire and self.daemon.owner == owner:
            return
        self._lost()
        daemon = self.daemon = Incarnation(wire, owner)
        self._pause = FIRST_PAUSE
        for watcher in list(self._watchers):
            if self.daemon is daemon:
                watcher._appeared(daemon)
        self._changed()

    def _lost(self) -> None:
        if self.daemon is None:
            return
        self.daemon = None
        for watcher in list(self._watchers):
            if self.daemon is None:
                watcher._vanished()

    # MARK: the connection

    def _adopt(self, wire: Wire) -> None:
        self._wire = wire
        wire.when_ended(weakly(self._ended))
        if wire.is_direct:
            self._found(wire, BUS_NAME)
            return
        rule = (
            f"type='signal',sender='{DRIVER}',path='{DRIVER_PATH}',interface='{DRIVER}',"
            f"member='NameOwnerChanged',arg0='{BUS_NAME}'"
        )
        self._owner_watch = wire.listen(
            DRIVER_PATH, DRIVER, weakly(self._owner_changed), sender=DRIVER, rule=rule, on_error=None
        )

        def known(result: Reply | ListdError) -> None:
            if isinstance(result, Reply) and wire is self._wire:
                self._found(wire, result.body[0])

        wire.call(DRIVER, DRIVER_PATH, DRIVER, "GetNameOwner", "s", [BUS_NAME], then=known)

    def _owner_changed(self, member: str, body: list[Any]) -> None:
        wire = self._wire
        if member != "NameOwnerChanged" or body[0] != BUS_NAME or wire is None:
            return
        if body[2]:
            self._found(wire, body[2])
        else:
            self._reason = "listd has ended"
            self._lost()

    def _ended(self) -> None:
        self._wire = None
        self._reason = "the connection has ended"
        self._lost()
        self._retry()

    def _retry(self) -> None:
        if self.is_closed:
            return
        self._timer = self.loop.call_later(self._pause, weakly(self._try))
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _try(self) -> None:
        self._timer = None
        self._attempt = self.loop.create_task(self._reconnect(), name="listd: reconnecting")

    async def _reconnect(self) -> None:
        try:
            wire = await Wire.open(self.address)
        except ListdError as error:
            self._reason = error.message
            self._retry()
            return
        if self.is_closed:
            wire.close()
            await wire.wait_closed()
            return
        self._adopt(wire)

    def close(self) -> None:
        """Closes the connection and stops all attempts to connect."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._attempt is not None:
            self._attempt.cancel()
        if self._wire is not None:
            self._wire.close()
        self._lost()
        self._changed()

    async def wait_closed(self) -> None:
        """Returns when all tasks have ended."""
        if self._attempt is not None:
            await asyncio.wait([self._attempt])
        if self._wire is not None:
            await self._wire.wait_closed()

    # MARK: calls

    async def call(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        *,
        descriptors: Sequence[int] = (),
        late: Answer | None = None,
    ) -> Reply:
        """Calls a method of the daemon and waits for the answer.

        A cancelled call may still take effect. ``late`` then gets its reply.

        :raises ListdError: the error of listd; :exc:`Unavailable` when nothing was sent, :exc:`Disconnected` when the answer was
            lost.
        """
        daemon = await self.need()
        try:
            return await self._called(daemon, path, interface, member, signature, body, descriptors, late)
        except Unavailable:
            # The daemon ended before it received the call. Another daemon may be available.
            if self.daemon is daemon:
                self._lost()
            daemon = await self.need()
            return await self._called(daemon, path, interface, member, signature, body, descriptors, late)

    async def _called(
        self,
        daemon: Incarnation,
        path: str,
        interface: str,
        member: str,
        signature: str,
        body: Sequence[Any],
        descriptors: Sequence[int],
        late: Answer | None,
    ) -> Reply:
        def send(then: Answer) -> int:
            return daemon.wire.call(daemon.owner, path, interface, member, signature, body, descriptors, then=then)

        return await awaited(self.loop, daemon.wire, send, late)

    async def property(self, path: str, interface: str, name: str) -> Any:
        """Reads a property."""
        reply = await self.call(path, PROPERTIES, "Get", "ss", [interface, name])
        return plain(reply.body[0])

    async def properties(self, path: str, interface: str) -> dict[str, Any]:
        """Reads all properties of an interface."""
        reply = await self.call(path, PROPERTIES, "GetAll", "s", [interface])
        return {name: plain(value) for name, value in reply.body[0].items()}


async def awaited(
    loop: asyncio.AbstractEventLoop, wire: Wire, send: Callable[[Answer], int], late: Answer | None = None
) -> Reply:
    """Sends a call and waits for its reply. The reply's descriptors stay open."""
    future: asyncio.Future[Reply] = loop.create_future()

    def answered(result: Reply | ListdError) -> None:
        if future.done():
            if late is not None:
                late(result)
        elif isinstance(result, Reply):
            future.set_result(result.copy_taking_descriptors())
        else:
            future.set_exception(result)

    serial = send(answered)
    try:
        return await future
    except asyncio.CancelledError:
        if future.done() and not future.cancelled() and future.exception() is None:
            # The reply arrived and the call was cancelled in the same turn of the loop.
            reply = future.result()
            if late is not None:
                late(reply)
            reply.close()
        else:
            wire.forget(serial, late)
        raise
    except Disconnected as error:
        raise Disconnected(error.message or "listd ended before it replied", name=error.name) from None


def address_of(target: str | None) -> str:
    """Returns the D-Bus address for a word such as ``system``. An address is returned unchanged.

    :raises InvalidArgs: the target is neither a known word nor an address.
    :raises Unavailable: the environment names no session bus.
    """
    if target in (None, "system"):
        return os.environ.get("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket")
    if target == "session":
        address = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
        if not address and (runtime := os.environ.get("XDG_RUNTIME_DIR")):
            address = f"unix:path={runtime}/bus"
        if not address:
            raise Unavailable("there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set")
        return address
    if target == "direct":
        return DIRECT_ADDRESS
    if ":" not in target:
        meant = did_you_mean(target, ("system", "session", "direct"))
        known = "system, session, direct, or a D-Bus address such as unix:path=/run/bus"
        raise InvalidArgs(f"{target!r} is not one of {known}{meant}")
    return target
