"""Starts dbus-broker's launcher on a socket, as systemd would: broker.py SOCKET CONFIGURATION."""

import os
import socket
import sys

path, configuration = sys.argv[1:]
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/run/systemd/journal/socket")
listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listening.bind(path)
listening.listen(128)
if os.fork() == 0:
    listening.close()
    while journal.recv(65536):
        pass
journal.close()
os.dup2(listening.fileno(), 3)
os.environ["LISTEN_FDS"] = "1"
os.environ["LISTEN_PID"] = str(os.getpid())
os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={path}"
os.execvp("dbus-broker-launch", ["dbus-broker-launch", "--scope", "user", "--config-file", configuration])
