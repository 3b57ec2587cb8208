# SPDX-License-Identifier: Apache-2.0
"""Starts dbus-broker's launcher on a socket, as systemd would: broker.py SOCKET CONFIGURATION.

Prints the address when the broker accepts connections. The launcher requires a journal. For root, that is a socket in a separate
mount namespace; otherwise, it is the journal of this machine.
"""

import ctypes
import os
import socket
import sys

NEW_MOUNT_NAMESPACE, RECURSIVELY_PRIVATE, END_WITH_PARENT = 0x20000, 0x4000 | 1 << 18, 1
JOURNAL = "/run/systemd/journal/socket"

path, configuration = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> None:
    """Exits with a message when a call of libc has failed."""
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def hide_journal() -> None:
    """Replaces the machine's journal by a socket, and drops its data."""
    check(libc.unshare(NEW_MOUNT_NAMESPACE), "a mount namespace cannot be created")
    check(libc.mount(None, b"/", None, RECURSIVELY_PRIVATE, None), "mounts cannot be made private")
    os.makedirs("/run/systemd", exist_ok=True)
    check(libc.mount(b"tmpfs", b"/run/systemd", b"tmpfs", 0, None), "/run/systemd cannot be replaced by a mount")
    os.mkdir(os.path.dirname(JOURNAL))
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind(JOURNAL)
    launcher = os.getpid()
    if os.fork() == 0:
        libc.prctl(END_WITH_PARENT, 9)
        os.closerange(0, journal.fileno())
        while os.getppid() == launcher and journal.recv(65536):
            pass
        os._exit(0)
    journal.close()


if os.geteuid() == 0:
    hide_journal()
listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listening.bind(path)
listening.listen(128)
os.chmod(path, 0o777)  # for other users, as dbus-daemon does
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
address = f"unix:path={path}"
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), DBUS_SESSION_BUS_ADDRESS=address)
print(address, flush=True)
os.execvp("dbus-broker-launch", ["dbus-broker-launch", "--scope", "user", "--config-file", configuration])
