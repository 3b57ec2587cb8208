# SPDX-License-Identifier: Apache-2.0
"""A list: writing, reading, following, viewing."""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Literal, Unpack, cast

from ._errors import InvalidObject, ListdError, NoSuchAdapter, PayloadTooLarge, RevisionConflict, UnknownObject
from ._actions import InvokedEvents, NearEndEvents
from ._events import DisplayEvents, SelectionEvents, WorkingRangeEvents
from ._follow import Follower
from ._changes import Replaced
from ._info import ListProperties, list_properties
from ._link import Link
from ._names import ADAPTER, adapter_path
from ._objects import Object, objects_of
from ._options import ViewOptions, option_values
from ._presence import Target
from ._results import Found, Hit, ItemCounts, ListItem, Page
from ._transaction import Transaction, place
from ._values import checked_text, checked_texts, fields_of, is_json, json_line, variants_of, weight
from ._view import View
from ._wire import Reply

if TYPE_CHECKING:
    from ._filter import Filter

#: The size in bytes from which a new list is sent in a memory file.
LARGE = 1 << 20
#: The maximum size of a message in bytes. For a longer message, the system bus would end the connection.
LONGEST = 32 << 20
ALL = 2**32 - 1


def _update_options(animated: bool, duplicates: str, epoch: str, identify: str | None) -> dict[str, Any]:
    options: dict[str, Any] = {"animated": animated, "epoch": epoch}
    if duplicates == "fail":
        options["duplicates"] = duplicates
    if identify is not None:
        options["identify"] = identify
    return options


class List:
    """A list by its name. Creating this object sends nothing. The object remains valid over restarts of listd.

    A call returns when its effect is applied, stored and announced. It has no time limit of its own (use
    :func:`asyncio.timeout`); a cancelled call may have taken effect. While listd is away, calls raise
    :exc:`Unavailable`; a call during which listd ends raises :exc:`Disconnected` and may have taken effect.

    ``expected_revision`` 0 means any. With another value, a call on a list at a different revision changes nothing and raises
    :exc:`RevisionConflict`. Calls also raise :exc:`AccessDenied`, :exc:`ReadOnly` (the list is filled by its source),
    :exc:`InvalidObject`, :exc:`PayloadTooLarge`, :exc:`StoreFailed`, :exc:`ShuttingDown`.

    :meth:`Daemon.list`, :meth:`Daemon.create` and :meth:`Daemon.ensure` return such an object.

    :ivar name: its name.
    :ivar path: its object path.
    """

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self._target = Target(name)
        self.name = name
        self.path = adapter_path(name)

    def __repr__(self) -> str:
        return f"<listd.List {self.name!r}>"

    # MARK: writing

    def transaction(
        self, expected_revision: int = 0, *, animated: bool = True, epoch: str = ""
    ) -> Transaction:
        """Returns a transaction, which applies several changes at once: ``async with mail.transaction() as t: t.upsert(…);
        t.remove(…)``.

        :param animated: a hint for viewers.
        :param epoch: the epoch that the list must have, else :exc:`RevisionConflict`; ``""`` = any. It keeps changes away from
            a list that was removed and created again.
        """

        async def commit(removed: list[str], upserts: list[list[Any]]) -> int:
            self._check_length(sum(map(len, removed)) + weight([row[:4] for row in upserts]) + _weight(upserts))
            return await self._write(
                "ApplyChanges",
                "tasa(ssssa{sv})a{sv}",
                [expected_revision, removed, upserts, variants_of({"animated": animated, "epoch": epoch})],
                expected_revision,
            )

        return Transaction(commit)

    async def replace(
        self,
        objects: Iterable[Object],
        expected_revision: int = 0,
        *,
        animated: bool = True,
        duplicates: Literal["drop", "fail"] = "drop",
        epoch: str = "",
        identify: Literal["none", "content"] | None = None,
    ) -> int:
        """Replaces the objects of the list by these, in this order. listd computes the changes.

        More than 1 MiB is sent in a memory file. By default, listd allows 64 MiB in a file and 16 MiB in a message.

        :param duplicates: whether the first of several objects with the same id counts, or the call fails.
        :param epoch: the epoch that the list must have, else :exc:`RevisionConflict`; ``""`` = any.
        :param identify: ``content`` gives an object without an id (``""``) a digest of its type and fields; ``none`` refuses it.
            None = as the list's option ``identify`` says.
        :returns: the revision that contains the effect.
        :raises DuplicateIdentifier: an id occurs twice, and ``duplicates`` is ``fail``.
        """
        rows = list(objects)
        options = _update_options(animated, duplicates, epoch, identify)
        size = 0
        are_json = True
        for row in rows:
            with _naming(row.id):
                checked_text(row.id), checked_text(row.type)
                are_json = are_json and is_json(dict(row.fields))
                size += len(row.id) + len(row.type) + weight(row.fields)
        if size > LARGE and are_json:
            with _memory_file() as file:
                await asyncio.to_thread(_write_lines, file, rows)
                return await self._replace_from(file, expected_revision, options)
        self._check_length(size)
        body = []
        for row in rows:
            with _naming(row.id):
                body.append([row.id, row.type, variants_of(row.fields)])
        return await self._write(
            "PerformUpdates", "ta(ssa{sv})a{sv}", [expected_revision, body, variants_of(options)], expected_revision
        )

    async def replace_from(
        self,
        file: IO[bytes],
        expected_revision: int = 0,
        *,
        animated: bool = True,
        duplicates: Literal["drop", "fail"] = "drop",
        epoch: str = "",
        identify: Literal["none", "content"] | None = None,
    ) -> int:
        """Replaces the objects of the list by those from an open file, pipe or socket with JSON lines: ``{"id": …, "type": …,
        "fields": {…}}``.

        listd reads the file from its present offset, at most 64 MiB by default.

        :returns: the revision that contains the effect.
        :raises InvalidObject: a line is not an object; the message has the number of the line, and nothing is changed.
        """
        options = _update_options(animated, duplicates, epoch, identify)
        return await self._replace_from(file.fileno(), expected_revision, options)

    async def _replace_from(self, file: int, expected_revision: int, options: Mapping[str, Any]) -> int:
        return await self._write(
            "PerformUpdatesFromFile",
            "thsa{sv}",
            [expected_revision, 0, "jsonl", variants_of(options)],
            expected_revision,
            [file],
        )

    async def patch(
        self,
        id: str,
        set: Mapping[str, Any] | None = None,
        unset: Iterable[str] = (),
        expected_revision: int = 0,
    ) -> int:
        """Sets some fields of an object and removes others. All other fields stay.

        :returns: the revision that contains the effect.
        :raises NoSuchObject: the list has no such object.
        """
        with _naming(id):
            body = [expected_revision, checked_text(id), variants_of(set or {}), checked_texts("unset", unset)]
        return await self._write("PatchObject", "tsa{sv}as", body, expected_revision)

    async def move(
        self,
        id: str,
        *,
        first: bool = False,
        last: bool = False,
        before: str | None = None,
        after: str | None = None,
        expected_revision: int = 0,
    ) -> int:
        """Moves an object.

        :returns: the revision that contains the effect.
        :raises NoSuchObject: the list has no such object, or no such anchor.
        """
        position, anchor = place(first, last, before, after)
        body = [expected_revision, checked_text(id), position, anchor]
        return await self._write("MoveObject", "tsss", body, expected_revision)

    async def reload(self, ids: Iterable[str] | None = None) -> int:
        """Makes listd build the items of these objects again, changed or not. Unknown ids are ignored. Without ids, listd builds
        all items again, with new section controllers.

        :returns: the revision that contains the effect.
        """
        if ids is None:
            return await self._write("ReloadData", "", [], 0)
        return await self._write("ReloadObjects", "as", [checked_texts("ids", ids)], 0)

    async def _write(
        self, member: str, signature: str, body: Sequence[Any], expected: int, descriptors: Sequence[int] = ()
    ) -> int:
        if not 0 <= expected < 2**64:
            raise ValueError(f"{expected} is not a revision")
        try:
            reply = await self._call(member, signature, body, descriptors)
        except RevisionConflict as conflict:
            conflict.expected = expected
            try:
                conflict.current = await self.revision()
            except ListdError:
                pass
            raise
        return cast(int, reply.body[0])

    def _check_length(self, size: int) -> None:
        if size > LONGEST:
            raise PayloadTooLarge(f"the message would have {size} bytes; {LONGEST} are allowed")

    # MARK: reading

    async def objects(self) -> Sequence[Object]:
        """Returns all objects at one revision, however often the list changes in the meantime."""
        async with Follower(self._link, self._target, longest_wait=math.inf) as changes:
            async for change in changes:
                if isinstance(change, Replaced):
                    return change.objects
        return ()

    async def page(self, offset: int = 0, limit: int = ALL) -> Page:
        """Returns a part of the list: about 1 MiB and at least one object, but no object past the end.

        Continue at ``offset`` + the number of objects, and begin again when the revision has changed.
        :meth:`objects` does so.
        """
        epoch, revision, total, rows = (await self._call("GetObjects", "uu", [offset, min(limit, ALL)])).body
        return Page(revision, total, tuple(objects_of(rows)), epoch)

    async def find(self, id: str) -> Found:
        """An object by its id, and its position.

        :raises NoSuchObject: the list has no such object.
        """
        revision, section, type, fields = (await self._call("FindObject", "s", [checked_text(id)])).body
        return Found(revision, section, Object(id, fields_of(fields), type))

    async def items(
        self, first: int = 0, count: int = ALL, fields: Iterable[str] = ()
    ) -> AsyncIterator[ListItem]:
        """Yields the items of some sections, as their section controllers made them. They are read during the iteration.

        :param fields: the keys that the contents keep; none = all.
        """
        keys = checked_texts("fields", fields)
        end = min(first + count, ALL)
        while first < end:
            _, following, rows = (await self._call("GetItems", "uuas", [first, end - first, keys])).body
            for section, object_id, item, reuse_identifier, content in rows:
                yield ListItem(section, object_id, item, reuse_identifier, fields_of(content))
            if following == first:
                return
            first = following

    async def export(self, file: IO[bytes], offset: int = 0, limit: int = ALL) -> int:
        """Writes objects to an open file, as JSON lines; values of other types than JSON's are approximated.

        :returns: their revision.
        """
        reply = await self._call("GetObjectsByFileDescriptor", "uus", [offset, min(limit, ALL), "jsonl"])
        _, revision, _, index = reply.body
        descriptor = reply.take_descriptor(index)
        reply.close()
        with os.fdopen(descriptor, "rb") as source:
            await asyncio.to_thread(shutil.copyfileobj, source, file)
        return cast(int, revision)

    async def revision(self) -> int:
        """Returns the revision: the number of applied transactions in the present epoch."""
        return cast(int, await self._property("Revision"))

    async def properties(self) -> ListProperties:
        """The properties of the list."""
        try:
            return list_properties(await self._link.properties(self.path, ADAPTER))
        except UnknownObject:
            raise self._missing() from None

    async def _property(self, name: str) -> Any:
        try:
            value = await self._link.property(self.path, ADAPTER, name)
        except UnknownObject:
            raise self._missing() from None
        return int(value) if isinstance(value, int) else value

    async def item_counts(self, first: int = 0, count: int = ALL) -> ItemCounts:
        """Returns the numbers of items of some sections, without their contents.

        One answer has about 1 MiB: continue at ``next_section``, and begin again when the revision has changed.
        """
        revision, following, counts = (await self._call("GetItemCounts", "uu", [first, min(count, ALL)])).body
        return ItemCounts(revision, following, tuple(counts))

    async def search(
        self, text: str, fields: Iterable[str] = (), start: int = 0, *, backwards: bool = False
    ) -> Hit | None:
        """Returns the next object with a text that contains ``text``, ignoring case; None when no object does.

        The search does not wrap around. While a user types, wait for the end of a search before starting the next.

        :param fields: the keys to search; none = all whose values are texts.
        :param start: where to begin, this object included. Past the end, a backward search begins with the last object.
        :raises LimitsExceeded: this connection has another search running.
        """
        body = [checked_text(text), checked_texts("fields", fields), start, backwards]
        revision, is_found, section, id = (await self._call("Search", "sasub", body)).body
        return Hit(revision, section, id) if is_found else None

    def filter(
        self,
        contains: str = "",
        fields: Iterable[str] = (),
        *,
        type: str | None = None,
        sort: str | None = None,
        limit: int = 0,
        patience: float | None = None,
    ) -> Filter:
        """Returns a filter, a list with some objects of this one, which follows this list: ``async with mail.filter("hello") as
        hits: …``.

        :param contains: the text that objects must contain, ignoring case; empty = all.
        :param fields: the keys to search; none = all whose values are texts.
        :param type: only objects of this type; ``""`` = objects without a type.
        :param sort: the key by whose value objects are sorted; ``-KEY`` reverses the order; None = the order of this list.
        :param limit: the maximum number; 0 = all.
        :param patience: seconds that this list may be away before programs that follow or view the filter get an error, as for
            :meth:`follow`.
        :raises ReadOnly: a program writes to the filter's list.
        """
        from ._filter import Filter, source_argument

        return Filter(self._link, self._target.within(patience), source_argument(contains, fields, type, sort, limit))

    async def set_source_argument(self, argument: str) -> int:
        """Changes the text after ``?`` in the source of a ``list:`` list.

        :returns: the revision that contains the effect.
        :raises ReadOnly: the list has another kind of source.
        """
        return await self._write("SetSourceArgument", "s", [checked_text(argument)], 0)

    # MARK: following and viewing

    def follow(self, *, patience: float | None = None) -> Follower:
        """Follows the list and its changes: ``async for change in mail.follow(): change.apply(rows)``.

        The first change is :class:`Replaced`, with all objects.

        :param patience: seconds that the list may be away, once it existed: after its removal, or after a restart of listd when
            it is not stored. Then the iteration ends with :exc:`NoSuchAdapter`. None = 3, or the patience of the filter;
            ``math.inf`` = without limit.
        """
        return Follower(self._link, self._target.within(patience))

    def view(self, *, patience: float | None = None, **options: Unpack[ViewOptions]) -> View:
        """A view of the list: ``async with mail.view(layout="none") as view: await view.show(0, 40)``.

        :param patience: seconds that the list may be away, as for :meth:`follow`.
        :param options: see :class:`ViewOptions`.
        """
        return View(self._link, self._target.within(patience), option_values(options))

    def display_events(self) -> DisplayEvents:
        """Returns a stream of the items that all viewers begin and end displaying."""
        return DisplayEvents(self._link, self._target)

    def working_range_events(self) -> WorkingRangeEvents:
        """Returns a stream of the sections that enter and exit all viewers' working ranges, for programs that prepare them."""
        return WorkingRangeEvents(self._link, self._target)

    def near_end_events(self) -> NearEndEvents:
        """Returns a stream of views that come close to the end, for writers that load more objects (option
        ``near_end_distance``)."""
        return NearEndEvents(self._link, self._target)

    def on_invoked(self) -> InvokedEvents:
        """Returns a stream of actions that viewers invoke and no section controller handles. Only the list's owner gets them."""
        return InvokedEvents(self._link, self._target)

    def selection_events(self) -> SelectionEvents:
        """Returns a stream of the selection: first all selected items, then each change."""
        return SelectionEvents(self._link, self._target)

    # MARK: calls

    async def _call(
        self, member: str, signature: str, body: Sequence[Any], descriptors: Sequence[int] = ()
    ) -> Reply:
        try:
            return await self._link.call(self.path, ADAPTER, member, signature, body, descriptors=descriptors)
        except UnknownObject:
            raise self._missing() from None

    def _missing(self) -> NoSuchAdapter:
        return self._target.missing()


@contextmanager
def _naming(id: str) -> Iterator[None]:
    """Adds the object's id to the error about a field that cannot be sent."""
    try:
        yield
    except InvalidObject as error:
        raise InvalidObject(f"object {id!r:.64}: {error.message}") from None


def _weight(upserts: list[list[Any]]) -> int:
    return sum(
        len(key) + 16 + weight(variant.value) for row in upserts for key, variant in row[4].items()
    )


@contextmanager
def _memory_file() -> Iterator[int]:
    file = os.memfd_create("listd", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        yield file
    finally:
        os.close(file)


def _write_lines(file: int, rows: list[Object]) -> None:
    """Creates a sealed memory file, which no process can change while listd reads it."""
    with os.fdopen(os.dup(file), "wb", buffering=LARGE) as stream:
        for row in rows:
            stream.write(json_line(row.id, row.type, dict(row.fields)))
    os.lseek(file, 0, os.SEEK_SET)
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
