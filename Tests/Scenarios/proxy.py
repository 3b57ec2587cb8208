# SPDX-License-Identifier: Apache-2.0
"""A relay between one client and a D-Bus socket, which can drop ``Updated`` signals and hold back all messages."""

import os
import socket
import struct
import threading


class Proxy:
    """Listens at ``path`` and relays each connection to ``target``."""

    def __init__(self, path, target):
        self._target = target
        self._is_losing = False
        self._may_flow = threading.Event()
        self._may_flow.set()
        self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening.bind(path)
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose(self, is_losing):
        self._is_losing = is_losing

    def stall(self, is_stalled):
        if is_stalled:
            self._may_flow.clear()
        else:
            self._may_flow.set()

    def _accept(self):
        while True:
            client, _ = self._listening.accept()
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                server.connect(self._target)
            except OSError:
                client.close()
                continue
            relay = Relay(self, client, server)
            threading.Thread(target=relay.up, daemon=True).start()
            threading.Thread(target=relay.down, daemon=True).start()

    def passes(self, frame):
        """Returns whether to pass a message to the client. Waits while messages are held back."""
        self._may_flow.wait()
        return not (self._is_losing and frame[1] == 4 and b"\x03\x01s\0\x07\0\0\0Updated\0" in frame)


class Relay:
    def __init__(self, proxy, client, server):
        self._proxy, self._client, self._server = proxy, client, server
        self._has_begun = threading.Event()

    def up(self):
        """Relays bytes from client to server unchanged."""
        seen = b""
        try:
            while data := self._client.recv(65536):
                if not self._has_begun.is_set():
                    seen += data
                    if b"BEGIN\r\n" in seen:
                        self._has_begun.set()
                self._server.sendall(data)
        except OSError:
            pass
        self._hang_up()

    def down(self):
        """Relays authentication lines, then messages, from server to client."""
        buffer = b""
        try:
            while data := self._server.recv(65536):
                if not self._has_begun.is_set():
                    self._client.sendall(data)
                    continue
                buffer += data
                while (length := frame_length(buffer)) and len(buffer) >= length:
                    frame, buffer = buffer[:length], buffer[length:]
                    if self._proxy.passes(frame):
                        self._client.sendall(frame)
        except OSError:
            pass
        self._hang_up()

    def _hang_up(self):
        for end in (self._client, self._server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def frame_length(buffer):
    """Returns the length of the message at the start of the buffer; 0 when the length is not known yet."""
    if len(buffer) < 16:
        return 0
    order = "<" if buffer[:1] == b"l" else ">"
    body, _, fields = struct.unpack(order + "III", buffer[4:16])
    return 16 + (fields + 7 & ~7) + body


def path_of(address):
    """Returns the path of an address unix:path=…"""
    return os.fspath(address.split(",")[0].removeprefix("unix:path="))
