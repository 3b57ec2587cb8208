# SPDX-License-Identifier: Apache-2.0
"""Tracks whether a list exists, over restarts of the daemon, loss of the bus, and re-creation of the list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ._errors import Disconnected, ListdError, NoSuchAdapter, Unavailable, UnknownObject
from ._link import Incarnation, Link
from ._names import MANAGER_PATH, OBJECT_MANAGER, adapter_path
from ._weak import weakly
from ._wire import Subscription

#: Seconds that a list may be missing before it counts as removed. A reload of the configuration creates some lists again.
PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Target:
    """A list that is followed, viewed or listened to."""

    name: str
    #: Seconds that the list may be missing, once it existed.
    patience: float = PATIENCE
    #: For a filter, the name of the list that it follows, for messages. Users do not know the filter's own name.
    base: str | None = None

    @property
    def path(self) -> str:
        """The object path of the list."""
        return adapter_path(self.name)

    def within(self, patience: float | None) -> Target:
        """Returns a copy with another patience, unless that is None."""
        if patience is None:
            return self
        if not patience >= 0:
            raise ValueError(f"patience is a number of seconds, not {patience}")
        return replace(self, patience=float(patience))

    def missing(self) -> NoSuchAdapter:
        """Returns the error for a missing list."""
        if self.base is not None:
            return NoSuchAdapter(f"there is no list {self.base!r}, which is filtered")
        return NoSuchAdapter(f"there is no list {self.name!r}")


class Attached(Protocol):
    """The owner of a presence, which the presence attaches to the list while the list exists."""

    def _attach(self, daemon: Incarnation) -> None:
        """Attaches to the list of this daemon; calls ``found`` or ``missed``."""

    def _detach(self) -> None:
        """Detaches after the list was removed or replaced. A second call has no effect."""

    def _give_up(self, error: ListdError) -> None:
        """The list was not created again in time."""


class Presence:
    """Attaches an owner, held by a weak reference, to a list whenever the list exists."""

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
        """Records that the owner's call has succeeded, so the list exists."""
        self._is_known = True
        self._has_waited = False
        self._stop_waiting()

    def missed(self, error: ListdError) -> None:
        """Records that the owner's call has failed. If the list existed before, waits for it; any other error is final."""
        if isinstance(error, (Disconnected, Unavailable)):
            # The daemon has ended, which will be reported next. Or the bus has dropped the reply; then the call is
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
        """A daemon is available."""
        self._leave()
        self._daemon = daemon
        # Subscribed before the owner's call, so that the creation of the list in the meantime is not missed.
        self._lists = daemon.listen(MANAGER_PATH, OBJECT_MANAGER, weakly(self._lists_changed), weakly(self._end))
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


