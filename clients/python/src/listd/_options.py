# SPDX-License-Identifier: Apache-2.0
"""Options of lists and views: Python's names and types for the contract's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ._errors import InvalidArgs, InvalidObject
from ._values import Array, Dictionary, Struct, UInt32, checked_text, variants_of


class ListOptions(TypedDict, total=False):
    """Options of a new list. What is left out has listd's default."""

    #: What fills it: ``push`` (writers do), ``jsonl:PATH``, ``list:NAME?…`` (see :class:`Filter`), or
    #: ``PLUGIN/SOURCE?argument``.
    source: str
    #: Object type → ``PLUGIN/CONTROLLER``.
    section_controllers: Mapping[str, str]
    layout: Literal["flow", "absolute", "none"]
    direction: Literal["vertical", "horizontal"]
    sticky_headers: bool
    stretch_to_edge: bool
    show_header_when_empty: bool
    #: In the units of the layout.
    top_content_inset: float
    sticky_header_offset: float
    #: Sections on both sides of the visible ones that count as near.
    working_range: int
    #: How near the end is for a writer to load more, in the units of the layout (items in layout ``none``); 0 = never.
    near_end_distance: float
    updater: Literal["batch", "reload"]
    #: More changed sections than this are announced as a reload; 0 = only when the signal would be too long.
    reload_threshold: int
    section_moves_as_deletes_inserts: bool
    prefer_item_reloads: bool
    minimal_moves: bool
    #: Milliseconds that an update waits for others to come.
    coalesce_min: int
    coalesce_max: int
    coalesce_increment: int
    #: What survives: nothing, a crash of listd, a crash of the machine.
    durability: Literal["memory", "disk", "fsync"]
    #: What an empty list shows.
    empty: Mapping[str, Any]
    #: How people want to see fields: ``bytes``, ``time-us``, ``time-s``, ``permissions``, ``uid``, ``gid``, ``percent``, ``duration-us``.
    hints: Mapping[str, str]
    #: ``any``, ``owner``, or ``group:NAME``.
    readers: str
    writers: str
    #: Who may ask for actions with :meth:`View.invoke`: as ``readers``.
    invokers: str
    #: Whether the list is removed when the connection that made it ends.
    transient: bool


class ViewOptions(TypedDict, total=False):
    """Options of a view. What is left out has the list's or listd's default."""

    layout: Literal["flow", "absolute", "none"]
    #: How many pictures may be on their way to a consumer that does not look (32).
    window: int
    #: The same in bytes (262,144).
    window_bytes: int
    #: Sections before the first and behind the last visible one that count as near.
    lead: int
    trail: int
    #: How far beyond the viewport items are shown, in the units of the layout (20): inside, scrolling costs no call.
    buffer: float
    #: How many items beyond the range are shown, in layout ``none`` (0): inside, scrolling costs no call.
    overscan_items: int
    #: Only these keys of contents; empty = all.
    fields: list[str]
    #: Whether the first visible item keeps its place when others change (true).
    anchor: bool
    #: The same at the very beginning of the list (false).
    anchor_at_start: bool
    #: Device pixels per unit, for rounding; 0 = none.
    scale: float
    #: Where the view begins: object id, item, and ``none``, ``start``, ``center`` or ``end``. The first :meth:`View.show` or
    #: :meth:`View.scroll` then gives only the length or the size.
    at: tuple[str, int, str]
    #: What ``lead`` and ``trail`` count: ``sections`` (the default) or ``items``.
    working_range_unit: Literal["sections", "items"]


_COUNTS = frozenset(
    {
        "working_range",
        "reload_threshold",
        "coalesce_min",
        "coalesce_max",
        "coalesce_increment",
        "window",
        "window_bytes",
        "lead",
        "trail",
        "overscan_items",
    }
)
_NUMBERS = frozenset({"top_content_inset", "sticky_header_offset", "buffer", "scale", "near_end_distance"})
_TEXTS_BY_TEXT = frozenset({"section_controllers", "hints"})


def option_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under the contract's names, with values of the contract's types.

    :raises InvalidArgs: a value is none of the option's; names that listd does not know are left to listd.
    """
    made: dict[str, Any] = {}
    for name, value in options.items():
        try:
            made[name.replace("_", "-")] = _value(name, value)
        except (InvalidObject, TypeError, ValueError) as error:
            raise InvalidArgs(f"option {name!r}: {error}") from None
    try:
        variants_of(made)
    except InvalidObject as error:
        raise InvalidArgs(f"options: {error}") from None
    return made


def _value(name: str, value: Any) -> Any:
    if name in _COUNTS:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{value!r:.64} is no whole number")
        return UInt32(value)
    if name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{value!r:.64} is no number")
        return float(value)
    if name in _TEXTS_BY_TEXT:
        if not isinstance(value, Mapping):
            raise TypeError(f"{value!r:.64} is no dictionary")
        return Dictionary("ss", {checked_text(key): checked_text(text) for key, text in value.items()})
    if name == "at":
        id, item, position = value
        if not isinstance(id, str) or not isinstance(position, str):
            raise TypeError(f"{value!r:.64} is no object id, item and position")
        if isinstance(item, bool) or not isinstance(item, int):
            raise TypeError(f"{item!r:.64} is no whole number")
        return Struct("(sus)", (checked_text(id), UInt32(item), checked_text(position)))
    if name == "fields":
        if isinstance(value, str):
            raise TypeError("a string is no list of keys")
        return Array("s", [checked_text(key) for key in value])
    return value
