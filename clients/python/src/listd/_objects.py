# SPDX-License-Identifier: Apache-2.0
"""The elements of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from ._values import fields_of


@dataclass(frozen=True, slots=True)
class Object:
    """An element of a list. Equal ids mean the same object, even if type or fields differ.

    :ivar id: unique in its list; at most 4 KiB. Empty only with ``identify="content"``, which makes one.
    :ivar fields: the content of the object, by key. Values are ``str``, ``int`` (64 bits), ``float``, ``bool``, ``bytes``, lists
        and dictionaries of those, and D-Bus's other types by wrappers such as :class:`UInt32`.
    :ivar type: determines the section controller; may be empty.
    """

    id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    type: str = ""

    def __hash__(self) -> int:
        return hash(self.id)


# Objects that are read by the million bypass the initialiser of a frozen class, which costs three times as much.
_new = object.__new__
_set_id: Callable[[Object, str], None] = vars(Object)["id"].__set__
_set_type: Callable[[Object, str], None] = vars(Object)["type"].__set__
_set_fields: Callable[[Object, Mapping[str, Any]], None] = vars(Object)["fields"].__set__


def objects_of(rows: list[Any]) -> list[Object]:
    """Decodes the objects of an ``a(ssa{sv})``."""
    made = []
    for id, type, raw in rows:
        entry = _new(Object)
        _set_id(entry, id)
        _set_type(entry, intern(type))
        _set_fields(entry, fields_of(raw))
        made.append(entry)
    return made
