# SPDX-License-Identifier: Apache-2.0
"""Differences between dbus-fast 1.84, which is in Debian 12, and the current version."""

from __future__ import annotations

import contextlib
from typing import Any

import dbus_fast.aio
from dbus_fast.errors import AuthError
from dbus_fast.signature import Variant


class _OldMessageBus(dbus_fast.aio.MessageBus):
    """Works around two faults of the old version: its initialiser leaks the socket when it cannot connect, and its
    authentication reads a closed socket forever."""

    def _setup_socket(self) -> None:
        try:
            super()._setup_socket()  # type: ignore[misc]
        except BaseException:
            for thing in (getattr(self, "_stream", None), getattr(self, "_sock", None)):
                if thing is not None:
                    thing.close()
            raise

    async def _auth_readline(self) -> str:
        line = b""
        socket: Any = self._sock
        while not line.endswith(b"\r\n"):
            data = await self._loop.sock_recv(socket, 1024)
            if not data:
                raise AuthError("the connection ended during authentication")
            line += data
        return line[:-2].decode()


class _Encoded:
    """A string with a correct length for the old version, which takes the number of characters for the number of bytes."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()

    def __len__(self) -> int:
        return len(self._data)

    def encode(self) -> bytes:
        return self._data


def _old_body(value: Any) -> Any:
    """Returns the same values, with strings that the old version can send."""
    if isinstance(value, str):
        return value if value.isascii() else _Encoded(value)
    if isinstance(value, Variant):
        return Variant(value.type.signature, _old_body(value.value), False)
    if isinstance(value, dict):
        return {_old_body(key): _old_body(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_old_body(member) for member in value]
    return value


_IS_OLD = hasattr(dbus_fast.aio.MessageBus, "_setup_socket")


async def connected_bus(address: str) -> dbus_fast.aio.MessageBus:
    """Opens a connection and calls Hello.

    :raises OSError: nothing listens at the address.
    """
    kind = _OldMessageBus if _IS_OLD else dbus_fast.aio.MessageBus
    bus = kind(bus_address=address, negotiate_unix_fd=True)
    try:
        await bus.connect()
    except BaseException:
        if _IS_OLD:
            close(bus)
        raise
    return bus


def sendable(body: list[Any]) -> list[Any]:
    """Returns a message's body in a form that the installed version can send."""
    return [_old_body(value) for value in body] if _IS_OLD else body


def drop_failure(bus: dbus_fast.aio.MessageBus) -> None:
    """Retrieves the error of a message that dbus-fast could not send. No other code has the message's future, so asyncio
    would log the error otherwise."""
    future = getattr(getattr(bus, "_writer", None), "fut", None)
    if future is not None and future.done() and not future.cancelled():
        future.exception()


def close(bus: dbus_fast.aio.MessageBus) -> None:
    """Closes a connection without waiting. A second call has no effect."""
    if bus.connected:
        with contextlib.suppress(OSError, AttributeError):
            bus.disconnect()
    if _IS_OLD:
        # The old version leaves the socket's file open until it is garbage-collected, and with it the connection.
        bus._finalize(None)
        for thing in (bus._stream, bus._sock):
            if thing is not None:
                with contextlib.suppress(OSError):
                    thing.close()
