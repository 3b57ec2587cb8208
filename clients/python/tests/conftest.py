# SPDX-License-Identifier: Apache-2.0
"""Runs each test in a separate event loop, which must have no tasks at the end."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stage import PLUGINS, Stage

KINDS = os.environ.get("LISTD_KINDS", "daemon broker direct").split()
#: Seconds that a test may take before it counts as hanging.
LONGEST = float(os.environ.get("LISTD_TEST_TIME", "25"))


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a coroutine. The test fails if tasks or descriptors are left over."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(_guarded(pyfuncitem.obj, arguments))
    return True


async def _guarded(test: Callable[..., Any], arguments: dict[str, Any]) -> None:
    faults: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: faults.append(f"{context['message']}: {context.get('exception')!r} {context.get('future')!r}"))
    before = open_descriptors()
    async with asyncio.timeout(LONGEST):
        await test(**arguments)
    gc.collect()
    for _ in range(3):
        await asyncio.sleep(0)
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not left, f"tasks left running: {left}"
    gc.collect()
    assert not faults, faults
    assert open_descriptors() <= before, "descriptors left open"


def open_descriptors() -> int:
    """Returns the number of open files, sockets and pipes of this process."""
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture(scope="session", params=KINDS)
def shared(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A listd on each kind of transport, shared by tests that do not stop it."""
    yield from staged(request.param)


@pytest.fixture(params=KINDS)
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A listd with stored lists on each kind of transport, for tests that stop it."""
    yield from staged(request.param, state=True)


@pytest.fixture
def bus_stage() -> Iterator[Stage]:
    """A listd with stored lists on a dbus-daemon only, for tests that stop it."""
    yield from staged("daemon", state=True)


@pytest.fixture(params=KINDS)
def plugged(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A listd with the plugin marslink on each kind of transport, for tests that stop the plugin's worker."""
    assert (PLUGINS / "marslink.so").exists(), f"{PLUGINS} has no marslink.so, which `scripts/build debug tests` builds"
    yield from staged(request.param, settings="[Plugin marslink]\nHeadings=yes\n")


def staged(kind: str, *, state: bool = False, settings: str = "") -> Iterator[Stage]:
    """A running listd, until the block ends."""
    if kind == "broker" and (shutil.which("dbus-broker-launch") is None or os.geteuid() != 0):
        pytest.skip("dbus-broker needs its launcher, and root for a mount namespace")
    stage = Stage(kind, state=state, settings=settings)
    try:
        stage.start()
        yield stage
    finally:
        stage.close()


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Returns a list name that no other test uses."""
    return str(request.node.nodeid).rpartition("/")[2]
