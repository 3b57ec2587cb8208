# SPDX-License-Identifier: Apache-2.0
"""A connection that delivers replies and signals in the order of their arrival, and leaves no descriptor open."""

from __future__ import annotations

import asyncio
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from dbus_fast import Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError, InvalidAddressError

from ._compat import close, connected_bus, drop_failure, sendable
from ._errors import Disconnected, InvalidArgs, ListdError, Unavailable, error_of

DRIVER = "org.freedesktop.DBus"
DRIVER_PATH = "/org/freedesktop/DBus"


class Reply:
    """The reply to a call. Descriptors that are not consumed are closed."""

    __slots__ = ("body", "_descriptors")

    def __init__(self, body: list[Any], descriptors: list[int]) -> None:
        self.body = body
        self._descriptors = descriptors

    def take_descriptor(self, index: int) -> int:
        """The descriptor, which the caller must close."""
        descriptor = self._descriptors[index]
        self._descriptors[index] = -1
        return descriptor

    def copy_taking_descriptors(self) -> Reply:
        """Returns a copy whose descriptors stay open when this reply is closed."""
        kept = Reply(self.body, self._descriptors)
        self._descriptors = []
        return kept

    def close(self) -> None:
        """Closes the descriptors that were not consumed."""
        for descriptor in self._descriptors:
            if descriptor >= 0:
                os.close(descriptor)
        self._descriptors = []


Answer = Callable[[Reply | ListdError], None]


@dataclass(slots=True)
class _Outgoing:
    message: Message
    #: Copies of the caller's descriptors, which are closed after sending.
    descriptors: list[int]


@dataclass(slots=True, eq=False)
class _Listener:
    sender: str | None
    handle: Callable[[str, list[Any]], None]


class Subscription:
    """A subscription of a handler to signals, until it is cancelled."""

    __slots__ = ("_cancel",)

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel: Callable[[], None] | None = cancel

    def cancel(self) -> None:
        """Cancels the subscription. A second call has no effect."""
        cancel, self._cancel = self._cancel, None
        if cancel is not None:
            cancel()


class Wire:
    """A connection to a bus or to listd itself.

    Callbacks get the replies, and run in the order in which messages arrived. So a reply is handled before a signal that was
    sent after it.
    """

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, Answer] = {}
        self._queue: deque[_Outgoing] = deque()
        self._is_sending = False
        self._listeners: dict[tuple[str, str], list[_Listener]] = {}
        self._rules: Counter[str] = Counter()
        self._on_end: Callable[[], None] | None = None
        self.is_open = True
        #: Whether the other end is listd itself, not a bus.
        self.is_direct = str(bus.unique_name).startswith(":d.")
        bus.add_message_handler(self._received)
        self._watch = self._loop.create_task(self._wait_for_end(), name="listd: end of a connection")

    @classmethod
    async def open(cls, address: str) -> Wire:
        """Connects.

        :raises Unavailable: nothing listens at the address, or it refuses the connection.
        """
        try:
            return cls(await connected_bus(address))
        except InvalidAddressError as error:
            raise InvalidArgs(f"{address!r:.64} is not a D-Bus address: {error}") from None
        except (OSError, EOFError, DBusError) as error:
            raise Unavailable(f"cannot connect to {address}: {error}") from error
        except Exception as error:
            # Errors of authentication have no common base in the versions of dbus-fast.
            raise Unavailable(f"cannot connect to {address}: {error or type(error).__name__}") from error

    def when_ended(self, body: Callable[[], None]) -> None:
        """Calls ``body`` once, when the other end closes."""
        self._on_end = body

    async def _wait_for_end(self) -> None:
        try:
            ended: Awaitable[None] = cast(Any, self._bus).wait_for_disconnect()
            await ended
        except asyncio.CancelledError:
            raise
        except Exception:
            # The reason does not matter, because waiting calls fail when the connection ends.
            pass
        self._end()

    def close(self) -> None:
        """Ends the connection; pending calls fail with :exc:`Disconnected`."""
        self._on_end = None
        close(self._bus)
        self._end()

    async def wait_closed(self) -> None:
        """Returns when all tasks of the connection have ended."""
        await asyncio.wait([self._watch])

    def _end(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        close(self._bus)
        for outgoing in self._queue:
            _close_all(outgoing.descriptors)
        self._queue.clear()
        self._listeners.clear()
        pending, self._pending = self._pending, {}
        for answer in pending.values():
            self._answer(answer, Disconnected("the connection ended before the answer came"))
        on_end, self._on_end = self._on_end, None
        if on_end is not None:
            on_end()

    # MARK: sending

    def call(
        self,
        destination: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        descriptors: Sequence[int] = (),
        then: Answer | None = None,
    ) -> int:
        """Calls a method and returns the call's serial; without ``then`` it is sent with NO_REPLY_EXPECTED."""
        flags = MessageFlag.NONE if then is not None else MessageFlag.NO_REPLY_EXPECTED
        message = Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=sendable(list(body)),
            flags=flags,
            serial=self._bus.next_serial(),
            unix_fds=list(descriptors),
        )
        serial: int = message.serial
        if not self.is_open:
            if then is not None:
                gone = Unavailable("the connection has ended")
                self._loop.call_soon(self._answer, then, gone)
            return serial
        if then is not None:
            self._pending[serial] = then
        copies = [os.dup(descriptor) for descriptor in descriptors]
        message.unix_fds = copies
        self._queue.append(_Outgoing(message, copies))
        self._send()
        return serial

    def forget(self, serial: int, late: Answer | None = None) -> None:
        """Stops waiting for the reply to a call. ``late`` gets the reply if it still arrives."""
        if serial in self._pending:
            self._pending[serial] = late or _ignore

    def _send(self) -> None:
        """Sends messages one by one, because dbus-fast 1.84 sends queued messages in reverse order."""
        while self._queue and not self._is_sending and self.is_open:
            outgoing = self._queue.popleft()
            try:
                sent = self._bus.send(outgoing.message)
            except Exception as error:
                _close_all(outgoing.descriptors)
                drop_failure(self._bus)
                if not self._bus.connected:
                    continue  # waiting calls fail when the connection ends
                answer = self._pending.pop(outgoing.message.serial, None)
                if answer is not None:
                    refusal = InvalidArgs(f"{outgoing.message.member}: dbus-fast cannot send this: {error}")
                    self._loop.call_soon(self._answer, answer, refusal)
                continue
            if sent.done():
                self._sent(outgoing, sent)
            else:
                self._is_sending = True
                sent.add_done_callback(partial(self._sent_later, outgoing))

    def _sent_later(self, outgoing: _Outgoing, sent: asyncio.Future[Any]) -> None:
        self._is_sending = False
        self._sent(outgoing, sent)
        self._send()

    def _sent(self, outgoing: _Outgoing, sent: asyncio.Future[Any]) -> None:
        _close_all(outgoing.descriptors)
        if not sent.cancelled():
            sent.exception()  # waiting calls fail when the connection ends

    # MARK: receiving

    def _received(self, message: Message) -> bool:
        kind = message.message_type
        if kind is MessageType.SIGNAL:
            self._signal(message)
            _close_all(message.unix_fds)
            return True
        if kind is MessageType.METHOD_CALL:
            _close_all(message.unix_fds)
            return False
        answer = self._pending.pop(message.reply_serial, None)
        if answer is None:
            _close_all(message.unix_fds)
        elif kind is MessageType.ERROR:
            _close_all(message.unix_fds)
            self._answer(answer, error_of(message.error_name, message.body))
        else:
            reply = Reply(message.body, list(message.unix_fds))
            self._answer(answer, reply)
            reply.close()
        return True

    def _answer(self, answer: Answer, result: Reply | ListdError) -> None:
        try:
            answer(result)
        except Exception as error:
            self._report(error)

    def _signal(self, message: Message) -> None:
        for listener in tuple(self._listeners.get((str(message.path), str(message.interface)), ())):
            if self.is_direct or listener.sender is None or listener.sender == message.sender:
                try:
                    listener.handle(str(message.member), message.body)
                except Exception as error:
                    self._report(error)

    def _report(self, error: Exception) -> None:
        self._loop.call_exception_handler({"message": "listd: a message could not be handled", "exception": error})

    def listen(
        self,
        path: str,
        interface: str,
        handle: Callable[[str, list[Any]], None],
        *,
        sender: str | None,
        rule: str | None,
        on_error: Callable[[ListdError], None] | None = None,
    ) -> Subscription:
        """Adds a handler for the signals of an object.

        :param sender: the only unique name that may send them.
        :param rule: the match rule for a bus; ``None`` for signals that are sent to this connection alone.
        :param on_error: called when the bus refuses the rule.
        """
        listener = _Listener(sender, handle)
        self._listeners.setdefault((path, interface), []).append(listener)
        if rule is not None:
            self._add_rule(rule, on_error)

        def cancel() -> None:
            listeners = self._listeners.get((path, interface), [])
            if listener in listeners:
                listeners.remove(listener)
                if not listeners:
                    del self._listeners[(path, interface)]
                if rule is not None:
                    self._remove_rule(rule)

        return Subscription(cancel)

    def _add_rule(self, rule: str, on_error: Callable[[ListdError], None] | None) -> None:
        self._rules[rule] += 1
        if self._rules[rule] > 1:
            return

        def answered(result: Reply | ListdError) -> None:
            if isinstance(result, ListdError) and on_error is not None and self.is_open:
                on_error(result)

        self.call(DRIVER, DRIVER_PATH, DRIVER, "AddMatch", "s", [rule], then=answered)

    def _remove_rule(self, rule: str) -> None:
        self._rules[rule] -= 1
        if self._rules[rule] <= 0:
            del self._rules[rule]
            self.call(DRIVER, DRIVER_PATH, DRIVER, "RemoveMatch", "s", [rule])


def _ignore(_: Reply | ListdError) -> None:
    pass


def _close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
    descriptors.clear()
