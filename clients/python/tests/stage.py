# SPDX-License-Identifier: Apache-2.0
"""A real listd on a separate bus, with all files in a temporary directory."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LISTD = os.environ.get("LISTD") or str(ROOT / ".build/debug/listd")
#: Where the built plugins are, as NAME.so.
PLUGINS = Path(os.environ.get("LISTD_PLUGINS") or ROOT / "build/plugins")
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  {limits}
</busconfig>
"""


class Bus:
    """A dbus-daemon or a dbus-broker at a fixed address, which can be killed and restarted."""

    def __init__(self, kind: str, directory: Path, limits: Mapping[str, int] = {}) -> None:
        self.kind = kind
        self._directory = directory
        self._socket = directory / "bus.sock"
        self.address = f"unix:path={self._socket}"
        self._configuration = directory / "bus.conf"
        text = "".join(f'<limit name="{name}">{value}</limit>' for name, value in limits.items())
        self._configuration.write_text(CONFIGURATION.format(socket=self._socket, limits=text))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts it and returns when it listens."""
        self._socket.unlink(missing_ok=True)
        if self.kind == "broker":
            self._start_broker()
            return
        self._process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self._configuration}", "--nofork", "--nopidfile", "--print-address=1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._wait_for_address()

    def _start_broker(self) -> None:
        launcher = str(Path(__file__).with_name("broker.py"))
        self._process = subprocess.Popen(
            ["/usr/bin/python3", launcher, str(self._socket), str(self._configuration)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._wait_for_address()

    def _wait_for_address(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        self._process.stdout.close()
        assert line, f"the {self.kind} did not start"

    def kill(self) -> None:
        """Kills it."""
        process, self._process = self._process, None
        if process is None:
            return
        if self.kind == "broker":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


class Stage:
    """A bus and listd. Each may be stopped and restarted."""

    def __init__(
        self, kind: str = "daemon", *, state: bool = False, limits: Mapping[str, int] = {}, settings: str = ""
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="listd-python-"))
        (self.directory / "config").mkdir()
        # Tests do not remove their lists.
        (self.directory / "config/listd.conf").write_text(f"[Limits]\nAdaptersPerUser=1000\n{settings}")
        self._has_state = state
        self.bus = Bus("broker" if kind == "broker" else "daemon", self.directory, limits)
        self.kind = kind
        self.direct = f"unix:path={self.directory}/direct.sock"
        self._listd: subprocess.Popen[bytes] | None = None
        self.log = self.directory / "listd.log"

    @property
    def address(self) -> str:
        """The address for clients of this transport."""
        return self.direct if self.kind == "direct" else self.bus.address

    def start(self) -> None:
        """Starts listd and returns when it reports READY=1."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, self.log.open("ab") as log:
            path = self.directory / "notify"
            path.unlink(missing_ok=True)
            notify.bind(str(path))
            notify.settimeout(30)
            self._listd = subprocess.Popen(
                [
                    *(LISTD, "--bus", self.bus.address, "--config", str(self.directory / "config")),
                    *("--state", str(self.directory / "state") if self._has_state else "none"),
                    *("--direct", self.direct, "--plugins", str(PLUGINS)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=os.environ | {"NOTIFY_SOCKET": str(path), "SWIFT_BACKTRACE": "enable=no"},
            )
            while b"READY=1" not in notify.recv(4096):
                pass

    @property
    def process(self) -> int:
        """The process id of listd."""
        assert self._listd is not None
        return self._listd.pid

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends listd by SIGKILL, or as systemd does, and waits for its exit."""
        process, self._listd = self._listd, None
        if process is not None:
            process.send_signal(number)
            process.wait()

    def wait(self) -> int:
        """Waits until listd has ended by itself, and returns its exit status."""
        process, self._listd = self._listd, None
        assert process is not None
        return process.wait()

    def signal(self, number: int) -> None:
        """Stops or continues listd."""
        assert self._listd is not None
        self._listd.send_signal(number)
        if number == signal.SIGSTOP:
            os.waitid(os.P_PID, self._listd.pid, os.WSTOPPED | os.WNOWAIT)

    def restart(self) -> None:
        """Kills listd and starts it again."""
        self.kill()
        self.start()

    def close(self) -> None:
        """Stops listd and the bus."""
        self.kill()
        self.bus.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
