# SPDX-License-Identifier: Apache-2.0
"""unread.py ADDRESS PATH CLIENTS CALLS: starts CLIENTS clients that call GetObjects for the whole list CALLS times each, and read
nothing.

Prints "asked" when all calls are sent. After an input line "more" each client sends one more call, and "asked" is printed again;
the script exits at any other line.
"""

import os
import socket
import struct
import sys


def field(code, signature, text):
    data = text.encode()
    if signature == "g":
        return struct.pack("<BB1sxB", code, 1, b"g", len(data)) + data + b"\0"
    return struct.pack("<BB1sxI", code, 1, signature.encode(), len(data)) + data + b"\0"


def call(serial, path, interface, member):
    """A message of `GetObjects(0, 2³² - 1)`."""
    fields = b""
    for part in (
        field(1, "o", path), field(2, "s", interface), field(3, "s", member), field(6, "s", "org.listd.Listd1"),
        field(8, "g", "uu"),
    ):
        fields += b"\0" * (-len(fields) % 8) + part
    header = struct.pack("<cBBBIII", b"l", 1, 0, 1, 8, serial, len(fields)) + fields
    return header + b"\0" * (-len(header) % 8) + struct.pack("<II", 0, 2**32 - 1)


def main(address, path, clients, calls):
    sockets = []
    for _ in range(clients):
        client = socket.socket(socket.AF_UNIX)
        client.connect(address.removeprefix("unix:path="))
        client.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        assert client.recv(1000).startswith(b"OK ")
        client.sendall(b"BEGIN\r\n" + b"".join(
            call(serial, path, "org.listd.Listd1.Adapter", "GetObjects") for serial in range(1, calls + 1)))
        sockets.append(client)
    print("asked", flush=True)
    while sys.stdin.readline() == "more\n":
        calls += 1
        for client in sockets:
            client.sendall(call(calls, path, "org.listd.Listd1.Adapter", "GetObjects"))
        print("asked", flush=True)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
