# SPDX-License-Identifier: Apache-2.0
"""Callbacks with weak references, so that an iterator without references gets no more events."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakMethod

P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R | None]:
    """Wraps a bound method. Calls it while its object exists, and returns None afterwards."""
    reference = WeakMethod(method)

    def call(*arguments: P.args, **keywords: P.kwargs) -> R | None:
        living = reference()
        return None if living is None else living(*arguments, **keywords)

    return call
