# SPDX-License-Identifier: Apache-2.0
"""A view of a list: the few items that are on the screen, with slots for their widgets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from ._errors import Disconnected, InvalidArgs, ListdError, Unavailable, UnknownObject, ViewClosed
from ._link import Incarnation, Link, awaited
from ._names import ADAPTER, PROPERTIES, VIEW
from ._picture import Canvas, Outcome, Picture, Point
from ._presence import Presence, Target
from ._values import checked_text, plain, variants_of
from ._viewport import Range, Viewport, Window
from ._weak import weakly
from ._wire import Reply, Subscription
from ._wishes import Wishes

Where = Literal["none", "start", "center", "end"]
Phase = Literal["began", "ended", "decelerated"]


class SelectionResult(NamedTuple):
    """The result of :meth:`View.change_selection`, as (object id, item).

    :ivar selected: the given items that are selected now.
    :ivar deselected: the given items that are not selected now.
    """

    selected: tuple[tuple[str, int], ...]
    deselected: tuple[tuple[str, int], ...]


class View(AsyncIterator[Picture]):
    """A view of a list. :meth:`List.view` returns one.

    Open it with ``async with``, set the visible part with :meth:`show` (layout ``none``) or :meth:`scroll`, and iterate over its
    pictures. A slow consumer gets the newest picture: older ones are dropped.

    After restarts of listd or of the bus, the view is opened again and shows the same position, and
    :attr:`Picture.opening` changes.
    """

    def __init__(self, link: Link, target: Target, options: dict[str, Any]) -> None:
        self._link = link
        self._loop = link.loop
        self._list = target.path
        self._options = variants_of(options)
        self._window = Window(options)
        self._presence = Presence(link, target, self)
        self._daemon: Incarnation | None = None
        self._path = ""
        self._signals: Subscription | None = None
        self._attachment = 0
        self._opening = 0
        self._canvas = Canvas()
        #: Numbers of the newest reportable state and of the last reported state.
        self._news = self._told = 0
        self._acknowledged = 0
        self._is_stalled = self._is_syncing = self._is_sending = False
        self._wishes = Wishes(link.loop)
        self._opened: asyncio.Future[None] | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: ListdError | None = None
        self._is_closed = False

    # MARK: life

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _open(self) -> None:
        if self._opened is not None:
            raise RuntimeError("a view can be opened only once")
        await self._link.need()
        self._opened = self._loop.create_future()
        self._presence.start()
        try:
            await self._opened
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the view; a second call has no effect."""
        if self._is_closed:
            return
        daemon, path = self._daemon, self._path
        self._end(None)
        _abandon(self._presence, None, daemon, path)

    def __del__(self) -> None:
        # It may be garbage-collected on any thread.
        if not self._is_closed and not self._loop.is_closed():
            presence, signals, daemon, path = self._presence, self._signals, self._daemon, self._path
            self._loop.call_soon_threadsafe(_abandon, presence, signals, daemon, path)

    def _end(self, error: ListdError | None) -> None:
        self._is_closed = True
        self._error = error
        self._presence.stop()
        if self._signals is not None:
            self._signals.cancel()
            self._signals = None
        self._fail(error or ViewClosed("the view was closed"))
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _fail(self, error: ListdError) -> None:
        self._wishes.refuse(self._wishes.asked, error)
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(error)

    # MARK: pictures

    @property
    def picture(self) -> Picture:
        """The newest picture. Reading it acknowledges it, so that listd may send the next ones."""
        self._told = self._news
        canvas = self._canvas
        if canvas.sequence > self._acknowledged and self._daemon is not None:
            self._acknowledged = canvas.sequence
            self._daemon.call(self._path, VIEW, "Ack", "t", [canvas.sequence], None)
        self._window.record_read(canvas)
        return canvas.picture(
            self._window.place, self._opening, self._window.screen, self._window.is_horizontal
        )

    async def __anext__(self) -> Picture:
        if self._waiter is not None:
            raise RuntimeError("a view can have only one consumer")
        try:
            while self._told == self._news or self._is_syncing:
                if self._error is not None:
                    raise self._error
                if self._is_closed:
                    raise StopAsyncIteration
                self._waiter = self._loop.create_future()
                await self._waiter
        finally:
            self._waiter = None
        return self.picture

    def _changed(self) -> None:
        self._news += 1
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # MARK: where it looks

    async def show(
        self, first: int | tuple[int, int], last: int | tuple[int, int], revision: int | None = None
    ) -> Picture:
        """Sets the visible rows, in layout ``none``: the first and the last one, both included.

        A row is a section, or a (section, item), in the picture that was read last. listd adjusts it by later moves. Past the
        end, each section counts as one row, and the range is clamped to the list. From then on, the range follows its rows, see
        ``anchor``. While the range is inside the rows of ``overscan_items``, nothing is sent.

        :param revision: the revision of the copy of the list that the rows refer to, with ``range_at="revision"``.
        :returns: the picture that shows the rows.
        :raises InvalidArgs: the last row is before the first, or the view has a layout.
        :raises RevisionGone: listd does not remember the changes since that revision.
        """
        if revision is not None and self._options.get("range-at") is None:
            raise InvalidArgs('a range refers to a revision only in a view with range_at="revision"')
        return await self._look(Range.of(first, last, revision))

    async def scroll(self, x: float, y: float, width: float, height: float) -> Picture:
        """Sets the visible part of the content, in the units of the layout.

        Positions are those of the picture that was read last; listd adjusts them by later moves. While the viewport stays inside
        ``buffer``, nothing is sent. While it stays inside ``prefetch``, nothing is waited for, so a large one makes scrolling
        smooth. With another width or height, the first visible item keeps its place.

        :returns: the picture that shows the part. Its :attr:`Picture.offset` is where the viewport is, and its sticky headers
            lie where they belong there.
        :raises InvalidArgs: a size is negative, a number is infinite or NaN, or the layout is ``none``.
        """
        return await self._look(Viewport(float(x), float(y), float(width), float(height)))

    async def _look(self, wanted: Range | Viewport) -> Picture:
        self._check()
        is_open = bool(self._path)
        is_settled = is_open and not self._is_sending and self._wishes.are_sent
        if self._window.set_wanted(wanted, self._canvas, is_settled) and is_open:
            if self._window.must_tell:
                self._wishes.repeat()
                self._send()
            return self.picture
        with self._wishes.new() as shown:
            self._send()
            await shown
        return self.picture

    def _send(self) -> None:
        """Sends the newest request, which replaces older unsent ones."""
        daemon, wanted = self._daemon, self._window.wanted
        if self._is_sending or daemon is None or not self._path or wanted is None or self._wishes.are_sent:
            return
        self._is_sending = True
        sent = self._wishes.send()
        member, signature, body = self._window.record_request(wanted)

        def shown() -> None:
            self._is_sending = False
            self._window.record_reply(wanted, self._canvas)
            self._wishes.fulfil(sent)
            self._send()

        def refused(error: ListdError) -> None:
            self._is_sending = False
            self._window.record_refusal(wanted)
            self._wishes.refuse(sent, error)
            self._send()

        self._call(member, signature, body, lambda _: self._run_when_current(shown), refused)

    def _run_when_current(self, body: Callable[[], None]) -> None:
        """Runs ``body`` when the picture is up to date. A reply may arrive while pictures are held back."""
        if self._is_stalled or self._is_syncing:
            self._resync(body)
        else:
            body()

    async def scroll_to(self, id: str, item: int = 0, position: Where = "none") -> Picture:
        """Scrolls an item into the viewport.

        :param position: the position of the item in the viewport: ``start``, ``center``, ``end``, or ``none`` for the shortest
            way.
        :returns: the picture after the scroll.
        :raises NoSuchObject: the list has no such object.
        :raises InvalidArgs: the layout is ``none``, or no viewport was set yet.
        """
        reply = await self._request("ScrollTo", "sus", [id, item, position])
        picture = await self._present()
        self._window.record_move(Point(*reply.body[0]))
        return self.picture if picture.opening == self._opening else picture

    async def report_scroll(self, phase: Phase) -> None:
        """Reports a phase of scrolling to section controllers: the user ``began`` to drag, ``ended``, or the content has
        ``decelerated``."""
        await self._request("ReportScroll", "s", [phase])

    async def set_on_screen(self, on_screen: bool) -> None:
        """Sets whether the view is visible; a list without a visible view may coalesce updates for longer. A view with a
        viewport gets no picture for an update that comes while it is not visible; its next picture comes when it is visible again.

        A view that was opened again counts as visible until the next call of this method.
        """
        await self._request("SetOnScreen", "b", [on_screen])

    async def report_sizes(self, sizes: Iterable[tuple[str, int, float, float]]) -> Picture:
        """Replaces estimated sizes by measured ones: object id, item, width, height; the first visible item keeps its place."""
        await self._request("ReportSizes", "a(sudd)", [[list(size) for size in sizes]])
        return await self._present()

    async def _present(self) -> Picture:
        if self._is_stalled or self._is_syncing:
            done: asyncio.Future[None] = self._loop.create_future()

            def finished() -> None:
                if not done.done():
                    done.set_result(None)

            self._resync(finished)
            await done
        return self.picture

    # MARK: items

    async def select(self, id: str, item: int = 0) -> bool:
        """Selects an item, when its section controller agrees; returns whether it is selected now."""
        return bool((await self._request("Select", "su", [id, item])).body[0])

    async def deselect(self, id: str, item: int = 0) -> bool:
        """Deselects an item, when its section controller agrees; returns whether it is deselected now."""
        return bool((await self._request("Deselect", "su", [id, item])).body[0])

    async def change_selection(
        self, select: Iterable[tuple[str, int]] = (), deselect: Iterable[tuple[str, int]] = ()
    ) -> SelectionResult:
        """Selects and deselects many items, given as (object id, item), with one event for listeners.

        :returns: the items that are selected and deselected now; section controllers may have refused others.
        :raises NoSuchObject: the list has no such object; nothing has changed.
        :raises InvalidArgs: an item is in both lists.
        """
        body = [[[id, item] for id, item in items] for items in (select, deselect)]
        selected, deselected = (await self._request("ChangeSelection", "a(su)a(su)", body)).body
        return SelectionResult(*(tuple((id, item) for id, item in items) for items in (selected, deselected)))

    async def invoke(
        self, id: str, action: str, parameters: Mapping[str, Any] | None = None, item: int = 0
    ) -> bool:
        """Invokes an action on an item, as a click does: first on its section controller, then on the list's owner.

        :returns: whether the action was handled by the section controller, or sent to a program of the owner
            (:meth:`List.on_invoked`).
        :raises AccessDenied: the user is not among the list's ``invokers``.
        :raises NoSuchObject: the list has no such object.
        :raises InvalidObject: D-Bus cannot carry a parameter.
        """
        body = [checked_text(id), item, checked_text(action), variants_of(parameters or {})]
        return bool((await self._request("Invoke", "susa{sv}", body)).body[0])

    async def set_highlighted(self, id: str, item: int = 0, highlighted: bool = True) -> None:
        """Reports to the section controller that an item is pressed, or no longer pressed."""
        await self._request("SetHighlighted", "sub", [id, item, highlighted])

    async def move_item(self, origin: tuple[int, int], target: tuple[int, int]) -> bool:
        """Moves an item, as a user drags it: (section, item) before, and after the move. Returns False when refused.

        :raises NoSuchItem: origin or target is past the end.
        :raises AccessDenied: the user may not write to the list.
        """
        return bool((await self._request("MoveItem", "uuuu", [*origin, *target])).body[0])

    # MARK: calls

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
        if self._is_closed or self._opened is None:
            raise ViewClosed("the view is not open")

    async def _request(self, member: str, signature: str, body: Sequence[Any]) -> Reply:
        self._check()
        daemon = self._daemon
        if daemon is None or not self._path:
            raise Unavailable("listd is not available; the view is opened again when listd is back")
        path = self._path
        return await awaited(
            self._loop, daemon.wire, lambda then: daemon.call(path, VIEW, member, signature, body, then)
        )

    def _call(
        self,
        member: str,
        signature: str,
        body: Sequence[Any],
        then: Callable[[Reply], None],
        refused: Callable[[ListdError], None],
    ) -> None:
        daemon, attachment = self._daemon, self._attachment
        if daemon is None:
            return

        def answered(result: Reply | ListdError) -> None:
            if attachment != self._attachment or self._is_closed:
                return
            if isinstance(result, Reply):
                then(result)
            elif not isinstance(result, (Disconnected, UnknownObject)):
                refused(result)
            # If this fails, the view is gone. The next view answers the waiting calls, or they get an error if there
            # is none.

        daemon.call(self._path, VIEW, member, signature, body, answered)

    # MARK: the list

    def _attach(self, daemon: Incarnation) -> None:
        """Opens the view on the list of this daemon."""
        self._detach()
        attachment = self._attachment
        self._daemon = daemon
        answered = weakly(self._answered)
        described = weakly(self._described)
        # Answered before any other call. If the list is missing, the next call is refused too.
        daemon.call(self._list, PROPERTIES, "Get", "ss", [ADAPTER, "Options"], lambda result: described(result))

        def take_in(result: Reply | ListdError) -> None:
            if not answered(daemon, attachment, result) and isinstance(result, Reply):
                # The view was closed in the meantime.
                daemon.call(result.body[0], VIEW, "Close", "", [], None)

        options = self._options
        if self._window.wanted is not None:
            # The view shows its former position, not the one at its first opening.
            options = {name: value for name, value in options.items() if name != "at"}
        daemon.call(self._list, ADAPTER, "OpenView", "a{sv}", [options], take_in)

    def _described(self, result: Reply | ListdError) -> None:
        if isinstance(result, Reply):
            options = plain(result.body[0])
            self._window.is_horizontal = options.get("direction") == "horizontal"
            if "layout" not in self._options:
                self._window.is_absolute = options.get("layout") == "absolute"

    def _answered(self, daemon: Incarnation, attachment: int, result: Reply | ListdError) -> bool:
        if attachment != self._attachment or self._is_closed:
            return False
        if isinstance(result, ListdError):
            self._daemon = None
            self._presence.missed(result)
            return True
        self._path = result.body[0]
        self._opening += 1
        self._window.prepare_reopening(self._canvas)
        # Only the first view starts at the position in the options. A view that is opened again shows the former
        # position.
        self._options.pop("at", None)
        self._canvas = Canvas()
        self._acknowledged = 0
        self._signals = daemon.listen(self._path, VIEW, weakly(self._heard), is_broadcast=False)
        self._presence.found()
        if self._opened is not None and not self._opened.done():
            self._opened.set_result(None)
        if self._window.wanted is not None:
            self._wishes.repeat()
        self._send()
        return True

    def _detach(self) -> None:
        """The view ended with its list or its daemon."""
        self._attachment += 1
        self._daemon = None
        self._path = ""
        self._is_sending = self._is_stalled = self._is_syncing = False
        if self._signals is not None:
            self._signals.cancel()
            self._signals = None

    def _give_up(self, error: ListdError) -> None:
        """The list was not created again in time."""
        if not self._is_closed:
            self._end(error)

    def _heard(self, member: str, body: list[Any]) -> None:
        if member == "Changed":
            outcome = self._canvas.apply(body)
            if outcome is Outcome.APPLIED:
                self._is_stalled = False
                self._window.record_picture(self._canvas)
                self._changed()
            elif outcome is Outcome.GAP:
                self._resync(lambda: None)
        elif member == "Stalled":
            # The consumer is slow. Reading the next picture acknowledges it, and then listd sends the present one. A reply that
            # comes earlier may lack its picture, even if the acknowledgement is under way.
            self._is_stalled = True
        elif member == "Closed" and body[0] == "closed":
            error = ViewClosed("an administrator has closed the view")
            self._end(error)

    def _resync(self, then: Callable[[], None]) -> None:
        self._is_syncing = True

        def taken(reply: Reply) -> None:
            self._canvas.resync(reply.body)
            self._window.record_picture(self._canvas)
            self._acknowledged = self._canvas.sequence
            self._is_stalled = self._is_syncing = False
            self._changed()
            then()

        def refused(error: ListdError) -> None:
            self._end(error)

        self._call("Resync", "", [], taken, refused)


def _abandon(presence: Presence, signals: Subscription | None, daemon: Incarnation | None, path: str) -> None:
    presence.stop()
    if signals is not None:
        signals.cancel()
    if daemon is not None and path and daemon.wire.is_open:
        daemon.call(path, VIEW, "Close", "", [], None)


