# SPDX-License-Identifier: Apache-2.0
"""Temperatures of the machine as a list, for scripts without asyncio: sensors.py BUS NAME [SECONDS]."""

import sys
import time
from pathlib import Path

import listd.sync


def readings() -> list[listd.Object]:
    found = []
    for zone in sorted(Path("/sys/class/thermal").glob("thermal_zone*")):
        try:
            fields = {"name": (zone / "type").read_text().strip(), "celsius": int((zone / "temp").read_text()) / 1000}
        except OSError:
            continue
        found.append(listd.Object(zone.name, fields, "sensor"))
    return found


def main(bus: str, name: str, seconds: str = "1") -> None:
    with listd.sync.connect(bus) as d:
        sensors = d.ensure(name, durability="memory")
        while True:
            sensors.replace(readings())  # listd finds out what has changed
            time.sleep(float(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
