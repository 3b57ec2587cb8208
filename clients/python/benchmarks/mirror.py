# SPDX-License-Identifier: Apache-2.0
"""Measures the package and, for comparison, a bare dbus-fast loop, each in a separate process: mirror.py [OBJECTS] [SECONDS].

The first two lines read a list of OBJECTS objects, as plain values: seconds of processor time, and MiB of additional
resident memory. The other lines follow a list of 10,000 objects, some of which change each second."""

from __future__ import annotations

import asyncio
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "src"), str(Path(__file__).parents[1] / "tests")]

from dbus_fast import Message  # noqa: E402
from dbus_fast.aio import MessageBus  # noqa: E402
from dbus_fast.unpack import unpack_variants  # noqa: E402

import listd  # noqa: E402
from stage import Stage  # noqa: E402


def resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20


async def bare(address: str, path: str) -> int:
    bus = await MessageBus(bus_address=address, negotiate_unix_fd=True).connect()
    rows: list[Any] = []
    while True:
        reply = await bus.call(
            Message("org.listd.Listd1", path, "org.listd.Listd1.Adapter", "GetObjects", signature="uu", body=[len(rows), 4096])
        )
        rows += unpack_variants(reply.body[2])
        if len(rows) >= reply.body[1]:
            bus.disconnect()
            globals()["kept"] = rows
            return len(rows)


async def package(address: str, path: str) -> int:
    async with listd.connect(address) as d, listd.List(d._link, "large").follow() as changes:
        rows: list[listd.Object] = []
        (await anext(changes)).apply(rows)
        globals()["kept"] = (rows, changes)
        return len(rows)


def read(kind: str, address: str, path: str) -> None:
    before, began = resident(), time.process_time()
    count = asyncio.run({"bare": bare, "listd": package}[kind](address, path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{kind:6} {count} objects {time.process_time() - began:6.2f} s {resident() - before:7.1f} MiB, peak {peak:.1f}")


BATCH = 100


async def write(address: str, seconds: float, rate: float) -> None:
    """Changes a number of objects per second, in transactions of BATCH objects. Each field contains the time of its write."""
    async with listd.connect(address) as d:
        busy = await d.list("busy")
        began, count = time.monotonic(), 0
        while (now := time.monotonic()) < began + seconds:
            await asyncio.sleep(max(0.0, began + count / rate - now))
            async with busy.transaction() as t:
                for n in range(count, count + BATCH):
                    t.upsert(f"o{n * 7919 % 10000}", {"n": n, "at": time.time()})
            count += BATCH
        print(f"{count} {count / (time.monotonic() - began):.0f}")


async def follow(address: str, seconds: float, rate: float) -> None:
    """Follows these changes on one core, and prints the age of a change when it is reported."""
    async with listd.connect(address) as d:
        busy = await d.ensure("busy", durability="memory")
        await busy.replace(listd.Object(f"o{n}", {"n": n, "at": 0.0}) for n in range(10000))
        async with busy.follow() as changes:
            await anext(changes)
            words = [sys.executable, __file__, "write", address, str(seconds), str(rate)]
            writer = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
            began, processor, told, wholes, ages = time.monotonic(), time.process_time(), 0, 0, []
            latest, pause = began, 0.0
            while writer.poll() is None:
                try:
                    async with asyncio.timeout(0.2):
                        change = await anext(changes)
                except TimeoutError:
                    continue
                now = time.monotonic()
                latest, pause = now, max(pause, now - latest)
                if isinstance(change, listd.Replaced):
                    wholes += 1
                if isinstance(change, listd.Updated):
                    told += len(change.objects)
                    ages.append(time.time() - change.objects[0].fields["at"])
            took = time.monotonic() - began
            written, achieved = writer.stdout.read().split() if writer.stdout else ("0", "0")
            ages = sorted(ages) or [math.inf]
            print(
                f"follow {rate:6.0f}/s wanted, {achieved:>6}/s written, {told} of {written} reported one by one, "
                f"{wholes} times the whole list, longest pause between reports {1000 * pause:.0f} ms, age p50 "
                f"{1000 * ages[len(ages) // 2]:.0f} ms, p99 {1000 * ages[len(ages) * 99 // 100]:.0f} ms, "
                f"{100 * (time.process_time() - processor) / took:.0f} % of a core"
            )


def main() -> None:
    if sys.argv[1:2] in (["bare"], ["listd"]):
        read(*sys.argv[1:])
    elif sys.argv[1:2] == ["write"]:
        asyncio.run(write(sys.argv[2], float(sys.argv[3]), float(sys.argv[4])))
    else:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
        seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
        stage = Stage("direct")
        stage.start()
        try:
            asyncio.run(prepare(stage.address, count))
            for kind in ("bare", "listd"):
                subprocess.run([sys.executable, __file__, kind, stage.address, PATH], check=True)
            for rate in (1000, 5000, 10000, 20000):
                asyncio.run(follow(stage.address, seconds, rate))
        finally:
            stage.close()


PATH = "/org/listd/Listd1/adapters/large"


async def prepare(address: str, count: int) -> None:
    async with listd.connect(address) as d:
        large = await d.create("large", durability="memory")
        await large.replace(listd.Object(f"o{n}", {"n": n, "s": "text"}) for n in range(count))


if __name__ == "__main__":
    main()
