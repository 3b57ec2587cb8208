# SPDX-License-Identifier: Apache-2.0
"""Three listds that follow a table of two PostgreSQL servers (scripts/cluster), writers of the table, and readers that check the lists.

Each transaction moves an amount from one row to another, and increments the counters of both rows. So in every state of the database

- the sum of all amounts is 0, which partial or missing transactions would change;
- the rows are sorted by `place`;
- no counter decreases, unless transactions were lost with a server.
"""

import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import dbus
import dbus.bus

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
SCRIPT = ROOT / "scripts/cluster"
PROGRAMS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
NAME, ADAPTER = "org.listd.Listd1", "org.listd.Listd1.Adapter"
ROWS = 200

TABLE = f"""
CREATE TABLE orders (
    id int PRIMARY KEY, rank float8 NOT NULL, place float8 NOT NULL, n int8 NOT NULL, value int8 NOT NULL, text text NOT NULL);
CREATE INDEX ON orders (rank, id);
-- The counters of deleted rows.
CREATE TABLE gone (id int PRIMARY KEY, n int8 NOT NULL);
INSERT INTO orders SELECT i, i, i, 0, 0, repeat('x', 1400) FROM generate_series(1, {ROWS}) i;

-- Adds an amount to a row and increments its counter. A deleted row is inserted again.
CREATE FUNCTION add(line int, amount int8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    now_place float8 := CASE WHEN random() < 0.2 THEN random() * {ROWS} END;
    counted int8;
BEGIN
    LOOP
        UPDATE orders SET n = n + 1, value = value + amount, rank = coalesce(now_place, rank), place = coalesce(now_place, rank)
            WHERE id = line;
        EXIT WHEN FOUND;
        DELETE FROM gone WHERE id = line RETURNING n INTO counted;
        IF FOUND THEN
            INSERT INTO orders VALUES (line, line, line, counted + 1, amount, repeat('y', 1400));
            EXIT;
        END IF;
    END LOOP;
END $$;

-- Deletes a row, and returns its amount.
CREATE FUNCTION take(line int) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
    had orders;
BEGIN
    DELETE FROM orders WHERE id = line RETURNING * INTO had;
    IF FOUND THEN INSERT INTO gone VALUES (line, had.n + 1); END IF;
    RETURN had.value;
END $$;

CREATE FUNCTION step(pause float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first int := 1 + floor(random() * ({ROWS} - 1));
    second int := first + 1 + floor(random() * ({ROWS} - first));
    amount int8 := 1 + floor(random() * 1000000000);
BEGIN
    IF random() < 0.03 THEN amount := take(first); ELSE PERFORM add(first, -amount); END IF;
    PERFORM pg_sleep(pause);
    -- A row that was already deleted has no amount, and counts nothing.
    IF amount IS NOT NULL THEN PERFORM add(second, amount); END IF;
END $$;
SELECT listd.watch('orders', 'orders');
"""


class Cluster:
    """The servers and listds of scripts/cluster, in a temporary directory."""

    def __init__(self, poll="100ms", table=TABLE):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="listd-cluster."))
        self.primary = "a"
        self.environment = {**os.environ, "LISTD_POLL": poll}
        file = pathlib.Path(tempfile.mkdtemp(prefix="listd-table."))
        try:
            (file / "sql").write_text(table)
            subprocess.run([SCRIPT, "start", self.place, file / "sql"], check=True, env=self.environment)
        finally:
            shutil.rmtree(file)

    def do(self, command, *words):
        subprocess.run([SCRIPT, command, self.place, *map(str, words)], check=True, env=self.environment)

    def sql(self, text, server=None, check=True):
        done = subprocess.run(
            [PROGRAMS[-1] / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", "shop", "-c", text],
            env={**os.environ, "PGHOST": f"{self.place}/{server or self.primary}.socket", "PGUSER": "listd"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return [line.split("|") for line in done.stdout.splitlines()]

    def rows(self, server=None):
        """Returns the rows of the table in order, each as id, place, n and value."""
        rows = self.sql("SELECT id, place, n, value FROM orders ORDER BY rank, id", server)
        return [(row[0], float(row[1]), int(row[2]), int(row[3])) for row in rows]

    def change_count(self):
        """Returns the number of row changes so far."""
        return int(self.sql("SELECT (SELECT sum(n) FROM orders) + (SELECT coalesce(sum(n), 0) FROM gone)")[0][0])

    def process(self, number):
        return int((self.place / f"listd.{number}").read_text())

    def workers(self, number):
        process = self.process(number)
        return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()] or [
            int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*") if self.parent(path) == process]

    @staticmethod
    def parent(path):
        try:
            return int(path.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            return 0

    def signal(self, number, which):
        for process in [*self.workers(number), self.process(number)]:
            try:
                os.kill(process, which)
            except ProcessLookupError:
                pass

    def logs(self):
        return "\n".join(f"{path}:\n{path.read_text()[-4000:]}" for path in sorted(self.place.glob("listd.*.log")))

    def stop(self):
        self.do("stop")
        shutil.rmtree(self.place, ignore_errors=True)


class Writers:
    """Clients that write as fast as they can, or at a rate of transactions per second, until they are stopped or have reached a number."""

    def __init__(self, cluster, clients=16, transactions=None, rate=None, script="SELECT step(0)", slow=True):
        self.cluster, self.clients, self.transactions, self.rate = cluster, clients, transactions, rate
        self.is_stopped, self.process, self.done = threading.Event(), None, 0
        self.scripts = [(script, 19)] + [("SELECT step(0.05 + random() * 0.3)", 1)] * slow
        self.words = []
        for number, (text, weight) in enumerate(self.scripts):
            path = cluster.place / f"script.{number}"
            path.write_text(text + ";\n")
            self.words += ["-f", f"{path}@{weight}"]
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        place = self.cluster.place
        environment = {
            **os.environ, "PGHOST": f"{place}/a.socket,{place}/b.socket", "PGUSER": "listd",
            "PGTARGETSESSIONATTRS": "read-write", "PGCONNECT_TIMEOUT": "3"}
        limit = ["-t", str(max(1, self.transactions // self.clients))] if self.transactions else ["-T", "100000"]
        rate = ["-R", str(self.rate)] if self.rate else []
        while not self.is_stopped.is_set():
            self.process = subprocess.Popen(
                [PROGRAMS[-1] / "pgbench", "-n", "-c", str(self.clients), "-j", "1", *limit, *rate, *self.words, "shop"],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # A client that loses its server ends. When the last client has ended, all are started
            # again.
            code = self.process.wait()
            if self.transactions:
                self.done = code
                return
            self.is_stopped.wait(0.2)

    def stop(self):
        self.is_stopped.set()
        if self.process:
            self.process.terminate()
        self.thread.join()

    def wait(self):
        self.thread.join()
        if self.done:
            raise RuntimeError(f"pgbench ended with {self.done}")


class Reader(threading.Thread):
    """A thread that reads a list at each of its revisions, and records states that the database cannot have had."""

    def __init__(self, cluster, number, may_undo=False):
        super().__init__(daemon=True)
        self.cluster, self.number, self.may_undo = cluster, number, may_undo
        self.faults, self.counts = [], collections.Counter()
        self.rows, self.revision, self.highest = [], 0, {}
        self.is_stopped, self.began = threading.Event(), time.monotonic()
        self.start()

    def run(self):
        adapter = None
        while not self.is_stopped.is_set():
            try:
                if adapter is None:
                    bus = dbus.bus.BusConnection(f"unix:path={self.cluster.place}/bus.{self.number}")
                    adapter = bus.get_object(NAME, "/org/listd/Listd1/adapters/orders", introspect=False)
                revision = adapter.Get(ADAPTER, "Revision", dbus_interface="org.freedesktop.DBus.Properties", timeout=60)
                if revision != self.revision:
                    self.look(*adapter.GetObjects(
                        dbus.UInt32(0), dbus.UInt32(10 * ROWS), dbus_interface=ADAPTER, signature="uu", timeout=60)[1:])
            except dbus.DBusException:
                adapter = None  # listd was killed
                self.counts["reconnected"] += 1
                self.is_stopped.wait(0.05)
            self.is_stopped.wait(0.005)

    def look(self, revision, total, objects):
        rows = [(str(name), float(fields["place"]), int(fields["n"]), int(fields["value"])) for (name, _, fields) in objects]
        revision = int(revision)
        self.counts["revisions"] += 1
        if total != len(rows):
            self.revision = revision
            return self.fault(revision, f"only {len(rows)} of {total} objects were read")
        if sum(row[3] for row in rows) != 0:
            self.fault(revision, f"torn: the sum of the amounts is {sum(row[3] for row in rows)}")
        order = [(row[1], int(row[0])) for row in rows]
        if order != sorted(order):
            self.fault(revision, "torn: the rows are not in the order of their places")
        if self.counts["revisions"] > 1 and revision == self.revision + 1 and rows == self.rows:
            self.counts["repeated"] += 1
        if revision > self.revision + 1:
            self.counts["not seen"] += revision - self.revision - 1
        before = {row[0]: row for row in self.rows}
        for row in rows:
            highest = self.highest.get(row[0], -1)
            if row[2] < highest:
                self.counts["undone"] += 1
                if not self.may_undo:
                    self.fault(revision, f"the counter of row {row[0]} decreased from {highest} to {row[2]}")
            elif row[2] == highest and row[0] in before and before[row[0]] != row and not self.may_undo:
                self.fault(revision, f"row {row[0]} changed, but its counter is still {row[2]}")
            self.highest[row[0]] = row[2]
        self.rows, self.revision = rows, revision

    def fault(self, revision, text):
        self.counts["faults"] += 1
        if len(self.faults) < 20:
            self.faults.append(f"{time.monotonic() - self.began:.1f} s: listd {self.number}, revision {revision}: {text}")

    def compare(self, rows):
        if self.rows == rows:
            return
        missing = [row for row in rows if row not in self.rows][:5]
        extra = [row for row in self.rows if row not in rows][:5]
        self.fault(self.revision, f"lost: {missing} in the table, {extra} in the list")

    def stop(self):
        self.is_stopped.set()
        self.join()

    def __str__(self):
        counts = ", ".join(f"{self.counts[name]} {name}" for name in ("revisions", "not seen", "repeated", "undone", "reconnected"))
        return f"listd {self.number}: {counts}, {self.counts['faults']} faults"


def require_cluster():
    """Exits when this machine cannot run the cluster."""
    code = subprocess.run([SCRIPT, "possible"]).returncode
    if code:
        sys.exit(code)


def finish(cluster, readers, began, seconds=90):
    """Waits until all lists equal the table, prints the results, and returns whether no fault was found."""
    # The writers have ended, but a transaction that a writer began may still be running.
    while cluster.sql("SELECT FROM pg_stat_activity WHERE application_name = 'pgbench'"):
        time.sleep(0.1)
    rows = cluster.rows()
    deadline = time.monotonic() + seconds
    # Statements that were on their way to a server when their client ended may still arrive. So the
    # table is read until it does not change any more.
    while any(reader.rows != rows for reader in readers) and time.monotonic() < deadline:
        time.sleep(0.5)
        rows = cluster.rows()
    for reader in readers:
        reader.compare(rows)
    for reader in readers:
        reader.stop()
    print(f"{cluster.change_count()} changes of {len(rows)} rows in {time.monotonic() - began:.0f} s")
    for reader in readers:
        print(f"  {reader}", *reader.faults, sep="\n    ")
    faults = sum(reader.counts["faults"] for reader in readers)
    seen = all(reader.counts["revisions"] > 10 for reader in readers)
    if faults or not seen:
        print(cluster.logs())
    return not faults and seen


def race(transactions):
    """Runs many writers at once, without failures. listd 2 follows the standby."""
    cluster = Cluster(poll="50ms")
    try:
        readers = [Reader(cluster, number) for number in (1, 2, 3)]
        began = time.monotonic()
        Writers(cluster, transactions=transactions).wait()
        good = finish(cluster, readers, began)
        # On a standby, the log may report a change again. Then a revision would announce a change that is not new.
        return good and not any(reader.counts["repeated"] for reader in readers)
    finally:
        cluster.stop()


class Chaos:
    """A sequence of failures of servers, network and listds."""

    def __init__(self, seconds, seed):
        self.random, self.seconds = random.Random(seed), seconds
        self.cluster = Cluster()
        self.counts = collections.Counter()
        self.readers = []

    def terminate_sessions(self):
        """Terminates all sessions of a server, including those of the writers."""
        server = self.random.choice("ab")
        self.cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()", server, check=False)

    def crash_server(self):
        """Crashes a server. After its restart, the primary starts a new generation."""
        server = self.random.choice([self.cluster.primary, self.cluster.primary, self.other])
        self.cluster.do("kill", server)
        self.pause(0.5, 2)
        self.cluster.do("serve", server)

    def prune_log(self):
        """Stops a listd while the log is pruned beyond the position of that listd."""
        number = self.random.choice((1, 2, 3))
        print(f"    listd {number}, at revision {self.readers[number - 1].revision}")
        self.cluster.signal(number, signal.SIGSTOP)
        try:
            self.pause(2, 8)
            self.cluster.sql("SELECT listd.prune('0')")
            self.pause(0.5, 1)
            self.cluster.sql("SELECT listd.prune('0')")
        finally:
            self.cluster.signal(number, signal.SIGCONT)

    def cut_network(self):
        """Cuts the network between the namespaces for a while."""
        self.cluster.do("cut")
        self.pause(2, 9)
        self.cluster.do("heal")

    def kill_listd(self):
        """Kills a listd and restarts it, sometimes after the others have advanced."""
        number = self.random.choice((1, 2, 3))
        os.kill(self.cluster.process(number), signal.SIGKILL)
        self.pause(0, 3)
        self.cluster.do("listd", number)

    def promote_standby(self):
        """Lets the standby lag, loses the primary with its unreplicated transactions, and promotes the standby."""
        (old, new) = (self.cluster.primary, self.other)
        self.cluster.do("cut")
        self.pause(1, 3)
        self.cluster.do("kill", old)
        self.cluster.do("heal")
        self.cluster.do("promote", new)
        self.cluster.primary = new
        self.pause(1, 3)
        self.cluster.do("follow", old)

    @property
    def other(self):
        return "b" if self.cluster.primary == "a" else "a"

    def pause(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def run(self):
        began = time.monotonic()
        try:
            self.readers = readers = [Reader(self.cluster, number, may_undo=True) for number in (1, 2, 3)]
            writers = Writers(self.cluster, rate=400)
            events = [
                self.terminate_sessions, self.crash_server, self.prune_log, self.cut_network, self.kill_listd,
                self.promote_standby]
            while True:
                self.random.shuffle(events)
                for event in events:
                    self.pause(1, 4)
                    if time.monotonic() - began > self.seconds:
                        break
                    print(f"  {time.monotonic() - began:.1f} s: {event.__name__}", flush=True)
                    event()
                    self.counts[event.__name__] += 1
                else:
                    continue
                break
            writers.stop()
            good = finish(self.cluster, readers, began)
            print("  " + ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items())))
            return good and len(self.counts) == len(events)
        finally:
            self.cluster.stop()
