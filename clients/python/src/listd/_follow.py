# SPDX-License-Identifier: Apache-2.0
"""Following a list."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Any, Self

from ._changes import Change
from ._errors import LimitsExceeded, ListdError, RevisionGone, Unavailable
from ._link import Incarnation, Link, ListSubscription
from ._mirror import Mirror, Step, Update
from ._names import ADAPTER, PROPERTIES
from ._objects import objects_of
from ._presence import Presence, Target
from ._weak import weakly
from ._wire import Reply, Subscription

#: The maximum number of objects that one call requests. listd returns fewer when they are large.
PAGE = 4096
#: The maximum number of calls in flight: a quarter of what listd allows a connection.
CALLS = 64
#: The maximum number of known objects that are read again in order to save a call.
GAP = 20
#: Seconds until a call that a limit of listd refused is repeated.
PAUSE = 0.05
#: Seconds that a consumer waits for a list that changes faster than it can be read. Then the known part is reported.
LONGEST_WAIT = 0.5


class Follower(AsyncIterator[Change]):
    """A stream of a list's changes, beginning with its present content, until the stream is closed. :meth:`List.follow` returns
    one.

    Lost signals, and restarts of listd and of the bus, only delay the changes. If the list is removed and created again, that is
    reported as :class:`Replaced`. If it is not created again, the iteration ends with :exc:`NoSuchAdapter`; if it may no longer
    be read, with :exc:`AccessDenied`.

    Content is read when a consumer waits for it. A slow consumer gets the changes since its last step coalesced to as few
    as possible, at worst :class:`Replaced`. Memory is bounded by the list, not by its changes. A list that changes faster than it
    can be read is reported every half second as :class:`Replaced` with ``complete=False``: new objects may be missing, and
    contents may be outdated, until there is time to read them.
    """

    def __init__(self, link: Link, target: Target, longest_wait: float = LONGEST_WAIT) -> None:
        self._loop = link.loop
        self._longest_wait = longest_wait
        self._path = target.path
        self._presence = Presence(link, target, self)
        self._mirror = Mirror()
        self._epoch = ""
        self._step = Step.READ_ALL
        self._daemon: Incarnation | None = None
        self._subscriptions: list[Subscription] = []
        self._subscription: ListSubscription | None = None
        self._is_followed = False
        #: The number of the attachment. Replies to calls of an earlier attachment are ignored.
        self._attachment = 0
        self._calls = 0
        self._most_calls = CALLS
        self._shifted = 0
        self._ready: deque[Change] = deque()
        self._revision = 0
        self._told_epoch = ""
        self._told_complete = False
        #: The time at which the objects for the next report were requested; infinite while none are requested.
        self._asked = math.inf
        self._waiter: asyncio.Future[None] | None = None
        self._error: ListdError | None = None
        self._is_started = False
        self._is_closed = False

    # MARK: the consumer

    @property
    def revision(self) -> int:
        """The list's revision after the last returned changes; 0 before the first ones."""
        return self._revision

    @property
    def epoch(self) -> str:
        """The epoch of :attr:`revision`; empty before the first changes.

        Another epoch means that the list was created again, as a list with ``durability="memory"`` is after a restart of listd.
        Then earlier revisions have no meaning. The text equals :attr:`ListProperties.epoch`.
        """
        return self._told_epoch

    @property
    def complete(self) -> bool:
        """Whether the consumer's copy equals the list at :attr:`revision`, once it has applied the changes that it got.

        False before the first ones, and after :class:`Replaced` with ``complete=False``: the copy equals the list again after
        later changes.
        """
        return self._told_complete and not self._ready

    async def __anext__(self) -> Change:
        while not self._ready:
            self._ready.extend(await self._batch())
        return self._ready.popleft()

    def batches(self) -> AsyncIterator[list[Change]]:
        """Yields changes in groups. After each group, the consumer's copy equals the list at :attr:`revision` if
        :attr:`complete` is true. It is false while the list changes faster than it can be read, although :attr:`revision` is the
        new one already: only compare or save a complete copy.

        A group is empty when only the revision has changed. Waiting for a group may be cancelled, as by
        :func:`asyncio.timeout`, and goes on with the next ``anext``.
        """
        return _Batches(self._next_batch, self.close)

    async def reached(self, revision: int) -> list[Change]:
        """Waits until the list is at a revision, such as that of a write, and returns all changes up to it.

        ``for change in await changes.reached(t.revision): change.apply(rows)`` brings the copy up to date. If the copy is at the
        revision already, no change is returned. If the list is created again in the meantime, its revisions start again too. Then
        the changes so far are returned, and :attr:`epoch` changes. The copy may be incomplete then, see :attr:`complete`.

        Waiting may be cancelled, as by :func:`asyncio.timeout`: the next ``anext`` or ``reached`` returns the changes
        until then. This method consumes changes as iterating does, so only the iterating task may call it.
        """
        changes = [*self._ready]
        self._ready.clear()
        epoch = self._told_epoch
        try:
            while self._revision < revision and self._told_epoch == epoch:
                changes += await self._batch()
                epoch = epoch or self._told_epoch
        except StopAsyncIteration:
            raise Unavailable("the follower was closed") from None
        except BaseException:
            self._ready.extendleft(reversed(changes))
            raise
        return changes

    async def _next_batch(self) -> list[Change]:
        batch = [*self._ready] if self._ready else await self._batch()
        self._ready.clear()
        return batch

    async def _batch(self) -> list[Change]:
        if self._waiter is not None:
            raise RuntimeError("a follower can have only one consumer")
        if not self._is_started:
            self._is_started = True
            self._presence.start()
        self._waiter = waiter = self._loop.create_future()
        try:
            while True:
                if self._is_closed:
                    raise StopAsyncIteration
                if self._error is not None:
                    raise self._error
                if self._has_news():
                    return self._record_report(self._mirror.take_changes() or [])
                if self._is_late():
                    return self._record_report(self._mirror.take_known_objects())
                if waiter.done():
                    self._waiter = waiter = self._loop.create_future()
                self._proceed()
                await waiter
        finally:
            self._waiter = None

    def _has_news(self) -> bool:
        """Whether there are changes to return now."""
        if not self._is_followed or self._step is not Step.NONE or not self._mirror.is_complete:
            return False
        return self._mirror.has_news or self._mirror.revision != self._revision

    def _is_late(self) -> bool:
        """Whether a consumer has waited too long, because the list changes faster than it can be read."""
        if not self._is_followed or self._step is not Step.NONE or self._calls or self._mirror.is_complete:
            return False
        return self._loop.time() > self._asked + self._longest_wait and self._mirror.is_loaded()

    def _record_report(self, changes: list[Change]) -> list[Change]:
        self._asked = math.inf
        self._revision = self._mirror.revision
        self._told_epoch = self._epoch
        self._told_complete = self._mirror.is_complete
        return changes

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the iteration; a second call has no effect."""
        if not self._is_closed:
            self._is_closed = True
            self._ready.clear()
            self._presence.stop()
            self._wake()

    async def aclose(self) -> None:
        """Equivalent to :meth:`close`, for :func:`contextlib.aclosing`."""
        self.close()

    def __del__(self) -> None:
        # It may be garbage-collected on any thread.
        if not self._is_closed and not self._loop.is_closed():
            presence, subscriptions = self._presence, self._subscriptions
            self._loop.call_soon_threadsafe(_stop, presence, subscriptions)

    # MARK: the list

    def _attach(self, daemon: Incarnation) -> None:
        """Begins to follow the list of this daemon."""
        self._detach()
        attachment = self._attachment
        self._daemon = daemon
        lost = weakly(self._lost)
        listeners = [
            daemon.listen(self._path, ADAPTER, weakly(self._heard), lost),
            daemon.listen(self._path, PROPERTIES, weakly(self._property_changed), lost),
        ]
        self._subscription = daemon.subscribe(self._path, "updates", lost)
        self._subscriptions = [*listeners, self._subscription]
        answered = weakly(self._attached)
        daemon.call(
            self._path,
            PROPERTIES,
            "Get",
            "ss",
            [ADAPTER, "Epoch"],
            lambda result: answered(attachment, result),
        )

    def _attached(self, attachment: int, result: Reply | ListdError) -> None:
        if attachment != self._attachment:
            return
        if isinstance(result, ListdError):
            self._lost(result)
            return
        self._presence.found()
        epoch = result.body[0].value
        is_known = epoch == self._epoch and self._mirror.revision > 0 and self._step is not Step.READ_ALL
        self._step = Step.CATCH_UP if is_known else Step.READ_ALL
        self._epoch = epoch
        self._is_followed = True
        self._proceed()

    def _lost(self, error: ListdError) -> None:
        """A call has failed: the list was removed, or the daemon has ended, or the user may no longer read it."""
        self._detach()
        self._presence.missed(error)

    def _detach(self) -> None:
        """Stops listening to the list; the copy stays."""
        self._attachment += 1
        self._daemon = None
        self._is_followed = False
        self._calls = 0
        self._subscription = None
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.cancel()

    def _give_up(self, error: ListdError) -> None:
        """The list was not created again in time."""
        if self._error is None:
            self._error = error
        self._wake()

    def _property_changed(self, member: str, body: list[Any]) -> None:
        """A client that may no longer read the list gets only its new options, so a call checks the right."""
        if self._subscription is not None and "Options" in body[1]:
            self._subscription.renew()

    def _heard(self, member: str, body: list[Any]) -> None:
        if member != "Updated" or not self._is_followed or self._step is not Step.NONE:
            # The reply to the read in flight contains this signal, or makes the next signal show a gap.
            return
        update = Update.of_signal(body)
        before = len(self._mirror)
        self._step = self._mirror.apply(update)
        self._shifted += abs(len(self._mirror) - before) + len(update.sections.moves)
        self._proceed()

    # MARK: calls

    def _proceed(self) -> None:
        """Makes the next call, when a consumer waits."""
        if self._waiter is None or not self._is_followed or self._calls:
            return
        if self._step is Step.READ_ALL:
            self._call("GetObjects", "uu", [0, PAGE], self._read_first)
        elif self._step is Step.CATCH_UP:
            self._call("GetChanges", "st", [self._mirror.epoch, self._mirror.revision], self._caught_up)
        elif self._has_news() or self._is_late():
            self._wake()
        else:
            self._asked = min(self._asked, self._loop.time())
            margin = min(2 * self._shifted, PAGE // 2)
            self._shifted = 0
            for run in self._mirror.missing(self._most_calls, page=PAGE, gap=GAP, margin=margin):
                self._call("GetObjects", "uu", [run.start, len(run)], partial(self._read, run.start))

    def _call(self, member: str, signature: str, body: list[Any], take_in: Callable[[list[Any]], None]) -> None:
        daemon, attachment, most = self._daemon, self._attachment, self._most_calls
        if daemon is None:
            return
        self._calls += 1

        def answered(result: Reply | ListdError) -> None:
            if attachment != self._attachment:
                return
            self._calls -= 1
            if isinstance(result, RevisionGone):
                self._step = Step.READ_ALL
            elif isinstance(result, LimitsExceeded) and most > 1:
                # Other followers on this connection make calls, too.
                self._most_calls = min(self._most_calls, most // 2)
                self._loop.call_later(PAUSE, weakly(self._proceed))
                return
            elif isinstance(result, ListdError):
                self._lost(result)
            else:
                take_in(result.body)
            self._proceed()

        daemon.call(self._path, ADAPTER, member, signature, body, answered)

    def _read_first(self, body: list[Any]) -> None:
        self._epoch, revision, total, rows = body
        self._mirror.reset(revision, total, self._epoch)
        self._step = self._mirror.fill(0, objects_of(rows), revision)

    def _read(self, offset: int, body: list[Any]) -> None:
        epoch, revision, _, rows = body
        if self._step is not Step.NONE:
            return
        if epoch != self._mirror.epoch:
            self._step = Step.READ_ALL
            return
        if not rows and offset < len(self._mirror) and revision == self._mirror.revision:
            self._step = Step.READ_ALL  # the list is shorter than the updates say
            return
        self._step = self._mirror.fill(offset, objects_of(rows), revision)

    def _caught_up(self, body: list[Any]) -> None:
        current, batches = body
        for batch in batches:
            if self._mirror.apply(Update.of_batch(batch)) is not Step.NONE:
                self._step = Step.READ_ALL
                return
        if self._mirror.revision >= current:
            self._step = Step.NONE
        elif not batches:
            self._step = Step.READ_ALL


class _Batches(AsyncIterator[list[Change]]):
    """An iterator over groups of changes. An async generator would end with the first cancelled wait."""

    def __init__(self, following: Callable[[], Awaitable[list[Change]]], close: Callable[[], None]) -> None:
        self._following = following
        self.close = close

    async def __anext__(self) -> list[Change]:
        return await self._following()


def _stop(presence: Presence, subscriptions: list[Subscription]) -> None:
    presence.stop()
    for subscription in subscriptions:
        subscription.cancel()
