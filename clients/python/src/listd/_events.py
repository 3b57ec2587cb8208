# SPDX-License-Identifier: Apache-2.0
"""Events about items that other clients display and select, for helpers such as programs that make thumbnails of displayed
items."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar

from ._errors import ListdError
from ._link import Incarnation, Link, ListSubscription
from ._names import ADAPTER, PROPERTIES
from ._presence import Presence, Target
from ._weak import weakly
from ._wire import Reply, Subscription


class Section(NamedTuple):
    """A section of a list and the object that it shows.

    :ivar position: its position in the list; for a section that leaves, the last known one.
    :ivar id: the id of its object.
    """

    position: int
    id: str


class Item(NamedTuple):
    """An item of a section.

    :ivar position: the position of its section in the list; for an item that leaves, the last known one.
    :ivar id: the id of its section's object.
    :ivar item: its index in the section.
    """

    position: int
    id: str
    item: int


@dataclass(frozen=True, slots=True)
class DisplayChange:
    """Items that a view has begun or ended displaying, since the last event of this view.

    :ivar view: the object path of the view.
    :ivar revision: the list's revision.
    :ivar will_display: sections whose first item is displayed now.
    :ivar did_end_displaying: sections whose last item is no longer displayed.
    :ivar items_will_display: items that are displayed now.
    :ivar items_did_end_displaying: items that are no longer displayed.
    """

    view: str
    revision: int
    will_display: tuple[Section, ...] = ()
    did_end_displaying: tuple[Section, ...] = ()
    items_will_display: tuple[Item, ...] = ()
    items_did_end_displaying: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkingRangeChange:
    """Sections that entered and exited a view's working range, since the last event of this view.

    :ivar view: the object path of the view.
    :ivar revision: the list's revision.
    :ivar entered: sections that entered.
    :ivar exited: sections that exited.
    :ivar items_entered: items that entered the range of a view with ``working_range_unit="items"``; else empty.
    :ivar items_exited: items that exited the range of such a view; else empty.
    """

    view: str
    revision: int
    entered: tuple[Section, ...] = ()
    exited: tuple[Section, ...] = ()
    items_entered: tuple[Item, ...] = ()
    items_exited: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class SelectionChange:
    """Items that were selected and deselected, as (object id, item).

    :ivar revision: the list's revision.
    :ivar selected: items that are selected now and were not before.
    :ivar deselected: items that were selected and are no longer.
    """

    revision: int
    selected: tuple[tuple[str, int], ...] = ()
    deselected: tuple[tuple[str, int], ...] = ()


E = TypeVar("E")
Key = TypeVar("Key", bound=tuple[object, ...])


class _Present(Generic[Key]):
    """A set, together with its last reported state. Elements that are added and removed between two reports are never reported,
    so memory is bounded by the set."""

    def __init__(self) -> None:
        self._now: dict[Key, int] = {}
        self._told: dict[Key, int] = {}

    def enter(self, key: Key, index: int) -> None:
        """Adds an element."""
        self._now[key] = index

    def leave(self, key: Key, index: int) -> None:
        """Removes an element."""
        if self._now.pop(key, None) is not None and key in self._told:
            self._told[key] = index

    def clear(self) -> None:
        """Removes all elements."""
        self._now.clear()

    def take(self) -> tuple[list[tuple[Key, int]], list[tuple[Key, int]]]:
        """Returns the elements to report as added and as removed, each with its index."""
        came = sorted(((key, index) for key, index in self._now.items() if key not in self._told), key=_place)
        gone = sorted(((key, index) for key, index in self._told.items() if key not in self._now), key=_place)
        self._told = dict(self._now)
        return came, gone

    @property
    def is_empty(self) -> bool:
        """Whether the set and its last reported state are empty."""
        return not self._now and not self._told


def _place(entry: tuple[tuple[object, ...], int]) -> tuple[int, str]:
    return entry[1], repr(entry[0])


class EventStream(AsyncIterator[E]):
    """A stream of a list's events, until the stream is closed. Events that a slow consumer missed are coalesced to one for each
    view.

    When listd or the bus ends, items on the screen are reported as no longer displayed; views that are opened again report them
    again. Items that were displayed before the stream started are not reported. A helper that must not miss any item starts
    before its viewers.
    """

    _word: str
    _member: str

    def __init__(self, link: Link, target: Target) -> None:
        self._loop = link.loop
        self._path = target.path
        self._presence = Presence(link, target, self)
        self._subscriptions: list[Subscription] = []
        self._subscription: ListSubscription | None = None
        self._daemon: Incarnation | None = None
        self._attachment = 0
        self._waiter: asyncio.Future[None] | None = None
        self._error: ListdError | None = None
        self._is_started = False
        self._is_closed = False
        self._revision = 0

    def start(self) -> Self:
        """Listens from now on, not only from the first ``async for`` on."""
        if not self._is_started:
            self._is_started = True
            self._presence.start()
        return self

    async def __anext__(self) -> E:
        if self._waiter is not None:
            raise RuntimeError("a stream of events can have only one consumer")
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
        """Ends the iteration; a second call has no effect."""
        if not self._is_closed:
            self._is_closed = True
            self._presence.stop()
            self._wake()

    async def aclose(self) -> None:
        """Equivalent to :meth:`close`, for :func:`contextlib.aclosing`."""
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
        listeners = [
            daemon.listen(self._path, ADAPTER, weakly(self._heard), lost),
            daemon.listen(self._path, PROPERTIES, weakly(self._property_changed), lost),
        ]
        self._subscription = daemon.subscribe(self._path, self._word, lost)
        self._subscriptions = [*listeners, self._subscription]
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
        """The list was removed, so none of its items is displayed or selected."""
        self._attachment += 1
        self._daemon = None
        self._subscription = None
        subscriptions, self._subscriptions = self._subscriptions, []
        for subscription in subscriptions:
            subscription.cancel()
        self._forget()
        self._wake()

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
        if member == self._member:
            self._record(body)
            self._wake()

    # MARK: what differs

    def _begin(self, properties: dict[str, Any]) -> None:
        """The list exists."""

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
    """Events of single views."""

    def __init__(self, link: Link, target: Target) -> None:
        super().__init__(link, target)
        self._sections: dict[str, _Present[tuple[str]]] = {}
        self._items: dict[str, _Present[tuple[str, int]]] = {}
        #: Views with unreported events, in the order of the events.
        self._dirty: dict[str, None] = {}

    def _record(self, body: list[Any]) -> None:
        view, self._revision, came, gone = body[:4]
        items_came, items_gone = self._items_of(body)
        sections = self._sections.setdefault(view, _Present())
        # An element that both left and entered in one signal has moved. Its removal comes first, if the element was
        # present.
        for index, id in gone:
            sections.leave((id,), index)
        for index, id in came:
            sections.enter((id,), index)
        if items_came or items_gone:
            items = self._items.setdefault(view, _Present())
            for index, id, item in items_gone:
                items.leave((id, item), index)
            for index, id, item in items_came:
                items.enter((id, item), index)
        self._dirty[view] = None

    def _items_of(self, body: list[Any]) -> tuple[list[Any], list[Any]]:
        """Returns the items that a signal says came and went, each as (section, object id, item)."""
        raise NotImplementedError

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
    """A stream of the items that views begin and end displaying."""

    _word, _member = "display", "DisplayChanged"

    def _items_of(self, body: list[Any]) -> tuple[list[Any], list[Any]]:
        return body[4], body[5]

    def _make(
        self, view: str, came: list[Section], gone: list[Section], items_came: list[Item], items_gone: list[Item]
    ) -> DisplayChange:
        return DisplayChange(view, self._revision, tuple(came), tuple(gone), tuple(items_came), tuple(items_gone))


class WorkingRangeEvents(_OfViews[WorkingRangeChange]):
    """A stream of the sections, and items, that enter and exit views' working ranges."""

    _word, _member = "working-range", "WorkingRangeChanged"

    def _items_of(self, body: list[Any]) -> tuple[list[Any], list[Any]]:
        details = body[4]
        came, gone = (details.get(key) for key in ("items-will-enter", "items-did-exit"))
        return came.value if came else [], gone.value if gone else []

    def _make(
        self, view: str, came: list[Section], gone: list[Section], items_came: list[Item], items_gone: list[Item]
    ) -> WorkingRangeChange:
        return WorkingRangeChange(
            view, self._revision, tuple(came), tuple(gone), tuple(items_came), tuple(items_gone)
        )


class SelectionEvents(EventStream[SelectionChange]):
    """A stream of the selection: first all selected items, then each change. A selection ends with the daemon."""

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
