# SPDX-License-Identifier: Apache-2.0
"""Measures lists that follow PostgreSQL: a million rows, the time from a commit to Updated, and many listds on one server."""

import csv
import ctypes
import ctypes.util
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

import dbus
import dbus.bus

import following
from following import ADAPTER, NAME, PROGRAMS, ROOT

BUILT = pathlib.Path(os.environ.get("BUILT") or ROOT / ".build/release")
PROPERTIES = "org.freedesktop.DBus.Properties"
MILLION = 1_000_000

MILLION_ROWS = f"""
CREATE TABLE big (id int PRIMARY KEY, rank float8 NOT NULL, title text, amount int8);
INSERT INTO big SELECT i, i, 'the title of row ' || i, i * 7 FROM generate_series(1, {MILLION}) i;
CREATE INDEX ON big (rank, id);
SELECT listd.watch('big', 'big');
-- The table for the latency: each writer stores the time of its write.
CREATE TABLE orders (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, rank float8 NOT NULL DEFAULT 0, at float8 NOT NULL);
CREATE INDEX ON orders (rank, id);
SELECT listd.watch('orders', 'orders');
"""


def tree(process):
    """Returns a process and all its descendants."""
    children = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        children.setdefault(following.Cluster.parent(path), []).append(int(path.name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def memory_of(process, key):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def namespace(cluster, name):
    return f"/proc/{(cluster.place / f'net.{name}').read_text().strip()}/ns/net"


class Listd:
    """A listd on a separate bus."""

    def __init__(self, cluster, state=None):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="listd-measured.", dir=cluster.place))
        self.cluster, self.state, self.process = cluster, self.place / "state" if state else "none", None
        (self.place / "config").mkdir()
        self.address = f"unix:path={self.place}/bus"
        self.bus_process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1", f"--address={self.address}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.bus_process.stdout.readline()

    def start(self, name, poll="100ms", durability="memory", network=False):
        (self.place / "config" / f"{name}.list").write_text(
            f"[List]\nSource=postgres/list?{name}&service={'primary' if network else 'local'}&poll={poll}\nDurability={durability}\n")
        (self.place / "config" / "listd.conf").write_text("[Plugin postgres]\nNetwork=yes\n" if network else "")
        inside = ["nsenter", f"--net={namespace(self.cluster, 'b')}"] if network else []
        self.log = open(self.place / "log", "ab")
        self.process = subprocess.Popen(
            [*inside, BUILT / "listd", "--bus", self.address, "--direct", "none", "--config", self.place / "config", "--state", self.state,
             "--plugins", ROOT / "build/plugins", "--log-level", "warning"],
            stderr=self.log, env={**os.environ, "PGSERVICEFILE": str(self.cluster.place / "pg_service.conf"), "PGUSER": "listd"})
        self.bus = dbus.bus.BusConnection(self.address)
        while not self.bus.name_has_owner(NAME):
            time.sleep(0.002)
        self.adapter = self.bus.get_object(NAME, f"/org/listd/Listd1/adapters/{name}", introspect=False)

    def property(self, name):
        return self.adapter.Get(ADAPTER, name, dbus_interface=PROPERTIES, timeout=120)

    def wait_for(self, condition):
        while not condition():
            time.sleep(0.005)

    def worker(self):
        return next(
            process for process in tree(self.process.pid)
            if pathlib.Path(f"/proc/{process}/comm").read_text().startswith("listd:postgres"))

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
            self.log.close()
        self.process = None

    def end(self):
        self.stop()
        self.bus_process.terminate()
        self.bus_process.wait()
        shutil.rmtree(self.place, ignore_errors=True)


def duration_of(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


def copy(cluster, file):
    with open(file, "wb") as output:
        subprocess.run(
            [PROGRAMS[-1] / "psql", "-X", "-q", "-d", "shop", "-c", "COPY (SELECT * FROM big ORDER BY rank, id) TO STDOUT"],
            env={**os.environ, "PGHOST": f"{cluster.place}/a.socket", "PGUSER": "listd"}, stdout=output, check=True)


def insert(source, file):
    """Inserts the same rows into SQLite, in one transaction."""
    rows = ((line.split(b"\t")[0].decode(), "", line) for line in open(source, "rb"))
    store = sqlite3.connect(file)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("CREATE TABLE object (id TEXT PRIMARY KEY, type TEXT, fields BLOB) WITHOUT ROWID")
    with store:
        store.executemany("INSERT INTO object VALUES (?, ?, ?)", rows)
    store.close()


def million(cluster):
    """Measures the first snapshot of a million rows, and a start with the cursor."""
    copied = cluster.place / "copied"
    copy(cluster, copied)
    copying = min(duration_of(lambda: copy(cluster, copied)) for _ in range(3))
    inserting = min(duration_of(lambda: insert(copied, cluster.place / f"bare.{number}")) for number in range(2))
    print(f"1,000,000 rows, {copied.stat().st_size / 1e6:.0f} MB: COPY into a file {copying:.2f} s, bare SQLite insert {inserting:.2f} s")
    for durability, base in (("memory", copying), ("disk", copying + inserting)):
        listd = Listd(cluster, state=durability == "disk")
        try:
            began = time.monotonic()
            listd.start("big", durability=durability)
            listd.wait_for(lambda: listd.property("State") == "ready" and listd.property("ObjectCount") == MILLION)
            took = time.monotonic() - began
            worker = listd.worker()
            print(
                f"  first snapshot, durability={durability}: {took:.2f} s = {took / base:.1f} x; worker's memory at most "
                f"{memory_of(worker, 'VmHWM') / 2**20:.0f} MiB ({memory_of(worker, 'RssAnon') / 2**20:.0f} MiB of its own), "
                f"listd {memory_of(listd.process.pid, 'VmRSS') / 2**20:.0f} MiB")
            if durability == "disk":
                restart(cluster, listd)
        finally:
            listd.end()


def restart(cluster, listd):
    listd.stop()
    cluster.sql("UPDATE big SET amount = 1 WHERE id % 1000 = 0")
    count = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = 'big'"
    time.sleep(1.5)  # sessions publish their statistics within a second
    before = int(cluster.sql(count)[0][0])
    began = time.monotonic()
    listd.start("big", durability="disk")
    last = f"{MILLION}"
    listd.wait_for(
        lambda: listd.property("State") == "ready"
        and listd.adapter.FindObject(last, dbus_interface=ADAPTER, timeout=120)[-1].get("amount") == 1)
    took = time.monotonic() - began
    time.sleep(1.5)
    print(f"  started again with its cursor, 1,000 changes behind: {took:.2f} s, {int(cluster.sql(count)[0][0]) - before} rows of the table read")


# The plugin's query after keys have changed (ListDescription.changesStatement), for the table
# `orders`.
CHANGES = """SELECT (SELECT pg_current_snapshot()::text), t.at,
    (SELECT listd.generation() FROM listd.pruned WHERE xid <= pg_snapshot_xmin('{snapshot}'::pg_snapshot)), k.id, p.id,
    coalesce(t.rank IS NOT NULL AND t.id IS NOT NULL AND octet_length(t.id::text) BETWEEN 1 AND 4096, false), t.id::text, t.at::float8
FROM (SELECT DISTINCT s.id FROM listd.since({number}, '{snapshot}'::pg_snapshot) AS s(id)) k
LEFT JOIN orders t ON t.id = k.id::bigint
LEFT JOIN LATERAL (
    SELECT b.id::text AS id FROM orders b
    WHERE (b.rank, b.id) < (t.rank, t.id) AND octet_length(b.id::text) BETWEEN 1 AND 4096 ORDER BY b.rank DESC, b.id DESC LIMIT 1
) p ON true
ORDER BY t.rank, t.id"""
BARE_CHANGES = """SELECT pg_current_snapshot(), t.at FROM listd.since({number}, '{snapshot}') AS k(id)
LEFT JOIN orders t ON t.id = k.id::int8"""


class Poller(threading.Thread):
    """The bare loop for comparison: only libpq and the two statements."""

    def __init__(self, cluster, poll, changes=BARE_CHANGES, delay=0, network=False):
        super().__init__(daemon=True)
        self.changes, self.delay, self.cluster, self.network = changes, delay, cluster, network
        self.is_ready = threading.Event()
        self.pq = ctypes.CDLL(ctypes.util.find_library("pq"))
        for name in ("PQconnectdb", "PQexec"):
            getattr(self.pq, name).restype = ctypes.c_void_p
        self.pq.PQgetvalue.restype = ctypes.c_char_p
        self.poll, self.is_stopped, self.times = poll, threading.Event(), []
        self.start()
        self.is_ready.wait()

    def connect(self):
        host = f"{self.cluster.place}/a.socket"
        if self.network:
            # A socket belongs to the network namespace that its thread was in when the socket was
            # created.
            host, new_network = "10.99.0.1", 0x40000000
            with open(namespace(self.cluster, "b")) as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), new_network):
                    raise OSError(ctypes.get_errno(), "setns")
        self.connection = ctypes.c_void_p(self.pq.PQconnectdb(f"host={host} user=listd dbname=shop".encode()))
        self.number = self.ask("SELECT number FROM listd.list WHERE name = 'orders'")[0][0]
        self.snapshot = self.ask("SELECT pg_current_snapshot()")[0][0]
        self.is_ready.set()

    def ask(self, text):
        result = ctypes.c_void_p(self.pq.PQexec(self.connection, text.encode()))
        try:
            return [
                [self.pq.PQgetvalue(result, row, column).decode() for column in range(self.pq.PQnfields(result))]
                for row in range(self.pq.PQntuples(result))]
        finally:
            self.pq.PQclear(result)

    def run(self):
        self.connect()
        self.is_stopped.wait(self.delay)
        following_poll = time.monotonic()
        while not self.is_stopped.is_set():
            answer = self.ask(f"SELECT listd.poll('{{{self.number}}}', ARRAY['{self.snapshot}'], 50000)")[0][0]
            # The answer is a row as text, with three columns. A column that contains a comma is quoted.
            snapshot, _, changed = next(csv.reader([answer[1:-1]]))
            if changed:
                rows = self.ask(self.changes.format(number=self.number, snapshot=self.snapshot))
                now = time.time()
                snapshot = rows[0][0]
                self.times += [now - float(row[1]) for row in rows if row[1]]
            self.snapshot = snapshot
            following_poll = max(following_poll + self.poll, time.monotonic())
            self.is_stopped.wait(max(0, following_poll - time.monotonic()))

    def stop(self):
        self.is_stopped.set()
        self.join()
        return self.times

    def close(self):
        self.pq.PQfinish(self.connection)


class Listener(threading.Thread):
    """A client that receives Updated, as any client does, and then reads the new rows."""

    def __init__(self, listd):
        super().__init__(daemon=True)
        from gi.repository import GLib
        self.loop = GLib.MainLoop()
        self.bus = dbus.bus.BusConnection(listd.address)
        adapter = self.bus.get_object(NAME, "/org/listd/Listd1/adapters/orders", introspect=False)
        self.reader = listd.adapter
        self.seen, self.times, self.heard = int(listd.property("ObjectCount")), [], []
        adapter.connect_to_signal("Updated", self.updated, dbus_interface=ADAPTER)
        adapter.Subscribe(dbus.Array([], signature="s"), dbus_interface=ADAPTER)
        self.start()

    def run(self):
        self.loop.run()

    # The list only grows at its end. Reading after the signal is not part of the measured time.
    def updated(self, *arguments):
        self.heard.append((time.time(), int(arguments[5])))

    def stop(self):
        time.sleep(0.5)
        self.loop.quit()
        self.join()
        first = self.seen
        for at, count in self.heard:
            while first < count:
                rows = self.reader.GetObjects(
                    dbus.UInt32(first), dbus.UInt32(min(500, count - first)), dbus_interface=ADAPTER, signature="uu")[3]
                self.times += [at - float(fields["at"]) for (_, _, fields) in rows]
                first += len(rows)
        return self.times


def quantiles(times):
    times = sorted(times)
    return f"{statistics.median(times) * 1000:6.1f} / {times[int(len(times) * 0.99)] * 1000:6.1f} ms"


def latency(cluster, poll, seconds, network=False):
    import dbus.mainloop.glib
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    dbus.mainloop.glib.threads_init()
    way = "between two network namespaces" if network else "on a local socket"
    print(f"commit → Updated {way}, p50 / p99, poll={poll * 1000:.0f}ms, beside a bare loop of the two statements:")
    for rate in (10, 100, 1000):
        cluster.sql("DELETE FROM orders")
        listd = Listd(cluster)
        try:
            listd.start("orders", poll=f"{poll * 1000:.0f}ms", network=network)
            listd.wait_for(lambda: listd.property("State") == "ready")
            listener, poller = Listener(listd), Poller(cluster, poll, network=network)
            writers = following.Writers(
                cluster, clients=4, rate=rate, slow=False,
                script="INSERT INTO orders (at) VALUES (extract(epoch FROM clock_timestamp()))")
            time.sleep(seconds)
            writers.stop()
            heard, polled = listener.stop(), poller.stop()
            ratio = statistics.median(heard) / statistics.median(polled)
            print(f"  {rate:5} changes/s: listd {quantiles(heard)}   bare {quantiles(polled)}   {ratio:.2f} x   ({len(heard)} changes)")
        finally:
            listd.end()


def server_time(cluster):
    """Returns the processor time of the server, in seconds."""
    process = int((cluster.place / "a.data/postmaster.pid").read_text().split()[0])
    total = 0
    for one in tree(process):
        try:
            # In nanoseconds. The ticks of /proc/PID/stat miss processes that work for less than a
            # tick at a time.
            total += int(pathlib.Path(f"/proc/{one}/schedstat").read_text().split()[0])
        except OSError:
            pass
    return total / 1e9


def many(cluster, count, seconds):
    print(f"{count} listds on one server, each polling every 100 ms: the server's processor time")
    listds = [Listd(cluster) for _ in range(count)]
    try:
        cluster.sql("DELETE FROM orders")
        for listd in listds:
            listd.start("orders")
        for listd in listds:
            listd.wait_for(lambda listd=listd: listd.property("State") == "ready")
        costs = {}
        for rate in (0, 10, 100):
            writers = rate and following.Writers(
                cluster, clients=1, rate=rate, slow=False, script="INSERT INTO orders (at) VALUES (0)")
            time.sleep(2)
            before, began = server_time(cluster), time.monotonic()
            time.sleep(seconds)
            costs[rate] = (server_time(cluster) - before) / (time.monotonic() - began)
            if writers:
                writers.stop()
            print(f"  {rate:4} changes/s: {costs[rate] * 100:5.1f} % of a core = {costs[rate] / count / 10 * 1e6:.0f} µs per poll, everything included")
        poll = costs[0] / (count * 10)
        change = max(0, costs[100] - costs[0]) / (100 * count)
        print(f"  {poll * 1e6:.0f} µs a poll without changes; {change * 1e6:.0f} µs for a change and follower at 100/s, where a poll finds about 10 changes")
    finally:
        for listd in listds:
            listd.end()


def followers(cluster, seconds):
    """Measures the growth of the server's processor time with the number of followers, and extrapolates to 2,000."""
    cluster.sql("ALTER SYSTEM SET max_connections = 500")
    cluster.do("kill", "a")
    cluster.do("serve", "a")
    cluster.sql("SELECT listd.hello()")
    print("followers that poll every 2 s, each with a separate session and the plugin's statements: the server's processor time")
    points = {0: [], 100: []}
    for count in (50, 100, 200, 400):
        cluster.sql("TRUNCATE orders")
        cluster.sql("INSERT INTO orders (at) SELECT 0 FROM generate_series(1, 40000)")
        cluster.sql("ANALYZE orders")
        pollers = [Poller(cluster, 2, CHANGES, delay=2 * number / count) for number in range(count)]
        for rate in points:
            writers = rate and following.Writers(
                cluster, clients=1, rate=rate, slow=False, script="INSERT INTO orders (at) VALUES (0)")
            time.sleep(3)
            before, began = server_time(cluster), time.monotonic()
            time.sleep(seconds)
            cost = (server_time(cluster) - before) / (time.monotonic() - began)
            points[rate].append((count, cost))
            if writers:
                writers.stop()
            print(f"  {count:4} followers, {rate:3} changes/s: {cost * 100:5.1f} % of a core", flush=True)
        for poller in pollers:
            poller.is_stopped.set()
        for poller in pollers:
            poller.stop()
            poller.close()
    for rate, measured in points.items():
        slope, rest = statistics.linear_regression(*zip(*measured))
        print(
            f"  {rate:3} changes/s: {rest * 100:.1f} % and {slope * 2e6:.0f} µs for each question; "
            f"2,000 followers: {(rest + 2000 * slope) * 100:.0f} % of a core")


def writing(cluster, seconds):
    """Measures the cost of the triggers for a writer: one row per transaction, then a thousand rows in one statement."""
    print("writers, transactions/s, 4 clients: without a list, watched by statement, watched row by row")
    for name, script in (
        ("one row", "\\set n random(1, 100000)\nUPDATE big SET amount = amount + 1 WHERE id = :n;\n"),
        ("1,000 rows", "\\set n random(1, 99000)\nUPDATE big SET amount = amount + 1 WHERE id BETWEEN :n AND :n + 999;\n"),
    ):
        file = cluster.place / "script"
        file.write_text(script)
        rates = []
        for triggers in (None, "statement", "row"):
            cluster.sql(
                f"SELECT listd.watch('big', 'big', triggers => '{triggers}')" if triggers else "SELECT listd.unwatch('big')")
            done = subprocess.run(
                [PROGRAMS[-1] / "pgbench", "-n", "-c", "4", "-T", str(seconds), "-f", file, "shop"],
                env={**os.environ, "PGHOST": f"{cluster.place}/a.socket", "PGUSER": "listd"},
                stdout=subprocess.PIPE, text=True, check=True)
            rates.append(next(float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith("tps")))
        print(f"  {name}: {rates[0]:.0f}, {rates[1]:.0f} ({rates[1] / rates[0]:.2f}), {rates[2]:.0f} ({rates[2] / rates[0]:.2f})")


def measure(only):
    cluster = following.Cluster(table=MILLION_ROWS)
    try:
        # Only the primary is measured. Stops the cluster's listds and its standby.
        for number in (1, 2, 3):
            os.kill(cluster.process(number), signal.SIGKILL)
        cluster.do("kill", "b")
        parts = {
            "million": lambda: million(cluster), "latency": lambda: [latency(cluster, poll, 15) for poll in (0.02, 0.1)],
            "network": lambda: [latency(cluster, poll, 15, network=True) for poll in (0.02, 0.1)],
            "many": lambda: many(cluster, 50, 15), "followers": lambda: followers(cluster, 15), "writing": lambda: writing(cluster, 10)}
        for name, part in parts.items():
            if only in ("", name):
                part()
                print(flush=True)
        return True
    finally:
        cluster.stop()
