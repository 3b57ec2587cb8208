# SPDX-License-Identifier: Apache-2.0
"""Callbacks that keep nobody alive: an iterator that is dropped stops hearing of what it followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakMethod

P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R | None]:
    """Calls a bound method as long as its object lives, and answers None afterwards."""
    reference = WeakMethod(method)

    def call(*arguments: P.args, **keywords: P.kwargs) -> R | None:
        living = reference()
        return None if living is None else living(*arguments, **keywords)

    return call
