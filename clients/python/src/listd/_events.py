# SPDX-License-Identifier: Apache-2.0
"""What others look at and select: for helpers that make thumbnails of what is on somebody's screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

from ._errors import ListdError
from ._link import Incarnation, Link
from ._names import ADAPTER, PROPERTIES
from ._presence import Presence, Target
from ._weak import weakly
from ._wire import Reply, Subscription


class Section(NamedTuple):
    """A section of a list and the object that it shows.

    :ivar position: its position in the list; of one that leaves, the last one known.
    :ivar id: the id of its object.
    """

    position: int
    id: str


class Item(NamedTuple):
    """An item of a section.

    :ivar position: the position of its section in the list; of one that leaves, the last one known.
    :ivar id: the id of its section's object.
    :ivar item: its number in the section.
    """

    position: int
    id: str
    item: int


@dataclass(frozen=True, slots=True)
class DisplayChange:
    """What came onto somebody's screen and what left it, since the last one of this view.

    :ivar view: the object path of the view.
    :ivar revision: the list's revision.
    :ivar will_display: sections of which the first item came.
    :ivar did_end_displaying: sections of which the last item left.
    :ivar items_will_display: items that came.
    :ivar items_did_end_displaying: items that left.
    """

    view: str
    revision: int
    will_display: tuple[Section, ...] = ()
    did_end_displaying: tuple[Section, ...] = ()
    items_will_display: tuple[Item, ...] = ()
    items_did_end_displaying: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkingRangeChange:
    """What came near to somebody's screen and what is far from it again, since the last one of this view.

    :ivar view: the object path of the view.
    :ivar revision: the list's revision.
    :ivar entered: sections that came near.
    :ivar exited: sections that are far again.
    """

    view: str
    revision: int
    entered: tuple[Section, ...] = ()
    exited: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectionChange:
    """What was selected and deselected, as (object id, item).

    :ivar revision: the list's revision.
    :ivar selected: what is selected now and was not.
    :ivar deselected: what was selected and is no longer.
    """

    revision: int
    selected: tuple[tuple[str, int], ...] = ()
    deselected: tuple[tuple[str, int], ...] = ()


E = TypeVar("E")
Key = TypeVar("Key", bound=tuple[object, ...])


class _Present(Generic[Key]):
    """What is there, and what was told to be. What comes and goes between two tellings is never told: memory is bounded
    by what is there."""

    def __init__(self) -> None:
        self._now: dict[Key, int] = {}
        self._told: dict[Key, int] = {}

    def enter(self, key: Key, index: int) -> None:
        """It is there."""
        self._now[key] = index

    def leave(self, key: Key, index: int) -> None:
        """It is no longer there."""
        if self._now.pop(key, None) is not None and key in self._told:
            self._told[key] = index

    def clear(self) -> None:
        """Nothing is there any more."""
        self._now.clear()

    def take(self) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """What came and what went, each with its index."""
        came = sorted(((key, index) for key, index in self._now.items() if key not in self._told), key=_place)
        gone = sorted(((key, index) for key, index in self._told.items() if key not in self._now), key=_place)
        self._told = dict(self._now)
        return came, gone

    @property
    def is_empty(self) -> bool:
        """Whether nothing is there, and nothing was told to be."""
        return not self._now and not self._told


def _place(entry: tuple[tuple[object, ...], int]) -> tuple[int, str]:
    return entry[1], repr(entry[0])


class EventStream(AsyncIterator[E]):
    """Events of a list, until it is closed: what a slow consumer missed is joined to one event for each view.

    What is on a screen when listd or the bus goes has left it; views that are opened again tell anew. What was on a
    screen before the stream began is not told: a helper that must not miss anything starts before its viewers.
    """

    _word: str
    _member: str

    def __init__(self, link: Link, target: Target) -> None:
        self._loop = link.loop
        self._path = target.path
        self._presence = Presence(link, target, self)
        self._subscriptions: list[Subscription] = []
        self._daemon: Incarnation | None = None
        self._attachment = 0
        self._waiter: asyncio.Future[None] | None = None
        self._error: ListdError | None = None
        self._is_started = False
        self._is_closed = False
        self._revision = 0

    def start(self) -> Self:
        """Listens from now on, and not only from the first ``async for`` on."""
        if not self._is_started:
            self._is_started = True
            self._presence.start()
        return self

    async def __anext__(self) -> E:
        if self._waiter is not None:
            raise RuntimeError("a stream of events has one consumer")
        self.start()
        try:
            while True:
                if (event := self._take()) is not None:
                    return event
                if self._error is not None:
                    raise self._error
                if self._is_closed:
                    raise StopAsyncIteration
                self._waiter = self._loop.create_future()
                await self._waiter
        finally:
            self._waiter = None

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the iteration; more than once it does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._presence.stop()
            self._wake()

    async def aclose(self) -> None:
        """The same as :meth:`close`, for :func:`contextlib.aclosing`."""
        self.close()

    def __del__(self) -> None:
        if not self._is_closed and not self._loop.is_closed():
            presence, subscriptions = self._presence, self._subscriptions
            self._loop.call_soon_threadsafe(_stop, presence, subscriptions)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # MARK: the list

    def _attach(self, daemon: Incarnation) -> None:
        """Listens to the list of this daemon."""
        self._detach()
        attachment = self._attachment
        lost = weakly(self._lost)
        self._subscriptions = [
            daemon.listen(self._path, ADAPTER, weakly(self._heard), lost),
            daemon.listen(self._path, PROPERTIES, weakly(self._property_changed), lost),
            daemon.subscribe(self._path, self._word, lost),
        ]
        self._daemon = daemon
        answered = weakly(self._attached)
        daemon.call(self._path, PROPERTIES, "GetAll", "s", [ADAPTER], lambda result: answered(attachment, result))

    def _attached(self, attachment: int, result: Reply | ListdError) -> None:
        if attachment != self._attachment:
            return
        if isinstance(result, ListdError):
            self._lost(result)
        else:
            self._presence.found()
            self._begin(result.body[0])

    def _lost(self, error: ListdError) -> None:
        self._detach()
        self._presence.missed(error)

    def _detach(self) -> None:
        """The list is gone, and with it what anybody saw of it."""
        self._attachment += 1
        self._daemon = None
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.cancel()
        self._forget()
        self._wake()

    def _give_up(self, error: ListdError) -> None:
        """The list does not come back."""
        if self._error is None:
            self._error = error
        self._wake()

    def _property_changed(self, member: str, body: list[Any]) -> None:
        """Whoever may no longer read the list is not told so, but of its new options: ask."""
        if self._daemon is not None and "Options" in body[1]:
            self._daemon.renew(self._path, weakly(self._lost))

    def _heard(self, member: str, body: list[Any]) -> None:
        if member == self._member:
            self._record(body)
            self._wake()

    # MARK: what differs

    def _begin(self, properties: dict[str, Any]) -> None:
        """The list is there."""

    def _record(self, body: list[Any]) -> None:
        raise NotImplementedError

    def _forget(self) -> None:
        raise NotImplementedError

    def _take(self) -> E | None:
        raise NotImplementedError


def _stop(presence: Presence, subscriptions: list[Subscription]) -> None:
    presence.stop()
    for subscription in subscriptions:
        subscription.cancel()


class _OfViews(EventStream[E]):
    """Events that come by view."""

    def __init__(self, link: Link, target: Target) -> None:
        super().__init__(link, target)
        self._sections: dict[str, _Present[tuple[str]]] = {}
        self._items: dict[str, _Present[tuple[str, int]]] = {}
        #: Views with something to tell, in the order in which it came.
        self._dirty: dict[str, None] = {}

    def _record(self, body: list[Any]) -> None:
        view, self._revision, came, gone = body[:4]
        sections = self._sections.setdefault(view, _Present())
        # What both came and went in one signal has moved on: it went first, when it was there.
        for index, id in gone:
            sections.leave((id,), index)
        for index, id in came:
            sections.enter((id,), index)
        if len(body) > 4:
            items = self._items.setdefault(view, _Present())
            for index, id, item in body[5]:
                items.leave((id, item), index)
            for index, id, item in body[4]:
                items.enter((id, item), index)
        self._dirty[view] = None

    def _forget(self) -> None:
        for view, sections in self._sections.items():
            sections.clear()
            self._dirty[view] = None
        for items in self._items.values():
            items.clear()

    def _take(self) -> E | None:
        while self._dirty:
            view = next(iter(self._dirty))
            del self._dirty[view]
            came, gone = self._sections[view].take()
            items_came, items_gone = self._items[view].take() if view in self._items else ([], [])
            if self._sections[view].is_empty and (view not in self._items or self._items[view].is_empty):
                del self._sections[view]
                self._items.pop(view, None)
            if came or gone or items_came or items_gone:
                return self._make(
                    view,
                    [Section(index, *key) for key, index in came],
                    [Section(index, *key) for key, index in gone],
                    [Item(index, *key) for key, index in items_came],
                    [Item(index, *key) for key, index in items_gone],
                )
        return None

    def _make(
        self, view: str, came: list[Section], gone: list[Section], items_came: list[Item], items_gone: list[Item]
    ) -> E:
        raise NotImplementedError


class DisplayEvents(_OfViews[DisplayChange]):
    """What comes onto screens and leaves them."""

    _word, _member = "display", "DisplayChanged"

    def _make(
        self, view: str, came: list[Section], gone: list[Section], items_came: list[Item], items_gone: list[Item]
    ) -> DisplayChange:
        return DisplayChange(view, self._revision, tuple(came), tuple(gone), tuple(items_came), tuple(items_gone))


class WorkingRangeEvents(_OfViews[WorkingRangeChange]):
    """What comes near to screens: the range around what is visible."""

    _word, _member = "working-range", "WorkingRangeChanged"

    def _make(
        self, view: str, came: list[Section], gone: list[Section], items_came: list[Item], items_gone: list[Item]
    ) -> WorkingRangeChange:
        return WorkingRangeChange(view, self._revision, tuple(came), tuple(gone))


class SelectionEvents(EventStream[SelectionChange]):
    """What is selected: first all that is, then each change. A selection ends with the daemon."""

    _word, _member = "selection", "SelectionChanged"

    def __init__(self, link: Link, target: Target) -> None:
        super().__init__(link, target)
        self._present: _Present[tuple[str, int]] = _Present()

    def _begin(self, properties: dict[str, Any]) -> None:
        self._present.clear()
        selected = properties.get("SelectedItems")
        for id, item in selected.value if selected is not None else ():
            self._present.enter((id, item), 0)
        self._wake()

    def _record(self, body: list[Any]) -> None:
        self._revision = body[0]
        for id, item in body[2]:
            self._present.leave((id, item), 0)
        for id, item in body[1]:
            self._present.enter((id, item), 0)

    def _forget(self) -> None:
        self._present.clear()

    def _take(self) -> SelectionChange | None:
        came, gone = self._present.take()
        if not came and not gone:
            return None
        return SelectionChange(self._revision, tuple(key for key, _ in came), tuple(key for key, _ in gone))
