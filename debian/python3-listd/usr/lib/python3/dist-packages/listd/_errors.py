# SPDX-License-Identifier: Apache-2.0
"""The errors of listd as exceptions."""

from __future__ import annotations

PREFIX = "org.listd.Listd1.Error."
STANDARD = "org.freedesktop.DBus.Error."


class ListdError(Exception):
    """An error of listd, or of the bus, instead of a result.

    An error without a class of its own is raised as this one.

    :ivar name: the D-Bus name of the error.
    :ivar message: what happened, to what: one sentence for a log or a person.
    """

    name: str = STANDARD + "Failed"
    message: str

    def __init__(self, message: str = "", *, name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if name is not None:
            self.name = name

    def __str__(self) -> str:
        return self.message or self.name.rpartition(".")[2]


class NoSuchAdapter(ListdError):
    """No list has the name, or the list was removed."""

    name = PREFIX + "NoSuchAdapter"


class AdapterExists(ListdError):
    """A list has the name already."""

    name = PREFIX + "AdapterExists"


class NoSuchObject(ListdError):
    """The list has no object with the id, which may be that of an anchor."""

    name = PREFIX + "NoSuchObject"


class NoSuchItem(ListdError):
    """The section has no item with the index."""

    name = PREFIX + "NoSuchItem"


class NoSuchSectionController(ListdError):
    """No plugin has the section controller that an option names."""

    name = PREFIX + "NoSuchSectionController"


class NoSuchPlugin(ListdError):
    """No loaded plugin has the name."""

    name = PREFIX + "NoSuchPlugin"


class PluginRefused(ListdError):
    """The file may not be loaded as a plugin because of its owner, mode, format or version; the message has the reason."""

    name = PREFIX + "PluginRefused"


class PluginFailed(ListdError):
    """The plugin that the call needs has died during the call."""

    name = PREFIX + "PluginFailed"


class RevisionConflict(ListdError):
    """The list is at another revision than the call expected; nothing was changed.

    :ivar expected: the revision that the call expected; 0 when it is not known.
    :ivar current: the list's revision, read right after the refusal; 0 when it could not be read.
    """

    name = PREFIX + "RevisionConflict"
    expected: int = 0
    current: int = 0


class RevisionGone(ListdError):
    """The change log does not reach back to the requested revision: read everything again."""

    name = PREFIX + "RevisionGone"


class DuplicateIdentifier(ListdError):
    """Two objects of a new list have the same id, and the call has ``duplicates="fail"``."""

    name = PREFIX + "DuplicateIdentifier"


class InvalidObject(ListdError):
    """An object is invalid: an empty id, a value that D-Bus cannot carry, too deep a nesting.

    Values that cannot be sent at all (integers beyond 64 bits, ``None``, surrogates or NUL in a string) raise this error before
    anything is sent.
    """

    name = PREFIX + "InvalidObject"


class ReadOnly(ListdError):
    """The list is filled by its source, so clients cannot write to it."""

    name = PREFIX + "ReadOnly"


class NotOwner(ListdError):
    """The view belongs to another connection."""

    name = PREFIX + "NotOwner"


class PayloadTooLarge(ListdError):
    """A call, a file, an object or an id is larger than listd's limits, or than a message can be."""

    name = PREFIX + "PayloadTooLarge"


class StoreFailed(ListdError):
    """The disk is full or broken: nothing was changed."""

    name = PREFIX + "StoreFailed"


class ShuttingDown(ListdError):
    """listd is about to end and accepts no more writes."""

    name = PREFIX + "ShuttingDown"


class SourceUnavailable(ListdError):
    """The source of the list cannot be reached."""

    name = PREFIX + "SourceUnavailable"


class ReloadIncomplete(ListdError):
    """The configuration was read again, except for the files that the message names."""

    name = PREFIX + "ReloadIncomplete"


class SourceError(ListdError):
    """The source of the list has failed."""

    name = PREFIX + "SourceError"


class InvalidArgs(ListdError):
    """An argument or option is wrong; the message names it."""

    name = STANDARD + "InvalidArgs"


class AccessDenied(ListdError):
    """The user may not do this."""

    name = STANDARD + "AccessDenied"


class LimitsExceeded(ListdError):
    """A limit of listd or of the bus is reached: lists, views, bytes or calls of this user."""

    name = STANDARD + "LimitsExceeded"


class UnknownObject(ListdError):
    """No object exists at the path, for example because a view was closed."""

    name = STANDARD + "UnknownObject"


class UnknownInterface(ListdError):
    """The object has no such interface: this listd is older than this package."""

    name = STANDARD + "UnknownInterface"


class UnknownMethod(ListdError):
    """The object has no such method: this listd is older than this package."""

    name = STANDARD + "UnknownMethod"


class UnknownProperty(ListdError):
    """The object has no such property: this listd is older than this package."""

    name = STANDARD + "UnknownProperty"


class PropertyReadOnly(ListdError):
    """The property cannot be set."""

    name = STANDARD + "PropertyReadOnly"


class Unavailable(ListdError):
    """There is no listd: no bus, or no listd on it. Nothing was sent."""

    name = STANDARD + "ServiceUnknown"


class Disconnected(ListdError):
    """listd or the connection ended before the answer came; a call that writes may have taken effect."""

    name = STANDARD + "NoReply"


class ViewClosed(ListdError):
    """The view was closed, by an administrator or because its list was removed.

    :ivar reason: the contract's reason: ``closed`` or ``adapter-removed``.
    """

    name = PREFIX + "ViewClosed"
    reason: str = "closed"


_ALL: list[type[ListdError]] = [
    NoSuchAdapter,
    AdapterExists,
    NoSuchObject,
    NoSuchItem,
    NoSuchSectionController,
    NoSuchPlugin,
    PluginRefused,
    PluginFailed,
    RevisionConflict,
    RevisionGone,
    DuplicateIdentifier,
    InvalidObject,
    ReadOnly,
    NotOwner,
    PayloadTooLarge,
    StoreFailed,
    ShuttingDown,
    SourceUnavailable,
    ReloadIncomplete,
    SourceError,
    InvalidArgs,
    AccessDenied,
    LimitsExceeded,
    UnknownObject,
    UnknownInterface,
    UnknownMethod,
    UnknownProperty,
    PropertyReadOnly,
    Unavailable,
    Disconnected,
]

_BY_NAME: dict[str, type[ListdError]] = {kind.name: kind for kind in _ALL} | {
    STANDARD + "NameHasNoOwner": Unavailable,
    STANDARD + "NoServer": Unavailable,
    STANDARD + "Spawn.ServiceNotFound": Unavailable,
    STANDARD + "Disconnected": Disconnected,
    STANDARD + "Timeout": Disconnected,
    STANDARD + "TimedOut": Disconnected,
}


def error_of(name: str | None, body: list[object]) -> ListdError:
    """The exception for an error reply."""
    name = name or STANDARD + "Failed"
    message = body[0] if body and isinstance(body[0], str) else ""
    kind = _BY_NAME.get(name, ListdError)
    return kind(message, name=name)
