#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scroll.py ADDRESS STEPS SEED: opens a view, scrolls and changes the list. Checks that the view equals Resync after each step."""

import random
import sys

import dbus

import listd


def fields(rng):
    return dbus.Dictionary(
        {"title": "row %d" % rng.randrange(1000), "height": dbus.Double(rng.choice([20, 44, 60.5]))}, "sv")


def change(rng, adapter, ids, step):
    name = "n%d" % step
    removed = rng.sample(ids, min(len(ids), rng.randrange(3)))
    left = [i for i in ids if i not in removed]
    upserts = [(name, "row", "first", "", fields(rng))]
    if left:
        upserts.append((rng.choice(left), "row", "keep", "", fields(rng)))
        upserts.append(("m%d" % step, "row", "after", rng.choice(left), fields(rng)))
    adapter.apply(removed, upserts)
    return left + [name] + (["m%d" % step] if left else [])


def main(address, steps, seed):
    rng = random.Random(seed)
    bus = listd.connect(address)
    manager = listd.interface(bus, listd.MANAGER, "Manager")
    path = manager.CreateAdapter("python", dbus.Dictionary({"durability": "memory"}, "sv"))
    adapter = listd.Adapter(bus, path)
    ids = ["o%d" % i for i in range(200)]
    adapter.apply(upserts=[(i, "row", "last", "", fields(rng)) for i in ids])
    mirror, view = listd.Mirror(adapter), listd.View(adapter)
    offset = 0.0
    for step in range(steps):
        if rng.randrange(3) == 0:
            ids = change(rng, adapter, ids, step)
        else:
            offset = max(0.0, min(offset + rng.uniform(-300, 400), 9000.0))
            view.set_viewport(0, offset, 320, 480)
        view.check()
        there = [row[0] for row in adapter.objects()]
        assert mirror.ids == there, "the mirror differs from the list at step %d" % step
        assert mirror.gaps == 0
    view.calls.Close()
    listd.drain()
    assert view.reason == "closed", view.reason
    manager.RemoveAdapter("python")
    print("%d steps, %d changes" % (steps, view.changes))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
