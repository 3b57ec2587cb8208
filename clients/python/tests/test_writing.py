"""Writing and reading a list."""

from __future__ import annotations

import listd
from listd import Object
from stage import Stage


async def test_what_is_written_is_read(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.transaction() as t:
            t.upsert("a", {"n": 1, "s": "é", "b": True, "d": 1.5})
            t.upsert("b", {}, type="row", first=True)
        assert t.revision == 1
        assert list(await mail.objects()) == [Object("b", {}, "row"), Object("a", {"n": 1, "s": "é", "b": True, "d": 1.5})]
        assert await mail.revision() == 1
