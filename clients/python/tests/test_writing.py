# SPDX-License-Identifier: Apache-2.0
"""Writing and reading a list."""

from __future__ import annotations

import re
import asyncio
import io
import os
import tempfile
from typing import Any

import pytest

import listd
from listd import Object
from stage import Stage

IS_SOAK = "LISTD_SOAK" in os.environ


async def test_written_objects_are_read_unchanged(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.transaction() as t:
            t.upsert("a", {"n": 1})
            t.upsert("b", {}, type="row", first=True)
            t.upsert("c", {}, before="a")
            t.upsert("d", {}, after="a")
            t.remove("unknown")
        assert t.revision == 1
        assert [row.id for row in await mail.objects()] == ["b", "c", "a", "d"]
        assert (await mail.page(1, 2)).objects == (Object("c"), Object("a", {"n": 1}))
        found = await mail.find("b")
        assert (found.section, found.object.type) == (0, "row")
        assert await mail.patch("a", {"m": 2}, ["n"]) == 2
        assert await mail.move("a", first=True) == 3
        assert (await mail.find("a")).section == 0
        assert [item.content async for item in mail.items()] == [{"m": 2}, {}, {}, {}]
        assert await mail.reload(["a"]) == 4
        assert await mail.reload() == 5
        said = await mail.properties()
        assert (said.name, said.source, said.revision, said.object_count, said.state) == (name, "push", 5, 4, "ready")
        assert (said.options["durability"], said.selected_items) == ("memory", ())
        await d.remove(name)


async def test_an_empty_transaction_sends_nothing(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.transaction() as t:
            pass
        assert (t.revision, await mail.revision()) == (0, 0)
        with pytest.raises(KeyError):
            async with mail.transaction() as t:
                t.upsert("a", {})
                raise KeyError
        assert await mail.revision() == 0


async def test_an_object_inserted_and_removed_in_a_transaction_is_not_in_the_list(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.transaction() as t:
            t.upsert("a", {})
            t.remove("a")
            t.upsert("b", {})
        assert [row.id for row in await mail.objects()] == ["b"]


async def test_a_large_list_is_sent_as_a_file(shared: Stage, name: str) -> None:
    """In `make soak`, the list has 17 MiB, which is more than a message may have."""
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        rows = [Object(str(number), {"text": "é" * 4000, "n": number}) for number in range(2200 if IS_SOAK else 270)]
        assert await mail.replace(rows) == 1
        assert await mail.objects() == tuple(rows)
        with tempfile.TemporaryFile() as file:
            assert await mail.export(file) == 1
            file.seek(0)
            assert await mail.replace_from(file) == 1  # nothing changes


@pytest.mark.skipif(not IS_SOAK, reason="an unoptimised listd takes seconds for it")
async def test_a_large_list_that_json_cannot_express_is_sent_as_a_message(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        rows = [Object(str(number), {"data": bytes(2000)}) for number in range(530)]
        await mail.replace(rows)
        assert await mail.objects() == tuple(rows)


async def test_revision_conflict_has_the_revisions(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object("a")])
        await mail.replace([Object("b")])
        with pytest.raises(listd.RevisionConflict) as caught:
            await mail.replace([Object("c")], expected_revision=1)
        assert (caught.value.expected, caught.value.current) == (1, 2)
        with pytest.raises(listd.RevisionConflict):
            async with mail.transaction(expected_revision=9) as t:
                t.remove("b")
        assert await mail.replace([Object("c")], expected_revision=2) == 3


async def test_errors_have_names(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object("a")])
        attempts: list[tuple[type[listd.ListdError], Any]] = [
            (listd.AdapterExists, lambda: d.create(name)),
            (listd.NoSuchAdapter, lambda: d.list("never there")),
            (listd.NoSuchAdapter, lambda: d.remove("never there")),
            (listd.NoSuchObject, lambda: mail.find("b")),
            (listd.NoSuchObject, lambda: mail.patch("b", {})),
            (listd.NoSuchObject, lambda: mail.move("a", after="b")),
            (listd.InvalidObject, lambda: mail.replace([Object("")])),
            (listd.InvalidObject, lambda: mail.replace([Object("a", {"n": None})])),
            (listd.DuplicateIdentifier, lambda: mail.replace([Object("a"), Object("a")], duplicates="fail")),
            (listd.PayloadTooLarge, lambda: mail.replace([Object("a" * 5000)])),
            (listd.PayloadTooLarge, lambda: mail.replace([Object("a", {"data": bytes(40 << 20)})])),
            (listd.InvalidArgs, lambda: d.create("other", layout="circle")),  # type: ignore[arg-type]
            (listd.InvalidArgs, lambda: d.create("other", working_range="a")),  # type: ignore[arg-type]
            (listd.InvalidArgs, lambda: d.create("other", nonsense=1)),  # type: ignore[call-arg]
            (listd.InvalidArgs, lambda: d.create("a" * 256)),
            (listd.InvalidArgs, lambda: d.set_log_level("loud")),  # type: ignore[arg-type]
            (listd.NoSuchPlugin, lambda: d.plugin("never there")),
            (listd.NoSuchPlugin, lambda: d.unload_plugin("never there")),
            (listd.PluginRefused, lambda: d.load_plugin("/etc/passwd")),
        ]
        for kind, attempt in attempts:
            with pytest.raises(kind) as caught:
                await attempt()
            assert type(caught.value) is kind and caught.value.message
        assert await mail.revision() == 1
        with pytest.raises(ValueError):
            await mail.move("a", first=True, last=True)


async def test_an_invalid_line_is_named_by_its_number(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        with tempfile.TemporaryFile() as file:
            file.write(b'{"id": "a"}\n{"id": 5}\n')
            file.seek(0)
            with pytest.raises(listd.InvalidObject, match="2"):
                await mail.replace_from(file)
        assert await mail.revision() == 0


async def test_the_manager_answers(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.ensure(name, durability="memory")
        assert (await d.ensure(name)).path == mail.path
        assert name in [row.name for row in await d.lists()]
        said = await d.properties()
        assert said.version and said.adapter_count >= 1 and said.direct_address.startswith(shared.direct)
        assert all(isinstance(count, int) for count in (await d.statistics()).values()) and await d.statistics()
        assert isinstance(await d.plugins(), list)
        assert name in await d.dump()
        async with d.reloading() as reloads:
            await d.reload()
            assert await anext(reloads) is False  # true was replaced by false before the event was read
        async with mail.view() as view:
            await view.scroll(0, 0, 100, 100)
            assert mail.path in [row.adapter for row in await d.views()]
        await d.remove(name)
        with pytest.raises(listd.NoSuchAdapter):
            await mail.revision()


async def test_a_backup_is_a_database(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        await (await d.create("kept")).replace([Object("a")])
        with tempfile.TemporaryFile() as file:
            await d.backup(file)
            file.seek(0)
            assert file.read(6) == b"SQLite"


async def test_a_backup_is_restored(bus_stage: Stage) -> None:
    async with listd.connect(bus_stage.address) as d:
        mail = await d.create("restored")
        await mail.replace([Object("a")])
        with tempfile.TemporaryFile() as file:
            with pytest.raises(listd.InvalidArgs):
                await d.restore(file)
            await d.backup(file)
            await mail.replace([])
            assert await d.losses() == ()
            await d.restore(file)
        assert bus_stage.wait() == 75
        bus_stage.start()
        await d.wait_available()
        assert [row.id for row in await (await d.list("restored")).objects()] == ["a"]
        assert "“restored” (up to " in (await d.losses())[0].text
        await d.acknowledge_losses()
        assert await d.losses() == ()


async def test_export_writes_to_any_file(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object("a", {"n": 1}), Object("b")])
        file = io.BytesIO()
        await mail.export(file, offset=1)
        assert file.getvalue().decode().count(os.linesep) == 1 and b'"b"' in file.getvalue()


async def test_calls_overlap(shared: Stage, name: str) -> None:
    """Many calls are in flight: each gets its own reply, in the order in which the calls were sent."""
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        calls = [mail.patch("a", {"n": number}) for number in range(100)]
        await mail.replace([Object("a")])
        revisions = await asyncio.gather(*calls)
        assert revisions == sorted(revisions)
        assert (await mail.find("a")).object.fields == {"n": 99}


async def test_objects_without_ids(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        rows = [Object("", {"n": 1}), Object("", {"n": 1}), Object("given", {"n": 1})]
        with pytest.raises(listd.InvalidObject):
            await mail.replace(rows)
        await mail.replace(rows, identify="content")
        ids = [row.id for row in await mail.objects()]
        assert re.fullmatch("[0-9a-f]{16}", ids[0]) and ids[1:] == [ids[0] + "-2", "given"]
