# SPDX-License-Identifier: Apache-2.0
"""Calls that wait until a view shows the requested range."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Wishes:
    """Numbered requests, of which only the newest is sent. Its reply also completes the earlier ones."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: dict[asyncio.Future[None], int] = {}
        self._sent = 0
        #: The number of the newest request.
        self.asked = 0

    @property
    def are_sent(self) -> bool:
        """Whether the newest request was sent."""
        return self._sent == self.asked

    @contextmanager
    def new(self) -> Iterator[asyncio.Future[None]]:
        """Adds a request, and yields a future to wait for. The request is removed at the end of the block."""
        self.asked += 1
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting[future] = self.asked
        try:
            yield future
        finally:
            self._waiting.pop(future, None)

    def repeat(self) -> None:
        """Records that the newest request must be sent again."""
        self.asked += 1

    def send(self) -> int:
        """Records that the newest request is being sent; returns its number."""
        self._sent = self.asked
        return self._sent

    def fulfil(self, number: int) -> None:
        """Completes the requests up to a number."""
        for future in self._up_to(number):
            future.set_result(None)

    def refuse(self, number: int, error: Exception) -> None:
        """Fails the requests up to a number."""
        for future in self._up_to(number):
            future.set_exception(error)

    def _up_to(self, number: int) -> list[asyncio.Future[None]]:
        return [future for future, asked in self._waiting.items() if asked <= number and not future.done()]
