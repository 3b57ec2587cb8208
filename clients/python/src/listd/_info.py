# SPDX-License-Identifier: Apache-2.0
"""What the manager says of lists, views and plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ListInfo:
    """One row of the lists there are."""

    name: str
    #: Its object path.
    path: str
    #: What fills it.
    source: str
    revision: int
    objects: int
    items: int
    views: int


@dataclass(frozen=True, slots=True)
class ViewInfo:
    """One row of the views there are."""

    #: Its object path.
    path: str
    #: The object path of its list.
    adapter: str
    #: The unique name of the connection that opened it.
    owner: str
    #: The last picture that was sent, and the last one that was seen.
    sequence: int
    acknowledged_sequence: int
    state: Literal["new", "active", "stalled"]


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plugin and how it is."""

    name: str
    version: str
    #: The path of its library.
    file: str
    #: Major × 65536 + minor.
    api_version: int
    section_controllers: tuple[str, ...]
    data_sources: tuple[str, ...]
    #: Where its code runs.
    isolation: Literal["worker", "none"]
    state: Literal["loading", "ready", "restarting", "failed"]
    #: What went wrong last; empty when nothing did.
    last_error: str
    #: The process that its code runs in; 0 while there is none.
    process_id: int
    restart_count: int


@dataclass(frozen=True, slots=True)
class ListDescription:
    """What listd tells everybody of a list, and more to those who may know it."""

    name: str
    state: str
    #: The Unix user who made it; 0 for a configured list.
    owner: int
    #: What fills it.
    source: str
    #: What the source lacks; None when the user may not read the list.
    source_error: str | None
    revision: int
    objects: int
    items: int
    views: int
    #: Transactions in the last ten seconds.
    changes_10s: int
    #: What its objects count on the owner's account; None for those who are no administrators.
    bytes: int | None


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """A program that calls listd."""

    #: Its unique name.
    name: str
    transport: Literal["bus", "direct"]
    #: Its Unix user; 4294967295 when that is not known.
    user: int
    #: What the kernel calls its process; empty when that is not known.
    command: str
    pid: int
    #: Calls and bytes that it has sent, all in all and in the last ten seconds.
    calls: int
    bytes: int
    calls_10s: int
    bytes_10s: int
    views: int
    subscriptions: int
    #: Microseconds since 1970.
    last_call: int


@dataclass(frozen=True, slots=True)
class ListProperties:
    """What a list says of itself."""

    name: str
    source: str
    #: Names the numbering: revisions of another epoch mean nothing.
    epoch: str
    options: Mapping[str, Any]
    state: Literal["loading", "ready", "paused", "failed"]
    revision: int
    #: The oldest revision since which changes are known.
    oldest_revision: int
    object_count: int
    item_count: int
    #: (object id, item); None when the user may not read the list.
    selected_items: tuple[tuple[str, int], ...] | None
    #: What the source lacks; empty when it lacks nothing, None when the user may not read the list.
    source_error: str | None
    #: When the source was last known to be whole, in microseconds since 1970; 0 = it tells none.
    source_synced: int
    #: The source's state, opaque: equal texts are equal states.
    source_position: str


@dataclass(frozen=True, slots=True)
class ManagerProperties:
    """What listd says of itself."""

    version: str
    features: tuple[str, ...]
    #: Major × 65536 + minor.
    plugin_api_version: int
    #: Where it takes direct connections; empty = nowhere.
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
