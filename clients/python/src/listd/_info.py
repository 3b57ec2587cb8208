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
    )


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
