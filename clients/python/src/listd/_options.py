# SPDX-License-Identifier: Apache-2.0
"""Options of lists and views: Python's names and types for the contract's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ._errors import InvalidArgs, InvalidObject
from ._values import Array, Dictionary, Struct, UInt32, checked_text, variants_of


class ListOptions(TypedDict, total=False):
    """Options of a new list, as keywords of :meth:`Daemon.create` and :meth:`Daemon.ensure`. Options that are left out have their
    defaults.

    :ivar source: the source that fills it (``"push"``): ``push`` (writers do), ``jsonl:PATH``, ``list:NAME?…`` (see
        :class:`Filter`), or ``PLUGIN/SOURCE?argument``.
    :ivar section_controllers: object type → ``PLUGIN/CONTROLLER``; ``*`` is for every other type
        (``{"*": "listd/single"}``: each object is one item, which shows its fields).
    :ivar layout: the layout of its views (``"flow"``): ``flow`` (sizes, lines and columns), ``absolute`` (controllers place
        items), or ``none`` (rows, for programs that lay them out themselves).
    :ivar direction: the scroll direction (``"vertical"``), or ``horizontal``.
    :ivar sticky_headers: whether headers stay at the edge (false).
    :ivar stretch_to_edge: whether items stretch to the end of their line (false).
    :ivar show_header_when_empty: whether sections without items have their header (false).
    :ivar top_content_inset: space above the content, in the units of the layout (0).
    :ivar sticky_header_offset: where sticky headers stop, in the units of the layout (0).
    :ivar working_range: how many sections on both sides of the visible ones belong to the working range (0).
    :ivar near_end_distance: the distance of the end at which writers are asked to load more, in the units of the layout, in
        layout ``none`` in items; 0 = never (0).
    :ivar updater: ``batch`` announces the changes, ``reload`` announces each update as a reload (``"batch"``).
    :ivar reload_threshold: more changed sections than this are announced as a reload; 0 = only when the signal would be too
        long (0).
    :ivar section_moves_as_deletes_inserts: whether moves are announced as a delete and an insert (false).
    :ivar prefer_item_reloads: whether sections with new content are announced by their items (false).
    :ivar minimal_moves: whether to find the fewest moves, which takes longer (false).
    :ivar coalesce_min: how long an update waits for others, in milliseconds (0).
    :ivar coalesce_max: the maximum of that time, in milliseconds (0).
    :ivar coalesce_increment: how much longer it waits after each further update, in milliseconds (0).
    :ivar durability: what the objects survive (``"disk"``): ``memory`` nothing, the list is gone with listd; ``disk`` a crash of
        listd; ``fsync`` a crash of the machine.
    :ivar empty: the content of the one item that views show for an empty list (nothing).
    :ivar hints: how to show fields, by key: ``bytes``, ``time-us``, ``time-s``, ``permissions``, ``uid``, ``gid``, ``percent``,
        ``duration-us`` (none).
    :ivar readers: who may read it (``"any"``), ``owner``, or ``group:NAME``.
    :ivar writers: who may write it (``"owner"``), ``any``, or ``group:NAME``.
    :ivar invokers: who may invoke actions with :meth:`View.invoke` (``"owner"``), ``any``, or ``group:NAME``.
    :ivar identify: what an object without an id gets (``"none"``): ``none``, it is refused; ``content``, a digest of its type and
        fields.
    :ivar transient: whether the list is removed when the connection that made it ends (false).
    """

    source: str
    section_controllers: Mapping[str, str]
    layout: Literal["flow", "absolute", "none"]
    direction: Literal["vertical", "horizontal"]
    sticky_headers: bool
    stretch_to_edge: bool
    show_header_when_empty: bool
    top_content_inset: float
    sticky_header_offset: float
    working_range: int
    near_end_distance: float
    updater: Literal["batch", "reload"]
    reload_threshold: int
    section_moves_as_deletes_inserts: bool
    prefer_item_reloads: bool
    minimal_moves: bool
    coalesce_min: int
    coalesce_max: int
    coalesce_increment: int
    durability: Literal["memory", "disk", "fsync"]
    empty: Mapping[str, Any]
    hints: Mapping[str, str]
    readers: str
    writers: str
    invokers: str
    identify: Literal["none", "content"]
    transient: bool


class ViewOptions(TypedDict, total=False):
    """Options of a view, as keywords of :meth:`List.view`. Options that are left out have their defaults.

    :ivar layout: ``flow``, ``absolute``, or ``none``: :meth:`View.scroll` is for the first two, :meth:`View.show` for ``none``
        (the list's).
    :ivar window: how many pictures may be unacknowledged before the view stalls (32).
    :ivar window_bytes: the same in bytes (262,144).
    :ivar lead: the length of the working range after the last visible one, in ``working_range_unit`` (the list's
        ``working_range``).
    :ivar trail: its length before the first visible one (the list's ``working_range``).
    :ivar working_range_unit: the unit of both: ``sections`` or ``items`` (``"sections"``).
    :ivar buffer: how far beyond the viewport items are displayed, in the units of the layout (20): scrolling inside it needs no
        call. In layout ``absolute`` it counts on all four sides.
    :ivar prefetch: how far beyond the viewport items are in the picture without being displayed (0): scrolling inside it waits for
        nothing. Not for layout ``none``, which has ``overscan_items``.
    :ivar overscan_items: how many items beyond the range are shown on both sides, in layout ``none`` (0): scrolling inside them
        needs no call. :meth:`Picture.visible` leaves them out.
    :ivar range_at: what the rows of :meth:`View.show` refer to: the ``picture`` that was read last, or the ``revision`` of a copy
        of the list, which :meth:`View.show` takes (``"picture"``).
    :ivar fields: only these keys of contents (all).
    :ivar anchor: whether visible items keep their place when something above them changes (true).
    :ivar anchor_at_start: the same at the very beginning of the list (false).
    :ivar scale: device pixels per unit, for rounding; 0 = none (0).
    :ivar at: where the view begins: object id, item, and ``none``, ``start``, ``center`` or ``end`` (the beginning). The first
        :meth:`View.show` or :meth:`View.scroll` then only sets how much is visible.
    """

    layout: Literal["flow", "absolute", "none"]
    window: int
    window_bytes: int
    lead: int
    trail: int
    buffer: float
    prefetch: float
    overscan_items: int
    fields: list[str]
    anchor: bool
    anchor_at_start: bool
    scale: float
    at: tuple[str, int, str]
    working_range_unit: Literal["sections", "items"]
    range_at: Literal["picture", "revision"]


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
_NUMBERS = frozenset({"top_content_inset", "sticky_header_offset", "buffer", "prefetch", "scale", "near_end_distance"})
_TEXTS_BY_TEXT = frozenset({"section_controllers", "hints"})


def option_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """Converts options to the contract's names and types.

    :raises InvalidArgs: a value is not allowed for its option; listd checks unknown names.
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
            raise TypeError(f"{value!r:.64} is not an integer")
        return UInt32(value)
    if name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{value!r:.64} is not a number")
        return float(value)
    if name in _TEXTS_BY_TEXT:
        if not isinstance(value, Mapping):
            raise TypeError(f"{value!r:.64} is not a dictionary")
        return Dictionary("ss", {checked_text(key): checked_text(text) for key, text in value.items()})
    if name == "at":
        id, item, position = value
        if not isinstance(id, str) or not isinstance(position, str):
            raise TypeError(f"{value!r:.64} is not an object id, item and position")
        if isinstance(item, bool) or not isinstance(item, int):
            raise TypeError(f"{item!r:.64} is not an integer")
        return Struct("(sus)", (checked_text(id), UInt32(item), checked_text(position)))
    if name == "fields":
        if isinstance(value, str):
            raise TypeError("a string is not a list of keys")
        return Array("s", [checked_text(key) for key in value])
    return value
