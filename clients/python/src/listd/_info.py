# SPDX-License-Identifier: Apache-2.0
"""What the manager says of lists, views and plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ListInfo:
    """One row of the lists there are.

    :ivar name: its name.
    :ivar path: its object path.
    :ivar source: what fills it.
    :ivar revision: how many transactions were applied.
    :ivar objects: how many objects it has.
    :ivar items: how many items its sections have.
    :ivar views: how many views look at it.
    """

    name: str
    path: str
    source: str
    revision: int
    objects: int
    items: int
    views: int


@dataclass(frozen=True, slots=True)
class ViewInfo:
    """One row of the views there are.

    :ivar path: its object path.
    :ivar adapter: the object path of its list.
    :ivar owner: the unique name of the connection that opened it.
    :ivar sequence: the last picture that was sent.
    :ivar acknowledged_sequence: the last picture that was seen.
    :ivar state: ``new`` (it has not said what is on its screen), ``active``, or ``stalled`` (its consumer does not look).
    """

    path: str
    adapter: str
    owner: str
    sequence: int
    acknowledged_sequence: int
    state: Literal["new", "active", "stalled"]


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plugin and how it is.

    :ivar name: its name.
    :ivar version: its version.
    :ivar file: the path of its library.
    :ivar api_version: major × 65536 + minor.
    :ivar section_controllers: the section controllers it has.
    :ivar data_sources: the sources it has.
    :ivar isolation: where its code runs: in a ``worker``, a process of its own, or in listd (``none``).
    :ivar state: ``loading``, ``ready``, ``restarting`` or ``failed``.
    :ivar last_error: what went wrong last; empty when nothing did.
    :ivar process_id: the process that its code runs in; 0 while there is none.
    :ivar restart_count: how often its process was started again.
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
class ListDescription:
    """What listd tells everybody of a list, and more to those who may know it.

    :ivar name: its name.
    :ivar state: ``loading``, ``ready``, ``paused`` or ``failed``.
    :ivar owner: the Unix user who made it; 0 for a configured list.
    :ivar source: what fills it.
    :ivar source_error: what the source lacks; None when the user may not read the list.
    :ivar revision: how many transactions were applied.
    :ivar objects: how many objects it has.
    :ivar items: how many items its sections have.
    :ivar views: how many views look at it.
    :ivar changes_10s: transactions in the last ten seconds.
    :ivar bytes: what its objects count on the owner's account; None for those who are no administrators.
    """

    name: str
    state: str
    owner: int
    source: str
    source_error: str | None
    revision: int
    objects: int
    items: int
    views: int
    changes_10s: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """A program that calls listd.

    :ivar name: its unique name.
    :ivar transport: how it is connected: ``bus`` or ``direct``.
    :ivar user: its Unix user; 4294967295 when that is not known.
    :ivar command: what the kernel calls its process; empty when that is not known.
    :ivar pid: its process; 0 when that is not known.
    :ivar calls: calls that it has made, all in all.
    :ivar bytes: bytes that it has sent, all in all.
    :ivar calls_10s: calls in the last ten seconds.
    :ivar bytes_10s: bytes in the last ten seconds.
    :ivar views: how many views it has open.
    :ivar subscriptions: how many lists it hears events of.
    :ivar last_call: when it called last, in microseconds since 1970.
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
    """What a list says of itself.

    :ivar name: its name.
    :ivar source: what fills it.
    :ivar epoch: names the numbering: revisions of another epoch mean nothing.
    :ivar options: the options in force, under their names in :class:`ListOptions`.
    :ivar state: ``loading``, ``ready``, ``paused`` or ``failed``.
    :ivar revision: how many transactions were applied, in this epoch.
    :ivar oldest_revision: the oldest revision since which changes are known.
    :ivar object_count: how many objects it has.
    :ivar item_count: how many items its sections have.
    :ivar selected_items: what is selected, as (object id, item); None when the user may not read the list.
    :ivar source_error: what the source lacks; empty when it lacks nothing, None when the user may not read the list.
    :ivar source_synced: when the source was last known to be whole, in microseconds since 1970; 0 = it tells none.
    :ivar source_position: the source's state, opaque: equal texts are equal states.
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
class ManagerProperties:
    """What listd says of itself.

    :ivar version: its version.
    :ivar features: what it can, by name.
    :ivar plugin_api_version: major × 65536 + minor.
    :ivar direct_address: where it takes direct connections; empty = nowhere.
    :ivar log_level: the least important messages that it writes: ``error``, ``warning``, ``notice``, ``info`` or ``debug``.
    :ivar adapter_count: how many lists there are.
    :ivar view_count: how many views there are.
    """

    version: str
    features: tuple[str, ...]
    plugin_api_version: int
    direct_address: str
    log_level: str
    adapter_count: int
    view_count: int


def plugin_info(properties: Mapping[str, Any]) -> PluginInfo:
    """A plugin from its properties."""
    return PluginInfo(
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
    """A list from its properties."""
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


def list_description(name: str, values: Mapping[str, Any]) -> ListDescription:
    """A row of ``DescribeAdapters``."""
    held = values.get("bytes")
    return ListDescription(
        name,
        values["state"],
        int(values["owner"]),
        values["source"],
        values.get("source-error"),
        int(values["revision"]),
        int(values["objects"]),
        int(values["items"]),
        int(values["views"]),
        int(values["changes-10s"]),
        None if held is None else int(held),
    )


def client_info(name: str, transport: Any, user: int, command: str, values: Mapping[str, Any]) -> ClientInfo:
    """A row of ``ListClients``."""
    keys = ("pid", "calls", "bytes", "calls-10s", "bytes-10s", "views", "subscriptions", "last-call")
    return ClientInfo(name, transport, user, command, *(int(values.get(key, 0)) for key in keys))


def manager_properties(properties: Mapping[str, Any]) -> ManagerProperties:
    """The manager from its properties."""
    return ManagerProperties(
        properties["Version"],
        tuple(properties["Features"]),
        int(properties["PluginAPIVersion"]),
        properties["DirectAddress"],
        properties["LogLevel"],
        int(properties["AdapterCount"]),
        int(properties["ViewCount"]),
    )
