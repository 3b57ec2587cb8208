# SPDX-License-Identifier: Apache-2.0
"""The same API without an event loop, for scripts.

::

    import listd.sync

    with listd.sync.connect() as d:
        mail = d.list("mail")
        with mail.transaction() as t:
            t.upsert("m1", {"subject": "Hi"}, first=True)
        for change in mail.follow():
            print(change)

The connection is served by a separate thread, so that it stays open while the script does something else. A call waits without
limit, or raises :exc:`TimeoutError` after the ``timeout`` seconds of :func:`connect`. Such a call may still take effect. Errors,
units and odd cases are those of :mod:`listd`. Several threads may use an object; only one thread may use an iterator.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, Unpack

from . import _daemon, _filter, _list, _view
from ._changes import Change
from ._actions import Invoked, NearEnd
from ._events import DisplayChange, SelectionChange, WorkingRangeChange
from ._follow import Follower
from ._info import (
    ClientInfo,
    ListInfo,
    ListProperties,
    LogLevel,
    Loss,
    ManagerProperties,
    PluginInfo,
    PluginProperties,
    ViewInfo,
)
from ._list import ALL
from ._objects import Object
from ._options import ListOptions, ViewOptions
from ._picture import Picture
from ._results import Found, Hit, ItemCounts, ListItem, Page
from ._runner import Events, Runner
from ._transaction import Transaction
from ._view import Phase, Where

__all__ = ["Changes", "Daemon", "Events", "FilteredList", "List", "View", "connect"]


class Changes(Events[Change]):
    """The changes of a list: see :class:`listd.Follower`."""

    _source: Follower

    @property
    def revision(self) -> int:
        """The list's revision after the last returned changes; 0 before the first ones."""
        return self._source.revision

    @property
    def epoch(self) -> str:
        """The epoch of :attr:`revision`; another epoch means that the list was created again."""
        return self._source.epoch

    @property
    def complete(self) -> bool:
        """Whether the copy equals the list at :attr:`revision`: see :attr:`listd.Follower.complete`."""
        return self._source.complete

    def batches(self) -> Events[builtins.list[Change]]:
        """The changes in groups: after each group the copy equals the list at :attr:`revision` if :attr:`complete` is true. See
        :meth:`listd.Follower.batches`."""
        return Events(self._runner, self._source.batches())

    def reached(self, revision: int) -> builtins.list[Change]:
        """Waits until the list is at a revision, and returns all changes up to it: see :meth:`listd.Follower.reached`."""
        return self._runner.run(self._source.reached(revision))


class View(Events[Picture]):
    """A view of a list: see :class:`listd.View`."""

    _source: _view.View

    @property
    def picture(self) -> Picture:
        """The newest picture. Reading it acknowledges it."""

        async def newest() -> Picture:
            return self._source.picture

        return self._runner.run(newest())

    def show(
        self, first: int | tuple[int, int], last: int | tuple[int, int], revision: int | None = None
    ) -> Picture:
        """Sets the visible rows, in layout ``none``: the first and the last one, both included."""
        return self._runner.run(self._source.show(first, last, revision))

    def scroll(self, x: float, y: float, width: float, height: float) -> Picture:
        """Sets the visible part of the content, in the units of the layout."""
        return self._runner.run(self._source.scroll(x, y, width, height))

    def scroll_to(self, id: str, item: int = 0, position: Where = "none") -> Picture:
        """Scrolls an item into the viewport: ``none`` is the shortest way."""
        return self._runner.run(self._source.scroll_to(id, item, position))

    def report_scroll(self, phase: Phase) -> None:
        """As :meth:`listd.View.report_scroll`."""
        self._runner.run(self._source.report_scroll(phase))

    def set_on_screen(self, on_screen: bool) -> None:
        """As :meth:`listd.View.set_on_screen`."""
        self._runner.run(self._source.set_on_screen(on_screen))

    def report_sizes(self, sizes: Iterable[tuple[str, int, float, float]]) -> Picture:
        """Replaces estimated sizes by measured ones: object id, item, width, height."""
        return self._runner.run(self._source.report_sizes(sizes))

    def select(self, id: str, item: int = 0) -> bool:
        """Selects an item; returns whether it is selected now."""
        return self._runner.run(self._source.select(id, item))

    def deselect(self, id: str, item: int = 0) -> bool:
        """Deselects an item; returns whether it is deselected now."""
        return self._runner.run(self._source.deselect(id, item))

    def change_selection(
        self, select: Iterable[tuple[str, int]] = (), deselect: Iterable[tuple[str, int]] = ()
    ) -> _view.SelectionResult:
        """Selects and deselects many items, given as (object id, item)."""
        return self._runner.run(self._source.change_selection(select, deselect))

    def invoke(self, id: str, action: str, parameters: Mapping[str, Any] | None = None, item: int = 0) -> bool:
        """Invokes an action on an item; returns whether it was handled."""
        return self._runner.run(self._source.invoke(id, action, parameters, item))

    def set_highlighted(self, id: str, item: int = 0, highlighted: bool = True) -> None:
        """Reports to the section controller that an item is pressed, or no longer pressed."""
        self._runner.run(self._source.set_highlighted(id, item, highlighted))

    def move_item(self, origin: tuple[int, int], target: tuple[int, int]) -> bool:
        """Moves an item: (section, item) before, and after the move. Returns False when refused."""
        return self._runner.run(self._source.move_item(origin, target))

    def __enter__(self) -> Self:
        self._runner.run(self._source.__aenter__())
        return self


class List:
    """A list by its name: see :class:`listd.List`.

    :ivar name: its name.
    :ivar path: its object path.
    """

    def __init__(self, runner: Runner, inner: _list.List) -> None:
        self._runner = runner
        self._inner = inner
        self.name = inner.name
        self.path = inner.path

    @contextmanager
    def transaction(
        self, expected_revision: int = 0, *, animated: bool = True, epoch: str = ""
    ) -> Iterator[Transaction]:
        """Returns a transaction, which applies several changes at once when the ``with`` block ends."""
        transaction = self._inner.transaction(expected_revision, animated=animated, epoch=epoch)
        yield transaction
        self._runner.run(transaction.__aexit__(None, None, None))

    def replace(
        self,
        objects: Iterable[Object],
        expected_revision: int = 0,
        *,
        animated: bool = True,
        duplicates: Literal["drop", "fail"] = "drop",
        epoch: str = "",
        identify: Literal["none", "content"] | None = None,
    ) -> int:
        """Replaces the objects of the list by these, in this order; returns the revision that contains the effect."""
        return self._runner.run(
            self._inner.replace(
                objects,
                expected_revision,
                animated=animated,
                duplicates=duplicates,
                epoch=epoch,
                identify=identify,
            )
        )

    def replace_from(
        self,
        file: IO[bytes],
        expected_revision: int = 0,
        *,
        animated: bool = True,
        duplicates: Literal["drop", "fail"] = "drop",
        epoch: str = "",
        identify: Literal["none", "content"] | None = None,
    ) -> int:
        """Replaces the objects of the list by those from an open file with JSON lines."""
        return self._runner.run(
            self._inner.replace_from(
                file,
                expected_revision,
                animated=animated,
                duplicates=duplicates,
                epoch=epoch,
                identify=identify,
            )
        )

    def patch(
        self, id: str, set: Mapping[str, Any] | None = None, unset: Iterable[str] = (), expected_revision: int = 0
    ) -> int:
        """Sets some fields of an object and removes others."""
        return self._runner.run(self._inner.patch(id, set, unset, expected_revision))

    def move(
        self,
        id: str,
        *,
        first: bool = False,
        last: bool = False,
        before: str | None = None,
        after: str | None = None,
        expected_revision: int = 0,
    ) -> int:
        """Moves an object."""
        return self._runner.run(
            self._inner.move(
                id, first=first, last=last, before=before, after=after, expected_revision=expected_revision
            )
        )

    def reload(self, ids: Iterable[str] | None = None) -> int:
        """Makes listd build the items of these objects, or of all objects, again."""
        return self._runner.run(self._inner.reload(ids))

    def objects(self) -> Sequence[Object]:
        """All objects, as of one revision."""
        return self._runner.run(self._inner.objects())

    def page(self, offset: int = 0, limit: int = ALL) -> Page:
        """A part of the list."""
        return self._runner.run(self._inner.page(offset, limit))

    def find(self, id: str) -> Found:
        """An object by its id, and its position."""
        return self._runner.run(self._inner.find(id))

    def items(
        self, first: int = 0, count: int = ALL, fields: Iterable[str] = ()
    ) -> builtins.list[ListItem]:
        """The items of some sections."""

        async def all_items() -> builtins.list[ListItem]:
            return [item async for item in self._inner.items(first, count, fields)]

        return self._runner.run(all_items())

    def item_counts(self, first: int = 0, count: int = ALL) -> ItemCounts:
        """The numbers of items of some sections."""
        return self._runner.run(self._inner.item_counts(first, count))

    def search(
        self, text: str, fields: Iterable[str] = (), start: int = 0, *, backwards: bool = False
    ) -> Hit | None:
        """The next object with a text that contains ``text``; None when no object does."""
        return self._runner.run(self._inner.search(text, fields, start, backwards=backwards))

    @contextmanager
    def filter(
        self,
        contains: str = "",
        fields: Iterable[str] = (),
        *,
        type: str | None = None,
        sort: str | None = None,
        limit: int = 0,
        patience: float | None = None,
    ) -> Iterator[FilteredList]:
        """A list with some objects of this list, as long as the ``with`` block runs; see :meth:`listd.List.filter`."""
        inner = self._inner.filter(contains, fields, type=type, sort=sort, limit=limit, patience=patience)
        try:
            yield FilteredList(self._runner, self._runner.run(inner.__aenter__()))
        finally:
            self._runner.run(inner.__aexit__(None, None, None))

    def set_source_argument(self, argument: str) -> int:
        """Changes the text after ``?`` in the source of a ``list:`` list."""
        return self._runner.run(self._inner.set_source_argument(argument))

    def export(self, file: IO[bytes], offset: int = 0, limit: int = ALL) -> int:
        """Writes objects to an open file, as JSON lines; returns their revision."""
        return self._runner.run(self._inner.export(file, offset, limit))

    def revision(self) -> int:
        """The number of transactions that were applied, in the present epoch."""
        return self._runner.run(self._inner.revision())

    def properties(self) -> ListProperties:
        """The properties of the list."""
        return self._runner.run(self._inner.properties())

    def follow(self, *, patience: float | None = None) -> Changes:
        """The list and its changes: ``for change in mail.follow(): change.apply(rows)``; see :meth:`listd.List.follow`."""
        return Changes(self._runner, self._inner.follow(patience=patience))

    def view(self, *, patience: float | None = None, **options: Unpack[ViewOptions]) -> View:
        """A view of the list: ``with mail.view(layout="none") as view: view.show(0, 40)``; see :meth:`listd.List.view`."""
        return View(self._runner, self._inner.view(patience=patience, **options))

    def display_events(self) -> Events[DisplayChange]:
        """Items that all viewers begin and end displaying."""
        return self._events(self._inner.display_events())

    def working_range_events(self) -> Events[WorkingRangeChange]:
        """Sections that enter and exit all viewers' working ranges."""
        return self._events(self._inner.working_range_events())

    def near_end_events(self) -> Events[NearEnd]:
        """A stream of views that come close to the end."""
        return self._events(self._inner.near_end_events())

    def on_invoked(self) -> Events[Invoked]:
        """Actions that viewers invoke and no section controller handles."""
        return self._events(self._inner.on_invoked())

    def selection_events(self) -> Events[SelectionChange]:
        """The selection: first all selected items, then each change."""
        return self._events(self._inner.selection_events())

    def _events(self, stream: Any) -> Events[Any]:
        async def start() -> None:
            stream.start()

        self._runner.run(start())
        return Events(self._runner, stream)


class FilteredList(List):
    """The list of a filter, with objects of another list: see :class:`listd.FilteredList`."""

    _inner: _filter.FilteredList

    def change(
        self,
        contains: str = "",
        fields: Iterable[str] = (),
        *,
        type: str | None = None,
        sort: str | None = None,
        limit: int = 0,
    ) -> int:
        """Changes the filter, with one update of the list; returns its revision."""
        return self._runner.run(self._inner.change(contains, fields, type=type, sort=sort, limit=limit))


class Daemon:
    """A client of listd, over a connection that is restored automatically until it is closed: see :class:`listd.Daemon`."""

    def __init__(self, runner: Runner, inner: _daemon.Daemon) -> None:
        self._runner = runner
        self._inner = inner

    @property
    def address(self) -> str:
        """The D-Bus address of the bus, or of listd itself."""
        return self._inner.address

    @property
    def is_available(self) -> bool:
        """Whether listd can be called at the moment."""
        return self._inner.is_available

    def wait_available(self) -> None:
        """Waits until listd can be called."""
        self._runner.run(self._inner.wait_available())

    def close(self) -> None:
        """Ends the connection; a second call has no effect."""
        if not self._runner.loop.is_closed():
            self._runner.run(self._inner.close())
            self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def list(self, name: str) -> List:
        """The list with a name."""
        return List(self._runner, self._runner.run(self._inner.list(name)))

    def create(self, name: str, **options: Unpack[ListOptions]) -> List:
        """Creates a list."""
        return List(self._runner, self._runner.run(self._inner.create(name, **options)))

    def ensure(self, name: str, **options: Unpack[ListOptions]) -> List:
        """The list with a name, created with these options unless it exists."""
        return List(self._runner, self._runner.run(self._inner.ensure(name, **options)))

    def remove(self, name: str) -> None:
        """Removes a list, with its views."""
        self._runner.run(self._inner.remove(name))

    def lists(self) -> builtins.list[ListInfo]:
        """All lists."""
        return self._runner.run(self._inner.lists())

    def rename(self, old: str, new: str) -> None:
        """Renames a list."""
        self._runner.run(self._inner.rename(old, new))

    def clients(self) -> builtins.list[ClientInfo]:
        """The programs that call listd."""
        return self._runner.run(self._inner.clients())

    def views(self) -> builtins.list[ViewInfo]:
        """All views, of all clients."""
        return self._runner.run(self._inner.views())

    def plugins(self) -> builtins.list[PluginInfo]:
        """The plugins and their states, by name."""
        return self._runner.run(self._inner.plugins())

    def plugin(self, name: str) -> PluginProperties:
        """The properties of a plugin."""
        return self._runner.run(self._inner.plugin(name))

    def load_plugin(self, file: str | Path) -> str:
        """Loads a plugin; returns its object path."""
        return self._runner.run(self._inner.load_plugin(file))

    def unload_plugin(self, name: str) -> None:
        """Unloads a plugin."""
        self._runner.run(self._inner.unload_plugin(name))

    def properties(self) -> ManagerProperties:
        """The properties of listd."""
        return self._runner.run(self._inner.properties())

    def statistics(self) -> dict[str, int]:
        """listd's counters, by name."""
        return self._runner.run(self._inner.statistics())

    def reload(self) -> None:
        """Makes listd read its configuration again."""
        self._runner.run(self._inner.reload())

    def reloading(self) -> Events[bool]:
        """Reloads of the configuration: true before each reload, false after it."""
        stream = self._inner.reloading()

        async def start() -> None:
            stream.start()

        self._runner.run(start())
        return Events(self._runner, stream)

    def log_level(self) -> LogLevel:
        """The lowest level of messages that listd writes."""
        return self._runner.run(self._inner.log_level())

    def set_log_level(self, level: LogLevel) -> None:
        """Sets the lowest level of messages that listd writes."""
        self._runner.run(self._inner.set_log_level(level))

    def dump(self) -> str:
        """listd's state as text."""
        return self._runner.run(self._inner.dump())

    def backup(self, file: IO[bytes]) -> None:
        """Writes a copy of the store to an open file."""
        self._runner.run(self._inner.backup(file))

    def restore(self, file: IO[bytes]) -> None:
        """Replaces the store by a backup; listd restarts."""
        self._runner.run(self._inner.restore(file))

    def losses(self) -> tuple[Loss, ...]:
        """What the store has lost and nobody has acknowledged, oldest first."""
        return self._runner.run(self._inner.losses())

    def acknowledge_losses(self) -> None:
        """Acknowledges all losses."""
        self._runner.run(self._inner.acknowledge_losses())


def connect(target: str | None = None, *, timeout: float | None = None) -> Daemon:
    """Connects to listd, as :func:`listd.connect` does.

    :param timeout: seconds that each call may take; None = no limit.
    """
    runner = Runner(timeout)

    async def connected() -> _daemon.Daemon:
        return await _daemon.connect(target)

    try:
        return Daemon(runner, runner.run(connected()))
    except BaseException:
        runner.close()
        raise
