# SPDX-License-Identifier: Apache-2.0
"""Whether a list exists: through restarts of the daemon, loss of the bus, and lists that are made anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ._errors import Disconnected, ListdError, NoSuchAdapter, Unavailable, UnknownObject
from ._link import Incarnation, Link
from ._names import ADAPTERS_PATH, OBJECT_MANAGER, adapter_path
from ._weak import weakly
from ._wire import Subscription

#: Seconds that a list may be away, as a reload of the configuration makes some anew, before it counts as removed.
PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Target:
    """A list that is followed, viewed or listened to."""

    name: str
    #: Seconds that it may be away, once it was there.
    patience: float = PATIENCE
    #: Of a filter, the list that it follows: its own name means nothing to anybody.
    base: str | None = None

    @property
    def path(self) -> str:
        """Its object path."""
        return adapter_path(self.name)

    def within(self, patience: float | None) -> Target:
        """The same with another patience, unless that is None."""
        if patience is None:
            return self
        if not patience >= 0:
            raise ValueError(f"patience is a number of seconds, not {patience}")
        return replace(self, patience=float(patience))

    def missing(self) -> NoSuchAdapter:
        """The error that the list does not exist."""
        if self.base is not None:
            return NoSuchAdapter(f"there is no list {self.base!r}, which is filtered")
        return NoSuchAdapter(f"there is no list {self.name!r}")


class Attached(Protocol):
    """The owner of a presence, which is attached to a list while that exists."""

    def _attach(self, daemon: Incarnation) -> None:
        """Attaches to the list of this daemon; calls ``found`` or ``missed``."""

    def _detach(self) -> None:
        """Detaches, as the list was removed or replaced; a second call has no effect."""

    def _give_up(self, error: ListdError) -> None:
        """The list was not made again."""


class Presence:
    """Attaches its owner, to which it holds a weak reference, to a list whenever the list exists."""

    def __init__(self, link: Link, target: Target, owner: Attached) -> None:
        self._link = link
        self._target = target
        self._path = target.path
        self._patience = target.patience
        self._attach = weakly(owner._attach)
        self._detach = weakly(owner._detach)
        self._give_up: Callable[[ListdError], None] = weakly(owner._give_up)
        self._daemon: Incarnation | None = None
        self._lists: Subscription | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_known = False
        self._has_waited = False

    def start(self) -> None:
        """Begins to search for the list."""
        if self._link.is_closed:
            self._give_up(Unavailable("the connection was closed"))
        else:
            self._link.watch(self)

    def stop(self) -> None:
        """Stops searching."""
        self._link.unwatch(self)
        self._leave()

    def found(self) -> None:
        """The list exists: the owner's call has succeeded."""
        self._is_known = True
        self._has_waited = False
        self._stop_waiting()

    def missed(self, error: ListdError) -> None:
        """The owner's call has failed. A list that existed before is waited for; any other error is final."""
        if isinstance(error, (Disconnected, Unavailable)):
            # The daemon has ended, which will be reported next. A bus may also have dropped the answer: then the call is
            # repeated.
            if self._daemon is not None and self._timer is None:
                self._timer = self._link.loop.call_later(self._patience, weakly(self._ask_again))
        elif not isinstance(error, (NoSuchAdapter, UnknownObject)):
            self._end(error)
        elif not self._is_known or self._has_waited:
            self._end(self._target.missing())
        elif self._timer is None:
            self._wait()

    def _end(self, error: ListdError) -> None:
        self.stop()
        self._give_up(error)

    # MARK: the daemon

    def _appeared(self, daemon: Incarnation) -> None:
        """A daemon can be called."""
        self._leave()
        self._daemon = daemon
        # Subscribed before the owner's call, so that a list that is made right after it is not missed.
        self._lists = daemon.listen(ADAPTERS_PATH, OBJECT_MANAGER, weakly(self._lists_changed), weakly(self._end))
        self._attach(daemon)

    def _vanished(self) -> None:
        """The daemon has ended."""
        self._leave()
        if self._link.is_closed:
            self._give_up(Unavailable("the connection was closed"))

    def _leave(self) -> None:
        self._daemon = None
        if self._lists is not None:
            self._lists.cancel()
            self._lists = None
        self._stop_waiting()
        self._has_waited = False
        self._detach()

    # MARK: the list

    def _lists_changed(self, member: str, body: list[Any]) -> None:
        if body[0] != self._path:
            return
        if member == "InterfacesRemoved":
            self._detach()
            self._wait()
        elif member == "InterfacesAdded" and self._timer is not None:
            self._look()

    def _wait(self) -> None:
        self._stop_waiting()
        self._has_waited = False
        self._timer = self._link.loop.call_later(self._patience, weakly(self._is_late))

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_late(self) -> None:
        self._timer = None
        self._has_waited = True
        self._look()

    def _ask_again(self) -> None:
        self._timer = None
        self._look()

    def _look(self) -> None:
        if self._daemon is not None:
            self._detach()
            self._attach(self._daemon)


