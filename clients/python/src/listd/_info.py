# SPDX-License-Identifier: Apache-2.0
"""The manager's descriptions of lists, views and plugins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

#: The levels of messages in the log, from the most important one on. The first four mean the same.
LogLevel = Literal["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]


@dataclass(frozen=True, slots=True)
class ListInfo:
    """One row of :meth:`Daemon.lists`.

    :ivar name: its name.
    :ivar path: its object path.
    :ivar state: ``loading``, ``ready``, ``paused`` or ``failed``.
    :ivar owner: the Unix user who created it; 0 for a configured list.
    :ivar owner_name: the name of this user.
    :ivar source: the source that fills it.
    :ivar source_error: the source's error; empty also when the user may not read the list.
    :ivar epoch: identifies the numbering: revisions of different epochs cannot be compared.
    :ivar revision: the number of applied transactions.
    :ivar objects: the number of its objects.
    :ivar items: the number of its sections' items.
    :ivar views: the number of its views.
    :ivar changes_10s: transactions in the last ten seconds.
    :ivar bytes: the bytes of its objects, which count against the owner's quota; None for users who are not administrators.
    :ivar last_writer: the user of the last write; None before the first one since listd started, or when the user may not
        read the list.
    :ivar last_write: the time of that write, in microseconds since 1970.
    """

    name: str
    path: str
    state: Literal["loading", "ready", "paused", "failed"]
    owner: int
    owner_name: str
    source: str
    source_error: str
    epoch: str
    revision: int
    objects: int
    items: int
    views: int
    changes_10s: int
    bytes: int | None
    last_writer: str | None
    last_write: int | None


@dataclass(frozen=True, slots=True)
class ViewInfo:
    """One row of :meth:`Daemon.views`.

    :ivar path: its object path.
    :ivar adapter: the object path of its list.
    :ivar client: the unique name of the connection that opened it.
    :ivar user: the Unix user of this connection.
    :ivar sequence: the last picture that was sent; 0 when the user may not read the list.
    :ivar acknowledged_sequence: the last acknowledged picture; 0 when the user may not read the list.
    :ivar state: ``new`` (without a viewport yet), ``active``, or ``stalled`` (its consumer does not acknowledge).
    :ivar visible: the sections with a visible item, as (first, count); None when the user may not read the list.
    :ivar working_range: the sections in the working range, as (first, count); None when the user may not read the list.
    """

    path: str
    adapter: str
    client: str
    user: int
    sequence: int
    acknowledged_sequence: int
    state: Literal["new", "active", "stalled"]
    visible: tuple[int, int] | None
    working_range: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """One row of :meth:`Daemon.plugins`.

    :ivar name: its name.
    :ivar version: its version.
    :ivar file: the path of its library.
    :ivar isolation: where its code runs: in a separate process (``worker``), or in listd (``none``).
    :ivar state: ``loading``, ``ready``, ``restarting`` or ``failed``.
    :ivar error: its last error; empty when there was none.
    :ivar restarts: how often its process was restarted.
    :ivar pid: its process; None while it has none of its own.
    :ivar memory: the bytes of memory that this process has in use; None without one.
    """

    name: str
    version: str
    file: str
    isolation: Literal["worker", "none"]
    state: Literal["loading", "ready", "restarting", "failed"]
    error: str
    restarts: int
    pid: int | None
    memory: int | None


@dataclass(frozen=True, slots=True)
class PluginProperties:
    """The properties of a plugin.

    :ivar name: its name.
    :ivar version: its version.
    :ivar file: the path of its library.
    :ivar api_version: the version of the plugin API: major × 65536 + minor.
    :ivar section_controllers: its section controllers.
    :ivar data_sources: its data sources.
    :ivar isolation: where its code runs: in a separate process (``worker``), or in listd (``none``).
    :ivar state: ``loading``, ``ready``, ``restarting`` or ``failed``.
    :ivar last_error: its last error; empty when there was none.
    :ivar process_id: the process that its code runs in; 0 while there is none.
    :ivar restart_count: how often its process was restarted.
    """

    name: str
    version: str
    file: str
    api_version: int
    section_controllers: tuple[str, ...]
    data_sources: tuple[str, ...]
    isolation: Literal["worker", "none"]
    state: Literal["loading", "ready", "restarting", "failed"]
    last_error: str
    process_id: int
    restart_count: int


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """One row of :meth:`Daemon.clients`: a program that calls listd.

    :ivar name: its unique name.
    :ivar transport: how it is connected: ``bus`` or ``direct``.
    :ivar user: its Unix user; 4294967295 when unknown.
    :ivar command: the name of its process in the kernel; empty when unknown.
    :ivar pid: its process; 0 when unknown.
    :ivar calls: the number of its calls.
    :ivar bytes: the number of bytes that it has sent.
    :ivar calls_10s: calls in the last ten seconds.
    :ivar bytes_10s: bytes in the last ten seconds.
    :ivar views: the number of its open views.
    :ivar subscriptions: the number of its subscriptions to lists.
    :ivar last_call: the time of its last call, in microseconds since 1970.
    """

    name: str
    transport: Literal["bus", "direct"]
    user: int
    command: str
    pid: int
    calls: int
    bytes: int
    calls_10s: int
    bytes_10s: int
    views: int
    subscriptions: int
    last_call: int


@dataclass(frozen=True, slots=True)
class ListProperties:
    """The properties of a list.

    :ivar name: its name.
    :ivar source: the source that fills it.
    :ivar epoch: identifies the numbering: revisions of different epochs cannot be compared.
    :ivar options: the present options, under their names in :class:`ListOptions`.
    :ivar state: ``loading``, ``ready``, ``paused`` or ``failed``.
    :ivar revision: the number of applied transactions, in this epoch.
    :ivar oldest_revision: the oldest revision since which changes are known.
    :ivar object_count: the number of its objects.
    :ivar item_count: the number of its sections' items.
    :ivar selected_items: the selected items, as (object id, item); None when the user may not read the list.
    :ivar source_error: the source's error; empty when there is none, None when the user may not read the list.
    :ivar source_synced: the time of the last synchronisation with the source, in microseconds since 1970; 0 = unknown.
    :ivar source_position: the state of the source at that time, as an opaque text: equal texts mean equal states.
    """

    name: str
    source: str
    epoch: str
    options: Mapping[str, Any]
    state: Literal["loading", "ready", "paused", "failed"]
    revision: int
    oldest_revision: int
    object_count: int
    item_count: int
    selected_items: tuple[tuple[str, int], ...] | None
    source_error: str | None
    source_synced: int
    source_position: str


@dataclass(frozen=True, slots=True)
class Loss:
    """What the store has lost.

    :ivar time: when that was found.
    :ivar text: what was lost and why, as a sentence that names the lists.
    """

    time: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ManagerProperties:
    """The properties of listd.

    :ivar version: its version.
    :ivar features: its features, by name.
    :ivar plugin_api_version: the version of the plugin API: major × 65536 + minor.
    :ivar direct_address: the address for direct connections; empty = none.
    :ivar losses: what the store has lost and nobody has acknowledged, oldest first.
    :ivar adapter_count: the number of lists.
    :ivar view_count: the number of views.
    """

    version: str
    features: tuple[str, ...]
    plugin_api_version: int
    direct_address: str
    losses: tuple[Loss, ...]
    adapter_count: int
    view_count: int


def plugin_properties(properties: Mapping[str, Any]) -> PluginProperties:
    """Creates a plugin's description from its D-Bus properties."""
    return PluginProperties(
        properties["Name"],
        properties["Version"],
        properties["File"],
        int(properties["APIVersion"]),
        tuple(properties["SectionControllers"]),
        tuple(properties["DataSources"]),
        properties["Isolation"],
        properties["State"],
        properties["LastError"],
        int(properties["ProcessID"]),
        int(properties["RestartCount"]),
    )


def list_properties(properties: Mapping[str, Any]) -> ListProperties:
    """Creates a list's description from its D-Bus properties."""
    selected = properties.get("SelectedItems")
    return ListProperties(
        properties["Name"],
        properties["Source"],
        properties["Epoch"],
        {key.replace("-", "_"): value for key, value in properties["Options"].items()},
        properties["State"],
        int(properties["Revision"]),
        int(properties["OldestRevision"]),
        int(properties["ObjectCount"]),
        int(properties["ItemCount"]),
        None if selected is None else tuple((id, item) for id, item in selected),
        properties.get("SourceError"),
        int(properties.get("SourceSynced", 0)),
        properties.get("SourcePosition", ""),
    )


def list_info(name: str, path: str, values: Mapping[str, Any]) -> ListInfo:
    """Decodes a row of ``ListAdapters``."""
    return ListInfo(
        name,
        path,
        values["state"],
        int(values["owner"]),
        values["owner-name"],
        values["source"],
        values["source-error"],
        values["epoch"],
        int(values["revision"]),
        int(values["objects"]),
        int(values["items"]),
        int(values["views"]),
        int(values["changes-10s"]),
        _number(values, "bytes"),
        values.get("last-writer"),
        _number(values, "last-write"),
    )


def view_info(path: str, values: Mapping[str, Any]) -> ViewInfo:
    """Decodes a row of ``ListViews``."""
    return ViewInfo(
        path,
        values["adapter"],
        values["client"],
        int(values["user"]),
        int(values["sequence"]),
        int(values["acked-sequence"]),
        values["state"],
        _pair(values, "visible"),
        _pair(values, "working-range"),
    )


def plugin_info(name: str, values: Mapping[str, Any]) -> PluginInfo:
    """Decodes a row of ``ListPlugins``."""
    return PluginInfo(
        name,
        values["version"],
        values["file"],
        values["isolation"],
        values["state"],
        values["error"],
        int(values["restarts"]),
        _number(values, "pid"),
        _number(values, "memory"),
    )


def client_info(name: str, values: Mapping[str, Any]) -> ClientInfo:
    """Decodes a row of ``ListClients``."""
    keys = ("pid", "calls", "bytes", "calls-10s", "bytes-10s", "views", "subscriptions", "last-call")
    numbers = (int(values[key]) for key in keys)
    return ClientInfo(name, values["transport"], int(values["user"]), values["command"], *numbers)


def _number(values: Mapping[str, Any], key: str) -> int | None:
    number = values.get(key)
    return None if number is None else int(number)


def _pair(values: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    pair = values.get(key)
    return None if pair is None else (int(pair[0]), int(pair[1]))


def losses(rows: Iterable[tuple[int, str]]) -> tuple[Loss, ...]:
    """Creates the losses from their form on the bus."""
    return tuple(Loss(datetime.fromtimestamp(time / 1_000_000, UTC), text) for time, text in rows)


def manager_properties(properties: Mapping[str, Any]) -> ManagerProperties:
    """Creates the manager's description from its D-Bus properties."""
    return ManagerProperties(
        properties["Version"],
        tuple(properties["Features"]),
        int(properties["PluginAPIVersion"]),
        properties["DirectAddress"],
        losses(properties["Losses"]),
        int(properties["AdapterCount"]),
        int(properties["ViewCount"]),
    )
