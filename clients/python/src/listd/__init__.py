# SPDX-License-Identifier: Apache-2.0
"""Lists that every program on the machine can show: a client of listd for asyncio.

::

    import listd

    async with listd.connect() as d:
        mail = await d.list("mail")
        async with mail.transaction() as t:
            t.upsert("m1", {"subject": "Hi"}, type="message", first=True)
        async for change in mail.follow():
            change.apply(rows)

:mod:`listd.sync` has the same interface for scripts without an event loop.
"""

from ._actions import Invoked, InvokedEvents, NearEnd, NearEndEvents
from ._changes import Change, Inserted, Moved, Removed, Replaced, Updated
from ._daemon import Daemon, Reloading, connect
from ._errors import (
    AccessDenied,
    AdapterExists,
    Disconnected,
    DuplicateIdentifier,
    InvalidArgs,
    InvalidObject,
    LimitsExceeded,
    ListdError,
    NoSuchAdapter,
    NoSuchItem,
    NoSuchObject,
    NoSuchPlugin,
    NoSuchSectionController,
    NotOwner,
    PayloadTooLarge,
    PluginFailed,
    PluginRefused,
    PropertyReadOnly,
    ReadOnly,
    ReloadIncomplete,
    RevisionConflict,
    RevisionGone,
    ShuttingDown,
    SourceError,
    SourceUnavailable,
    StoreFailed,
    Unavailable,
    UnknownInterface,
    UnknownMethod,
    UnknownObject,
    UnknownProperty,
    ViewClosed,
)
from ._events import (
    DisplayChange,
    DisplayEvents,
    Item,
    Section,
    SelectionChange,
    SelectionEvents,
    WorkingRangeChange,
    WorkingRangeEvents,
)
from ._follow import Follower
from ._filter import Filter, FilteredList
from ._info import (
    ClientInfo,
    ListInfo,
    ListProperties,
    Loss,
    ManagerProperties,
    PluginInfo,
    PluginProperties,
    ViewInfo,
)
from ._list import List
from ._objects import Object
from ._options import ListOptions, ViewOptions
from ._picture import Cause, Frame, Picture, Point, Shown, Size
from ._results import Found, Hit, ItemCounts, ListItem, Page
from ._transaction import Transaction
from ._values import Array, Byte, Dictionary, Int16, Int32, ObjectPath, Signature, Struct, UInt16, UInt32, UInt64
from ._view import SelectionResult, View

__all__ = [
    "AccessDenied",
    "AdapterExists",
    "Array",
    "Byte",
    "Cause",
    "Change",
    "ClientInfo",
    "Daemon",
    "Dictionary",
    "Disconnected",
    "DisplayChange",
    "DisplayEvents",
    "DuplicateIdentifier",
    "Filter",
    "FilteredList",
    "Follower",
    "Found",
    "Frame",
    "Hit",
    "Inserted",
    "Int16",
    "Int32",
    "InvalidArgs",
    "InvalidObject",
    "Invoked",
    "InvokedEvents",
    "Item",
    "ItemCounts",
    "LimitsExceeded",
    "List",
    "ListInfo",
    "ListItem",
    "ListOptions",
    "ListProperties",
    "ListdError",
    "Loss",
    "ManagerProperties",
    "Moved",
    "NearEnd",
    "NearEndEvents",
    "NoSuchAdapter",
    "NoSuchItem",
    "NoSuchObject",
    "NoSuchPlugin",
    "NoSuchSectionController",
    "NotOwner",
    "Object",
    "ObjectPath",
    "Page",
    "PayloadTooLarge",
    "Picture",
    "PluginFailed",
    "PluginInfo",
    "PluginProperties",
    "PluginRefused",
    "Point",
    "PropertyReadOnly",
    "ReadOnly",
    "ReloadIncomplete",
    "Reloading",
    "Removed",
    "Replaced",
    "RevisionConflict",
    "RevisionGone",
    "Section",
    "SelectionChange",
    "SelectionEvents",
    "SelectionResult",
    "Shown",
    "ShuttingDown",
    "Signature",
    "Size",
    "SourceError",
    "SourceUnavailable",
    "StoreFailed",
    "Struct",
    "Transaction",
    "UInt16",
    "UInt32",
    "UInt64",
    "Unavailable",
    "UnknownInterface",
    "UnknownMethod",
    "UnknownObject",
    "UnknownProperty",
    "Updated",
    "View",
    "ViewClosed",
    "ViewInfo",
    "ViewOptions",
    "WorkingRangeChange",
    "WorkingRangeEvents",
    "connect",
]

__version__ = "0.1.0"
