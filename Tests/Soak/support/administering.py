# SPDX-License-Identifier: Apache-2.0
"""The tasks of a database's administrator, on a list that listd follows and clients write: each prints what listd did and how long it took."""

import json
import os
import pathlib
import signal
import subprocess
import time

import following

ROWS = 5000
TABLE = f"""
CREATE TABLE orders (
    id text PRIMARY KEY, rank numeric, title text, state text NOT NULL DEFAULT 'new', due timestamptz DEFAULT 'epoch', more jsonb);
CREATE INDEX ON orders (rank, id);
INSERT INTO orders SELECT i, i, 'order ' || i, 'old', now(), '[]' FROM generate_series(1, {ROWS}) i;
CREATE TABLE types (id int PRIMARY KEY);
SELECT listd.watch('orders', 'orders');
"""
STALE = 3  # of scripts/cluster


class Failure(Exception):
    """A task ended otherwise than the manual says."""


class Administrator:
    def __init__(self):
        self.cluster = following.Cluster(table=TABLE)
        built = pathlib.Path(os.environ.get("BUILT", following.ROOT / ".build/release"))
        self.listctl = str((built if (built / "listctl").exists() else following.ROOT / ".build/debug") / "listctl")
        self.tasks = [
            self.mass_deletion, self.defaults, self.infinity, self.left_out_rows, self.rename, self.replacement, self.other_table, self.hang,
            self.hang_of_a_write, self.outage]

    def ask(self, *words, text=None):
        """Runs listctl on the list of listd 1; returns its exit code, output and messages."""
        done = subprocess.run(
            [self.listctl, "--bus", f"unix:path={self.cluster.place}/bus.1", *words], input=text, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def facts(self):
        lines = self.ask("--json", "list")[1].splitlines()
        rows = [row for line in lines for row in (lambda value: value if isinstance(value, list) else [value])(json.loads(line))]
        return next(row for row in rows if row.get("name") == "orders")

    def error(self):
        facts = self.facts()
        return next((facts[key] for key in ("source-error", "sourceError", "error") if facts.get(key)), "")

    def objects(self):
        return {row["id"]: row for row in map(json.loads, self.ask("--json", "show", "orders")[1].splitlines())}

    def wait(self, what, seconds, condition):
        """Waits until a condition holds; returns how long that took."""
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > seconds:
                raise Failure(f"{what}: not within {seconds} s; the list's error is {self.error()!r}")
            time.sleep(0.05)
        return time.monotonic() - began

    def expect(self, what, is_right, found=""):
        if not is_right:
            raise Failure(f"{what} {found}")

    def is_field(self, name, key, value):
        return self.objects().get(name, {}).get("fields", {}).get(key) == value

    # Tasks

    def mass_deletion(self):
        """One object is pushed in place of the whole table."""
        code, _, said = self.ask("push", "orders", "-", text='{"id": "1", "fields": {"title": "only"}}\n')
        self.expect("the push was refused", code != 0 and f"{ROWS - 1} of {ROWS} rows" in said, said)
        left = self.cluster.sql("SELECT count(*) FROM orders")[0][0]
        self.expect("no row was deleted", left == str(ROWS), left)
        code, _, said = self.ask("delete", "orders", "4999", "5000")
        self.expect("two rows may be deleted", code == 0, said)
        return said or f"refused, {left} rows are left"

    def defaults(self):
        """A client appends an object without the fields that have defaults."""
        code, _, said = self.ask("append", "--id", "a", "orders", "title=appended")
        self.expect("the object was appended", code == 0, said)
        row = self.cluster.sql("SELECT state, extract(epoch FROM due) FROM orders WHERE id = 'a'")[0]
        self.expect("the row has the defaults", row[0] == "new" and float(row[1]) == 0, row)
        return "/".join(row)

    def infinity(self):
        """Times become infinite, or too late for 64 bits."""
        self.cluster.sql("UPDATE orders SET due = 'infinity' WHERE id = '1'")
        self.cluster.sql("UPDATE orders SET due = '294276-12-31' WHERE id = '2'")
        took = self.wait("the largest number", 10, lambda: self.is_field("2", "due", 2**63 - 1) and self.is_field("1", "due", 2**63 - 1))
        self.expect("no error", not self.error(), self.error())
        return f"{took:.1f} s"

    def left_out_rows(self):
        """Rows appear that the list cannot have."""
        self.cluster.sql("INSERT INTO orders (id, rank) VALUES ('', 1), (repeat('x', 5000), 2), ('nowhere', NULL)")
        self.cluster.sql("UPDATE orders SET more = '[null]' WHERE id = '3'")
        self.wait("the rows are counted", 10, lambda: "3 rows are left out, 1 field is left out; the first: " in self.error())
        text, state = self.error(), self.facts().get("state")
        self.expect("the list is ready", state == "ready", state)
        self.cluster.sql("DELETE FROM orders WHERE id = '' OR length(id) = 5000 OR rank IS NULL")
        self.cluster.sql("UPDATE orders SET more = NULL WHERE id = '3'")
        self.wait("the error ends", 10, lambda: not self.error())
        return text

    def rename(self):
        """The table and a column are renamed, and their rows change at once."""
        self.cluster.sql("ALTER TABLE orders RENAME TO purchases")
        self.cluster.sql("UPDATE purchases SET title = 'renamed' WHERE id = '1'")
        took = self.wait("the change arrives", 10, lambda: self.is_field("1", "title", "renamed"))
        self.expect("no error", not self.error(), self.error())
        self.cluster.sql("ALTER TABLE purchases RENAME TO orders")
        self.cluster.sql("UPDATE orders SET title = 'back' WHERE id = '1'")
        self.wait("the change arrives", 10, lambda: self.is_field("1", "title", "back"))
        return f"{took:.1f} s"

    def replacement(self):
        """Another table takes the table's place, as docs/postgresql.md describes."""
        self.cluster.sql("""
            BEGIN; CREATE TABLE orders_new (LIKE orders INCLUDING ALL); INSERT INTO orders_new SELECT * FROM orders WHERE id <> '10';
            DROP TABLE orders; ALTER TABLE orders_new RENAME TO orders; COMMIT""")
        self.wait("the error says it", 10, lambda: "gone" in self.error())
        self.cluster.sql("SELECT listd.watch('orders', 'orders')")
        took = self.wait("the list has the new table", 10, lambda: not self.error() and "10" not in self.objects())
        self.cluster.sql("UPDATE orders SET title = 'replaced' WHERE id = '1'")
        self.wait("the change arrives", 10, lambda: self.is_field("1", "title", "replaced"))
        return f"{took:.1f} s"

    def other_table(self):
        """The list is given another table by mistake."""
        try:
            self.cluster.sql("SELECT listd.watch('orders', 'types')")
        except RuntimeError as error:
            self.expect("the error names the remedy", "listd.unwatch('orders')" in str(error), error)
            return "refused"
        raise Failure("the list has another table now")

    def polling_sessions(self):
        rows = self.cluster.sql("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'listd/%' AND query LIKE 'SELECT listd.poll%'")
        return {int(row[0]) for row in rows}

    def stop(self, processes):
        for process in processes:
            os.kill(process, signal.SIGSTOP)

    def resume(self, processes):
        for process in processes:
            try:
                os.kill(process, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def hang(self):
        """The sessions that poll stop (kill -STOP)."""
        sessions = self.polling_sessions()
        self.expect("there are sessions", sessions)
        self.stop(sessions)
        try:
            # The error ends as soon as another session polls, so the log is read.
            log, seen = self.cluster.place / "listd.1.log", (self.cluster.place / "listd.1.log").read_text().count("no answer has arrived")
            reported = self.wait("the error", STALE + 3, lambda: log.read_text().count("no answer has arrived") > seen)
            self.expect(f"not before {STALE} s", reported > STALE - 1.2, reported)
            self.cluster.sql("UPDATE orders SET title = 'hung' WHERE id = '1'")
            took = self.wait("another session shows the change", 8, lambda: self.is_field("1", "title", "hung"))
            self.wait("the error ends", 5, lambda: not self.error())
        finally:
            self.resume(sessions)
        return f"reported after {reported:.1f} s, replaced after {reported + took:.1f} s"

    def hang_of_a_write(self):
        """The whole server stops (kill -STOP), and a client writes."""
        main = int(pathlib.Path(f"{self.cluster.place}/a.data/postmaster.pid").read_text().splitlines()[0])
        children = pathlib.Path(f"/proc/{main}/task/{main}/children").read_text().split()
        processes = [main, *map(int, children)]
        self.stop(processes)
        try:
            times = []
            for limit in (6, 2, 2):
                began = time.monotonic()
                code, _, said = self.ask("patch", "orders", "1", "title=lost")
                times.append(time.monotonic() - began)
                self.expect("the write was refused", code != 0 and times[-1] < limit, f"{times[-1]:.1f} s {said}")
        finally:
            self.resume(processes)
        self.wait("writes are accepted again", 15, lambda: self.ask("patch", "orders", "1", "title=written")[0] == 0)
        return "refused after " + ", ".join(f"{each:.1f}" for each in times) + " s"

    def outage(self):
        """The server is stopped for 6 s."""
        self.cluster.do("kill", "a")
        self.wait("the error", STALE + 5, self.error)
        time.sleep(6)
        self.cluster.do("serve", "a")
        took = self.wait("the list continues", 6, lambda: not self.error())
        return f"continues {took:.1f} s after the server's return"

    def run(self):
        good = True
        try:
            self.wait("the list is read", 30, lambda: len(self.objects()) == ROWS)
            for task in self.tasks:
                try:
                    print(f"  ok: {task.__doc__.splitlines()[0]} {task()}", flush=True)
                except Failure as failure:
                    good = False
                    print(f"  FAILED: {task.__doc__.splitlines()[0]} {failure}", flush=True)
            if not good:
                print(self.cluster.logs())
        finally:
            self.cluster.stop()
        return good
