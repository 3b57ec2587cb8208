# SPDX-License-Identifier: Apache-2.0
"""Differences between dbus-fast 1.84, which Debian 12 has, and today's version."""

from __future__ import annotations

import contextlib
from typing import Any

import dbus_fast.aio
from dbus_fast.errors import AuthError
from dbus_fast.signature import Variant


class _OldMessageBus(dbus_fast.aio.MessageBus):
    """It connects in its initialiser, where a failure leaks the socket, and it reads a closed socket for ever."""

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
    """A string whose bytes the old version counts correctly: it uses the number of characters as that of bytes."""

    def __init__(self, text: str) -> None:
        self._data = text.encode()

    def __len__(self) -> int:
        return len(self._data)

    def encode(self) -> bytes:
        return self._data


def _old_body(value: Any) -> Any:
    """The same values, with strings that the old version can send."""
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
    """A connection that has said Hello.

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
    """A message's body in a form that the installed version can send."""
    return [_old_body(value) for value in body] if _IS_OLD else body


def drop_failure(bus: dbus_fast.aio.MessageBus) -> None:
    """Records a message that failed while dbus-fast's ``send`` raised: no other code has its future."""
    future = getattr(getattr(bus, "_writer", None), "fut", None)
    if future is not None and future.done() and not future.cancelled():
        future.exception()


def close(bus: dbus_fast.aio.MessageBus) -> None:
    """Ends a connection at once; may be called more than once."""
    if bus.connected:
        with contextlib.suppress(OSError, AttributeError):
            bus.disconnect()
    if _IS_OLD:
        # The old version leaves the socket's file open, and with it the connection, until it is garbage-collected.
        bus._finalize(None)
        for thing in (bus._stream, bus._sock):
            if thing is not None:
                with contextlib.suppress(OSError):
                    thing.close()
