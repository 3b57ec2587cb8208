# SPDX-License-Identifier: Apache-2.0
"""Requests of viewers to the writer of a list: more objects, or an action."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._events import EventStream
from ._link import Link
from ._presence import Target
from ._values import fields_of


@dataclass(frozen=True, slots=True)
class NearEnd:
    """A viewport is close to the end of the content.

    :ivar view: the object path of the view.
    :ivar distance: the distance from the viewport to the end, in the units of the view's layout; in layout ``none``, in items.
    """

    view: str
    distance: float


class NearEndEvents(EventStream[NearEnd]):
    """Events of views that are close to the end. A slow consumer gets only the newest event of each view."""

    _word, _member = "near-end", "NearEnd"

    def __init__(self, link: Link, target: Target) -> None:
        super().__init__(link, target)
        self._news: dict[str, float] = {}

    def _record(self, body: list[Any]) -> None:
        self._news[body[0]] = body[1]

    def _forget(self) -> None:
        self._news.clear()

    def _take(self) -> NearEnd | None:
        if not self._news:
            return None
        view = next(iter(self._news))
        return NearEnd(view, self._news.pop(view))


@dataclass(frozen=True, slots=True)
class Invoked:
    """An action that a viewer has invoked on an item.

    :ivar id: the id of the item's object.
    :ivar item: the index of the item in its section; 0 for a list without section controllers.
    :ivar action: the name of the action, as the viewer passed it.
    :ivar parameters: the viewer's parameters.
    :ivar user: the viewer's Unix user.
    """

    id: str
    item: int
    action: str
    parameters: Mapping[str, Any]
    user: int


class InvokedEvents(EventStream[Invoked]):
    """Actions in the order of their invocation. For a slow consumer, the newest 1,024 actions are kept.

    :ivar missed: the number of actions that were dropped before they were consumed.
    """

    _word, _member = "actions", "Invoked"
    _LONGEST = 1024

    def __init__(self, link: Link, target: Target) -> None:
        super().__init__(link, target)
        self._waiting: deque[Invoked] = deque()
        self.missed = 0

    def _record(self, body: list[Any]) -> None:
        id, item, action, parameters, user = body
        if len(self._waiting) == self._LONGEST:
            self._waiting.popleft()
            self.missed += 1
        self._waiting.append(Invoked(id, item, action, fields_of(parameters), user))

    def _forget(self) -> None:
        """An action that was reported stays valid, whatever happens to the list."""

    def _take(self) -> Invoked | None:
        return self._waiting.popleft() if self._waiting else None
