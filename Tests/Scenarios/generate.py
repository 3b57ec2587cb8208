#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a random scenario (README.md): generate.py SEED TRANSACTIONS [--filter]. The same seed always produces the same
scenario."""

import json
import random
import sys


class Naive:
    """A simple model of a list, as the contract defines lists."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ids = []
        #: All objects that the list has or had, by id.
        self.rows = {}
        self.next = 0

    def new(self):
        self.next += 1
        return f"o{self.next}"

    def object(self, id):
        row = {"id": id, "type": self.random.choice(["", "row"]), "fields": {"n": self.random.randrange(4)}}
        self.rows[id] = row | {"fields": dict(row["fields"])}
        return row

    def replace(self):
        self.ids = [id for id in self.ids if self.random.random() > 0.2]
        for _ in range(self.random.randrange(6)):
            self.ids.insert(self.random.randrange(len(self.ids) + 1), self.new())
        if self.random.random() < 0.3:
            self.random.shuffle(self.ids)
        return {"replace": [self.object(id) for id in self.ids]}

    def place(self, id, position, anchor):
        """Moves or inserts an id."""
        if position == "keep" and id in self.ids or anchor == id:
            return
        if id in self.ids:
            self.ids.remove(id)
        at = {"first": 0, "keep": len(self.ids), "last": len(self.ids)}.get(position)
        if at is None:
            at = self.ids.index(anchor) + (position == "after")
        self.ids.insert(at, id)

    def position(self):
        position = self.random.choice(["keep", "first", "last", "before", "after"])
        anchor = ""
        if position in ("before", "after"):
            if not self.ids:
                return "last", ""
            anchor = self.random.choice(self.ids)
        return position, anchor

    def apply(self):
        removed = [id for id in self.ids if self.random.random() < 0.1]
        self.ids = [id for id in self.ids if id not in removed]
        upserts = []
        for _ in range(self.random.randrange(5)):
            known = self.ids and self.random.random() < 0.5
            id = self.random.choice(self.ids) if known else self.new()
            position, anchor = self.position()
            self.place(id, position, anchor)
            upserts.append(self.object(id) | {"position": position, "anchor": anchor})
        return {"apply": {"remove": removed, "upsert": upserts}}

    def patch(self):
        change = {"id": self.random.choice(self.ids), "set": {"p": self.random.randrange(9)}, "unset": ["n"]}
        fields = self.rows[change["id"]]["fields"]
        fields.pop("n", None)
        fields |= change["set"]
        return {"patch": change}

    def move(self):
        id = self.random.choice(self.ids)
        position, anchor = self.position()
        self.place(id, position, anchor)
        return {"move": {"id": id, "position": position, "anchor": anchor}}

    def reload(self):
        return {"reload": self.random.choice([None, self.ids[:2]])}

    def shown(self):
        """Returns the ids that the client must have."""
        return list(self.ids)

    def write(self):
        kinds = [self.replace, self.apply, self.apply, self.apply]
        if self.ids:
            kinds += [self.patch, self.patch, self.move, self.move, self.reload]
        return self.random.choice(kinds)() | {"ids": self.shown()}


class Filtered(Naive):
    """A list with a follower whose source argument changes."""

    def __init__(self, seed):
        super().__init__(seed)
        self.change()

    def change(self):
        """Chooses another filter, order or limit for the follower."""
        self.type = self.random.choice([None, "", "row"])
        self.sort = self.random.choice([None, "n", "-n", "p"])
        self.limit = self.random.choice([0, 0, 3])

    def argument(self):
        pairs = [("type", self.type), ("sort", self.sort), ("limit", self.limit or None)]
        return "&".join(f"{key}={value}" for key, value in pairs if value is not None)

    def shown(self):
        ids = [id for id in self.ids if self.type in (None, self.rows[id]["type"])]
        if self.sort is not None:
            key, sign = self.sort.lstrip("-"), -1 if self.sort.startswith("-") else 1

            def rank(id):
                value = self.rows[id]["fields"].get(key)
                return (1, 0) if value is None else (0, sign * value)

            ids.sort(key=rank)
        return ids[: self.limit or None]

    def write(self):
        if self.random.random() < 0.15:
            self.change()
            return {"filter": self.argument(), "ids": self.shown()}
        return super().write()


def main():
    seed, count = map(int, sys.argv[1:3])
    naive = Filtered(seed) if sys.argv[3:] == ["--filter"] else Naive(seed)
    about = f"random transactions, kills, gaps and stalls (seed {seed})"
    if isinstance(naive, Filtered):
        print(json.dumps({"about": about + " of a list that another list follows", "filter": naive.argument()}))
    else:
        print(json.dumps({"about": about}))
    cut = ""
    for _ in range(count):
        chance = naive.random.random()
        if cut and chance < 0.3:
            print(json.dumps({cut: False}))
            cut = ""
        elif not cut and chance < 0.2:
            what = naive.random.choice(["kill", "kill", "restart", "bus", "lose", "lose", "stall", "stall"])
            if what in ("lose", "stall"):
                cut = what
                print(json.dumps({cut: True}))
            elif what == "bus":
                print(json.dumps({"kill": "bus", "ids": naive.shown()}))
            else:
                print(json.dumps({what: "listd", "ids": naive.shown()}))
        print(json.dumps(naive.write()))
    if cut:
        print(json.dumps({cut: False}))
    print(json.dumps(naive.write()))
    print(json.dumps(naive.apply() | {"ids": naive.shown()}))


if __name__ == "__main__":
    main()
