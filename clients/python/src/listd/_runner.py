# SPDX-License-Identifier: Apache-2.0
"""An event loop in a separate thread, for the synchronous interface."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from ._errors import Unavailable

T = TypeVar("T")
#: A timeout in seconds that stands for no limit: about 30 years.
FOREVER = 1e9


class Runner:
    """An event loop in a separate thread."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="listd", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Runs a coroutine in the thread, and waits for its result."""
        if self.loop.is_closed():
            work.close()
            raise Unavailable("the connection was closed")

        async def limited() -> T:
            async with asyncio.timeout(timeout if timeout is not None else self._timeout):
                return await work

        future = asyncio.run_coroutine_threadsafe(limited(), self.loop)
        try:
            return future.result()
        except BaseException:
            # Mainly for Ctrl-C: the thread must cancel the coroutine.
            future.cancel()
            raise

    def close(self) -> None:
        """Ends the thread."""
        if self.loop.is_closed():
            return
        self.run(self.loop.shutdown_asyncgens())
        self.run(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Events(Generic[T]):
    """An iterator over events: ``for event in events``. ``next_within(seconds)`` waits no longer than the given time."""

    def __init__(self, runner: Runner, source: Any) -> None:
        self._runner = runner
        self._source = source

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        return self._next(FOREVER)

    def next_within(self, seconds: float) -> T:
        """The next event.

        :raises TimeoutError: no event came in time. Nothing is lost: the next call goes on waiting.
        """
        return self._next(seconds)

    def _next(self, timeout: float) -> T:
        async def following() -> tuple[bool, Any]:
            try:
                return True, await anext(self._source)
            except StopAsyncIteration:
                return False, None

        is_there, event = self._runner.run(following(), timeout)
        if not is_there:
            raise StopIteration
        found: T = event
        return found

    def close(self) -> None:
        """Ends the iteration; a second call has no effect."""

        async def close() -> None:
            self._source.close()

        if not self._runner.loop.is_closed():
            self._runner.run(close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
