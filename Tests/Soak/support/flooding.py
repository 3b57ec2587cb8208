# SPDX-License-Identifier: Apache-2.0
"""A D-Bus implementation for Tests/Soak/flood: messages as bytes, clients, and an attacker and a victim in separate processes."""

import collections
import multiprocessing
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import time
import xml.etree.ElementTree

NAME = "org.listd.Listd1"
ROOT = "/org/listd/Listd1"
BUS = "org.freedesktop.DBus"
# A placeholder for the view that a connection has opened.
VIEW = "VIEW"


# Messages


def text(value):
    data = value.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


def message(path, interface, member, signature="", body=b"", destination=NAME, flags=0):
    """Returns a method call. The sender fills in its serial, at offset 8."""
    fields = b""
    parts = [(1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination)]
    if signature:
        parts.append((8, "g", signature))
    for code, kind, value in parts:
        fields += b"\0" * (-len(fields) % 8)
        data = value.encode()
        length = struct.pack("<B", len(data)) if kind == "g" else struct.pack("<I", len(data))
        fields += struct.pack("<BB1sx", code, 1, kind.encode()) + length + data + b"\0"
    header = struct.pack("<cBBBIII", b"l", 1, flags, 1, len(body), 0, len(fields)) + fields
    return header + b"\0" * (-len(header) % 8) + body


def call(place, interface, member, signature="", body=b"", destination=NAME):
    """Returns a call of an object of listd. A short interface name is one of listd's. For VIEW, returns a function from the view's path to the call."""
    if "." not in interface:
        interface = f"{NAME}.{interface}"
    if place == VIEW:
        return lambda path: message(path, interface, member, signature, body)
    return message(ROOT + place, interface, member, signature, body, destination)


def with_serial(data, serial):
    return data[:8] + struct.pack("<I", serial) + data[12:]


def rows(count, fields=b"", offset=0, is_bad=False):
    """Returns objects as the content of an `a(ssa{sv})`. All objects have the same encoded fields."""
    out = bytearray()
    for number in range(count):
        out += b"\0" * (-len(out) % 8)
        identifier = "" if is_bad and number == count - 1 else f"o{number + offset:06}"
        out += text(identifier)
        out += b"\0" * (-len(out) % 4) + text("")
        out += b"\0" * (-len(out) % 4) + struct.pack("<I", len(fields))
        out += b"\0" * (-len(out) % 8) + fields
    return bytes(out)


def update(path, content, destination=NAME):
    """Returns a PerformUpdates call without an expected revision and options. The elements start at an offset of 16."""
    body = struct.pack("<QI", 0, len(content)) + b"\0" * 4 + content
    body += b"\0" * (-len(body) % 4) + struct.pack("<I", 0)
    body += b"\0" * (-len(body) % 8)
    return call(path, "Adapter", "PerformUpdates", "ta(ssa{sv})a{sv}", body, destination)


def full_list(path, count, is_bad=False, destination=NAME):
    return update(path, rows(count, is_bad=is_bad), destination)


def objects(path, count, value):
    """Returns a PerformUpdates call with objects of one field."""
    field = text("text")
    field += b"\x01s\0"
    field += b"\0" * (-len(field) % 4) + text(value)
    return update(path, rows(count, field))


def get_objects(place):
    return call(place, "Adapter", "GetObjects", "uu", words(0, 2**32 - 1))


def managed_objects():
    return call("", BUS + ".ObjectManager", "GetManagedObjects")


def properties(place):
    return call(place, f"{BUS}.Properties", "GetAll", "s", text(f"{NAME}.Adapter"))


def viewport(height):
    return call(VIEW, "View", "SetViewport", "tdddd", struct.pack("<Qdddd", 0, 0, 0, 400, height))


def resync():
    return call(VIEW, "View", "Resync")


def move_item():
    return call(VIEW, "View", "MoveItem", "uuuu", words(0, 0, 0, 0))


def selection(count):
    """Returns a ChangeSelection call that selects `count` objects of a list."""
    items = bytearray()
    for number in range(count):
        items += b"\0" * (-len(items) % 8) + text(f"o{number:06}")
        items += b"\0" * (-len(items) % 4) + words(0)
    body = struct.pack("<I", len(items)) + b"\0" * 4 + bytes(items)
    body += b"\0" * (-len(body) % 4) + struct.pack("<I", 0)
    return call(VIEW, "View", "ChangeSelection", "a(su)a(su)", body + b"\0" * (-len(body) % 8))


def methods(folder):
    """Yields every method of the interface files: object, interface, name, signature."""
    places = {"Manager": "", "Adapter": "/adapters/large", "View": VIEW, "Plugin": "/plugins/none"}
    for file in sorted(folder.glob("**/org.listd.Listd1.*.xml")):
        for interface in xml.etree.ElementTree.parse(file).getroot().iter("interface"):
            name = interface.get("name").rsplit(".", 1)[1]
            for method in interface.iter("method"):
                signature = "".join(
                    argument.get("type") for argument in method.iter("arg") if argument.get("direction") != "out")
                # Methods must not empty a list that others read.
                place = "/adapters/target" if name == "Adapter" and signature.startswith("ta") else places[name]
                yield (place, name, method.get("name"), signature)
    standard = [("Properties", "GetAll", "s"), ("Properties", "Get", "ss"), ("Introspectable", "Introspect", "")]
    for interface, member, signature in standard:
        yield ("", f"{BUS}.{interface}", member, signature)
    yield ("", f"{BUS}.ObjectManager", "GetManagedObjects", "")


SENSIBLE = {
    "GetObjects": [0, 2**32 - 1], "GetItems": [0, 2**32 - 1, []], "GetItemCounts": [0, 2**32 - 1],
    "SetVisibleRange": [0, 0, 100, 0], "SetViewport": [0, 0, 0, 400, 4000], "GetAdapter": ["large"],
    "CreateAdapter": ["large", {}], "RemoveAdapter": ["nobody's"], "FindObject": ["o000100"], "MoveObject": [0, "o000100", "last", ""], "ReloadObjects": [["o000100"]],
    "GetAll": [f"{NAME}.Manager"], "Get": [f"{NAME}.Manager", "Version"],
}


def arguments(member, signature):
    """Returns a body of simple arguments, with arrays that are empty or have texts; None for methods that take a file descriptor."""
    if "h" in signature:
        return None
    values = collections.deque(SENSIBLE.get(member) or [])
    out = bytearray()

    def pad(size):
        out.extend(b"\0" * (-len(out) % size))

    position = 0
    while position < len(signature):
        code = signature[position]
        value = values.popleft() if values else None
        if code in "sog":
            pad(1 if code == "g" else 4)
            out.extend(text(value if value is not None else ("/" if code == "o" else "o000100")))
        elif code in "ubi":
            pad(4)
            out.extend(struct.pack("<I", int(value or 0)))
        elif code in "txd":
            pad(8)
            out.extend(struct.pack("<d" if code == "d" else "<Q", value or 0))
        elif code == "y":
            out.extend(b"\0")
        elif code == "a":
            pad(4)
            start = len(out)
            out.extend(struct.pack("<I", 0))
            for item in value or []:
                pad(4)
                out.extend(text(item))
            struct.pack_into("<I", out, start, len(out) - start - 4)
            position += 1
            if signature[position] in "({":
                pad(8)
                depth = 0
                while True:
                    depth += (signature[position] in "({") - (signature[position] in ")}")
                    if depth == 0:
                        break
                    position += 1
            elif signature[position] in "txd":
                pad(8)
        else:
            return None
        position += 1
    return bytes(out)


def counters(body):
    """Decodes an `a{st}`."""
    end = 8 + struct.unpack_from("<I", body)[0]
    values, offset = {}, 8
    while offset < end:
        offset += -offset % 8
        length = struct.unpack_from("<I", body, offset)[0]
        name = body[offset + 4:offset + 4 + length].decode()
        offset += 5 + length
        offset += -offset % 8
        values[name] = struct.unpack_from("<Q", body, offset)[0]
        offset += 8
    return values


# Clients


class Reader:
    """A parser that extracts messages from received bytes, without buffering large bodies."""

    def __init__(self):
        self.pending = b""
        self.skip = 0

    def feed(self, data):
        """Yields (type, reply serial, size, fields) of each message whose header is complete."""
        found = []
        if self.skip:
            taken = min(self.skip, len(data))
            self.skip -= taken
            data = data[taken:]
        self.pending += data
        while len(self.pending) >= 16:
            body, _, fields = struct.unpack_from("<III", self.pending, 4)
            head = 16 + fields + -fields % 8
            if len(self.pending) < head:
                break
            serial = self.reply_serial(self.pending, fields)
            found.append((self.pending[1], serial, head + body, self.pending[16:16 + fields]))
            if len(self.pending) >= head + body:
                self.pending = self.pending[head + body:]
            else:
                self.skip = head + body - len(self.pending)
                self.pending = b""
        return found

    @staticmethod
    def reply_serial(data, length):
        offset, end = 16, 16 + length
        while offset + 4 <= end:
            code, kind = data[offset], data[offset + 2:offset + 3]
            offset += 4
            if kind == b"u":
                if code == 5:
                    return struct.unpack_from("<I", data, offset)[0]
                offset += 4
            elif kind == b"g":
                offset += 2 + data[offset]
            else:
                offset += 5 + struct.unpack_from("<I", data, offset)[0]
            offset += -offset % 8
        return 0


def connect(address, is_direct):
    """Returns an authenticated socket. On a bus, Hello has been called."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address.split(",")[0].removeprefix("unix:path="))
    connection.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
    answer = b""
    while not answer.endswith(b"\r\n"):
        answer += connection.recv(1000) or b"\r\n"
    if not answer.startswith(b"OK "):
        raise ConnectionError(answer)
    connection.sendall(b"BEGIN\r\n")
    if not is_direct:
        connection.sendall(with_serial(message("/org/freedesktop/DBus", BUS, "Hello", destination=BUS), 1))
        reader, answers = Reader(), []
        while not any(kind == 2 for (kind, _, _, _) in answers):
            received = connection.recv(4096)
            if not received:
                raise ConnectionError("the bus does not let this user in")
            answers = reader.feed(received)
    return connection


def received_path(connection, serial):
    """Returns the path of the view in the reply to a call, or the path of a missing view after an error."""
    data = b""
    while True:
        data += connection.recv(1 << 16)
        offset = 0
        while len(data) - offset >= 16:
            length, _, fields = struct.unpack_from("<III", data, offset + 4)
            head = 16 + fields + -fields % 8
            if len(data) - offset < head + length:
                break
            answer = data[offset:offset + head + length]
            offset += head + length
            if Reader.reply_serial(answer, fields) == serial:
                size = struct.unpack_from("<I", answer, head)[0]
                return answer[head + 4:head + 4 + size].decode() if answer[1] == 2 else ROOT + "/views/0"
        data = data[offset:]


class Client:
    """A client that waits for the reply to each call."""

    def __init__(self, address, is_direct=False):
        self.address = address
        self.socket = connect(address, is_direct)
        self.serial = 1
        self.last = b""

    def ask(self, data):
        """Sends a call, and returns whether the reply is not an error."""
        self.serial += 1
        self.socket.sendall(with_serial(data, self.serial))
        reader = Reader()
        while True:
            received = self.socket.recv(1 << 16)
            if not received:
                return False
            for kind, serial, _, fields in reader.feed(received):
                if serial == self.serial:
                    self.last = fields
                    while reader.skip:
                        reader.feed(self.socket.recv(1 << 16))
                    return kind == 2

    def ask_together(self, data, count):
        first = self.serial + 1
        self.serial += count
        self.socket.sendall(b"".join(with_serial(data, serial) for serial in range(first, first + count)))
        reader, answers = Reader(), []
        while len(answers) < count:
            received = self.socket.recv(1 << 16)
            if not received:
                break
            answers += [(kind == 2, serial) for (kind, serial, _, _) in reader.feed(received) if serial >= first]
        return answers

    def ask_at_intervals(self, data, seconds, interval=0.02, most=100):
        """Sends calls at an interval, without waiting for replies, but with at most `most` unanswered calls. Then waits for all replies.

        Returns for each call its time, its duration, and whether the reply is not an error."""
        due = time.monotonic()
        end = due + seconds
        reader, waiting, times = Reader(), {}, []
        while due < end or waiting:
            now = time.monotonic()
            if due <= now and due < end:
                if len(waiting) < most:
                    self.serial += 1
                    waiting[self.serial] = now
                    self.socket.sendall(with_serial(data, self.serial))
                due = max(due + interval, now - interval)
                continue
            if not select.select([self.socket], [], [], due - now if due < end else None)[0]:
                continue
            received = self.socket.recv(1 << 16)
            if not received:
                raise ConnectionError("the bus has ended the connection")
            now = time.monotonic()
            for kind, serial, _, _ in reader.feed(received):
                at = waiting.pop(serial, None)
                if at is not None:
                    times.append((at, now - at, kind == 2))
        return times

    def statistics(self):
        """Returns the counters of listd."""
        self.serial += 1
        self.socket.sendall(with_serial(call("", "Manager", "GetStatistics"), self.serial))
        data, reader = b"", Reader()
        while True:
            data += self.socket.recv(1 << 16)
            offset = 0
            while len(data) - offset >= 16:
                body, _, fields = struct.unpack_from("<III", data, offset + 4)
                head = 16 + fields + -fields % 8
                if len(data) - offset < head + body:
                    break
                answer = data[offset:offset + head + body]
                offset += head + body
                if reader.reply_serial(answer, fields) == self.serial:
                    if answer[1] != 2:
                        raise RuntimeError(f"refused: {answer}")
                    return counters(answer[head:])
            data = data[offset:]

    def must(self, data):
        if not self.ask(data):
            raise RuntimeError(f"refused: {self.last}")

    def wait_for_listd(self):
        for _ in range(1000):
            if self.ask(message("/", "org.freedesktop.DBus.Peer", "Ping")):
                return
            time.sleep(0.01)
        raise RuntimeError("listd did not appear on the bus")

    def select(self, count):
        """Selects objects of the large list in a view that stays open."""
        self.serial += 1
        self.socket.sendall(with_serial(call("/adapters/large", "Adapter", "OpenView", "a{sv}", b"\0" * 8), self.serial))
        path = received_path(self.socket, self.serial)
        self.must(selection(count)(path))

    def create(self, name, options=(("durability", "memory"), ("writers", "any"))):
        body = text(name)
        body += b"\0" * (-len(body) % 4)
        inner = b""
        for key, value in options:
            inner += b"\0" * (-len(inner) % 8) + text(key) + b"\x01s\0"
            inner += b"\0" * (-len(inner) % 4) + text(value)
        body += struct.pack("<I", len(inner))
        body += b"\0" * (-len(body) % 8) + inner
        self.must(call("", "Manager", "CreateAdapter", "sa{sv}", body))


class Victim:
    """A process that calls FindObject 50 times a second, without waiting for replies."""

    def __init__(self, user, address):
        self.ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.run, args=(user, address, theirs), daemon=True)
        self.process.start()

    @staticmethod
    def run(user, address, pipe):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setgid(user)
        os.setuid(user)
        client = Client(address)
        find = call("/adapters/victim", "Adapter", "FindObject", "s", text("o000500"))
        while True:
            wanted, seconds = pipe.recv()
            if wanted == "stop":
                return
            if wanted == "together":
                pipe.send(client.ask_together(find, seconds))
                continue
            pipe.send(client.ask_at_intervals(find, seconds))

    def measure(self, seconds):
        """Returns for each call its time, its duration, and whether the reply is not an error."""
        return self.request("measure", seconds)

    def ask_together(self, count):
        """Sends `count` calls without waiting for replies between them. Returns for each reply whether it is not an error, and the serial of its call."""
        return self.request("together", count)

    def request(self, *wanted):
        self.ours.send(wanted)
        while not self.ours.poll(1):
            if not self.process.is_alive():
                raise RuntimeError("the victim has ended")
        return self.ours.recv()

    def stop(self):
        self.ours.send(("stop", 0))
        self.process.join()


class Attacker:
    """A process that keeps a number of calls pending on a number of connections."""

    def __init__(self, user, address, is_direct, row):
        self.ours, theirs = multiprocessing.Pipe()
        arguments = (user, address, is_direct, row, theirs)
        self.process = multiprocessing.Process(target=self.run, args=arguments, daemon=True)

    def start(self):
        self.process.start()
        self.ours.recv()

    def stop(self):
        """Kills the process. Returns how many of its calls got a reply, and how many got an error."""
        self.ours.send(None)
        answered = self.ours.recv() if self.ours.poll(10) else (-1, -1)
        self.process.kill()
        self.process.join()
        return answered

    def kill(self):
        self.process.kill()
        self.process.join()

    @staticmethod
    def run(user, address, is_direct, row, pipe):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setgid(user)
        os.setuid(user)
        if row.stage:
            held = STAGES[row.stage](address, row.connections)
            pipe.send(True)
            pipe.recv()
            return pipe.send((len(held), 0))
        connections = [Flood(address, is_direct, row) for _ in range(row.connections)]
        waiting = selectors.DefaultSelector()
        waiting.register(pipe, selectors.EVENT_READ)
        for flood in connections:
            waiting.register(flood.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, flood)
        pipe.send(True)
        answered = (0, 0)
        while True:
            for key, events in waiting.select():
                if key.data is None:
                    return pipe.send(answered)
                flood = key.data
                if events & selectors.EVENT_WRITE:
                    flood.write()
                if events & selectors.EVENT_READ and row.reads:
                    count = flood.read()
                    if count is None:
                        waiting.unregister(flood.socket)
                        continue
                    answered = tuple(map(sum, zip(answered, count)))
                wanted = selectors.EVENT_READ if row.reads else 0
                if flood.wants_to_write:
                    wanted |= selectors.EVENT_WRITE
                if wanted:
                    waiting.modify(flood.socket, wanted, flood)
                else:
                    waiting.unregister(flood.socket)


class Flood:
    """One connection of the attacker."""

    def __init__(self, address, is_direct, row):
        self.left, self.serial = row.pending, 1
        self.reader, self.out = Reader(), memoryview(b"")
        self.socket = connect(address, is_direct)
        self.calls = [data(self.open_view()) if callable(data) else data for data in row.calls]
        self.socket.setblocking(False)

    def open_view(self):
        """Opens a view and returns its path, or the path of a missing view when the user has as many views as allowed."""
        self.serial += 1
        body = b"\0" * 8  # no options
        self.socket.sendall(with_serial(call("/adapters/large", "Adapter", "OpenView", "a{sv}", body), self.serial))
        return received_path(self.socket, self.serial)

    @property
    def wants_to_write(self):
        return bool(self.out) or (self.left > 0 and bool(self.calls))

    def write(self):
        while self.wants_to_write:
            if not self.out:
                self.serial += 1
                self.left -= 1
                self.out = memoryview(with_serial(self.calls[self.serial % len(self.calls)], self.serial))
            try:
                self.out = self.out[self.socket.send(self.out):]
            except BlockingIOError:
                return
            except OSError:
                self.left, self.out = 0, memoryview(b"")
                return

    def read(self):
        """Reads replies. Returns the number of replies and of errors; None when the connection has ended."""
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return 0, 0
        except OSError:
            data = b""
        if not data:
            return None
        kinds = [kind for (kind, _, _, _) in self.reader.feed(data)]
        answers, errors = kinds.count(2), kinds.count(3)
        self.left += answers + errors
        return answers, errors


def unfinished(address, count):
    """Opens as many connections as listd accepts, and sends 62 MiB of an unfinished message on each, as far as listd reads."""
    held = []
    head = message(ROOT, NAME + ".Manager", "ListAdapters", "ay", b"", destination=NAME)
    for size in (62 << 20, 15 << 20):
        for _ in range(count // 2):
            try:
                connection = connect(address, True)
            except OSError:
                continue
            data = head[:4] + struct.pack("<I", size) + struct.pack("<I", 1) + head[12:]
            connection.setblocking(False)
            held.append((connection, memoryview(data + b"\0" * (size - 100_000))))
    end = time.monotonic() + 4
    while held and time.monotonic() < end:
        for index, (connection, data) in enumerate(held):
            try:
                held[index] = (connection, data[connection.send(data[:1 << 20]):])
            except BlockingIOError:
                continue
            except OSError:
                held[index] = (connection, data[:0])
    return held


def idle(address, count):
    held = []
    for _ in range(count):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address.split(",")[0].removeprefix("unix:path="))
        held.append(connection)
    return held


STAGES = {"unfinished": unfinished, "idle": idle}


# The bus


CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
  </policy>
{limits}</busconfig>
"""


def start_bus(place, kind, limits=""):
    """Starts a bus with the limits of the system bus, or others. Returns its process and address."""
    path = place / "bus.sock"
    (place / "bus.conf").write_text(CONFIGURATION.format(socket=path, limits=limits))
    log = open(place / "bus.log", "wb")
    if kind == "daemon":
        process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={place}/bus.conf", "--nofork", "--nopidfile", "--print-address=1"],
            stdout=subprocess.PIPE, stderr=log)
        process.stdout.readline()
    else:
        process = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "python3", "-c", BROKER, str(path), f"{place}/bus.conf"],
            stdout=log, stderr=log)
        for _ in range(500):
            if path.exists():
                break
            time.sleep(0.02)  # no event reports that the bus listens
    os.chmod(path, 0o666)
    return process, f"unix:path={path}"


# dbus-broker's launcher requires a journal, and a listening socket from systemd. This script
# provides both.
BROKER = """
import ctypes, os, signal, socket, subprocess, sys
os.makedirs("/run/systemd", exist_ok=True)
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/systemd"], check=True)
os.mkdir("/run/systemd/journal")
journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
journal.bind("/run/systemd/journal/socket")
if os.fork() == 0:
    # This process ends with the launcher (PR_SET_PDEATHSIG).
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    while True:
        os.write(2, journal.recv(65536))
bus = socket.socket(socket.AF_UNIX)
bus.bind(sys.argv[1])
bus.listen(256)
os.dup2(bus.fileno(), 3)
os.set_inheritable(3, True)
environment = {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()),
               "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + sys.argv[1]}
os.execvpe("dbus-broker-launch", ["dbus-broker-launch", "--scope", "user", "--config-file=" + sys.argv[2]], environment)
"""


class Stage:
    """A bus, listd with a direct socket, and lists."""

    def __init__(self, place, bus, built, limits="", configuration=""):
        os.chmod(place, 0o755)
        self.bus_process, self.address = start_bus(place, bus, limits)
        (place / "config").mkdir()
        (place / "config/listd.conf").write_text(configuration)
        self.direct = f"unix:path={place}/direct.sock"
        self.log = open(place / "listd.log", "wb")
        self.listd = subprocess.Popen(
            [built / "listd", "--bus", self.address, "--direct", self.direct, "--config", place / "config",
             "--state", "none", "--log-level", "notice"],
            stderr=self.log, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        self.root = Client(self.address)
        self.root.wait_for_listd()
        os.chmod(place / "direct.sock", 0o666)

    def fill(self, large, small):
        """Creates small and large lists that everybody may write."""
        for number in range(small):
            self.root.create(f"small{number}")
        for name in ("large", "target", "victim"):
            self.root.create(name)
        self.root.must(objects("/adapters/large", large, "x" * 64))
        self.root.must(objects("/adapters/victim", 1000, "x" * 64))

    def statistics(self):
        return self.root.statistics()

    def stop(self):
        for process in (self.listd, self.bus_process):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()
