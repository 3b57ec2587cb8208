"""The elements of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._values import fields_of


@dataclass(frozen=True, slots=True)
class Object:
    """One element of a list. Two with the same id are the same object; its type or fields may differ."""

    #: Unique in its list, not empty; at most 4 KiB.
    id: str
    #: What the object says, by key. Values are ``str``, ``int`` (64 bits), ``float``, ``bool``, ``bytes``, lists and
    #: dictionaries of those, and D-Bus's other types by wrappers such as :class:`UInt32`.
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: What chooses its section controller; may be empty.
    type: str = ""

    def __hash__(self) -> int:
        return hash(self.id)


def object_of(row: list[Any]) -> Object:
    """An object from a row of ``a(ssa{sv})``."""
    return Object(row[0], fields_of(row[2]), row[1])
