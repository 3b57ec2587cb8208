# SPDX-License-Identifier: Apache-2.0
"""Following a list."""

from __future__ import annotations

import asyncio
import gc
import io
import itertools
import os
import signal
import sys
from typing import Any, cast

import pytest

import listd
from listd import Inserted, Moved, Object, Removed, Replaced, Updated
from stage import Stage


async def restart_listd(stage: Stage, d: listd.Daemon) -> None:
    """Restarts listd, and waits until the client has noticed."""
    before = d._link.daemon
    stage.restart()
    while d._link.daemon in (None, before):
        await asyncio.sleep(0.01)


async def test_changes_are_typed(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d, (await d.create(name, durability="memory")).follow() as changes:
        mail = await d.list(name)
        assert await anext(changes) == Replaced(())
        await mail.replace([Object("a"), Object("b"), Object("c")])
        assert await anext(changes) == Inserted(0, (Object("a"), Object("b"), Object("c")))
        await mail.patch("b", {"n": 1})
        assert await anext(changes) == Updated(1, (Object("b", {"n": 1}),))
        await mail.move("c", first=True)
        assert await anext(changes) == Moved(2, 0)
        async with mail.transaction() as t:
            t.remove("a")
            t.remove("b")
        assert await anext(changes) == Removed(1, 2)
        assert changes.revision == await mail.revision()


async def test_a_slow_consumer_gets_the_difference(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object(str(number)) for number in range(10)])
        async with mail.follow() as changes:
            rows: list[Object] = []
            (await anext(changes)).apply(rows)
            for number in range(50):
                async with mail.transaction() as t:
                    t.upsert("busy", {"n": number}, first=True)
            async with mail.transaction() as t:
                t.upsert("gone", {})
            async with mail.transaction() as t:
                t.remove("gone")
            await mail.revision()
            assert await anext(changes) == Inserted(0, (Object("busy", {"n": 49}),))


async def test_a_slow_consumer_needs_no_memory_for_changes(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object(str(number)) for number in range(100)])
        async with mail.follow() as changes:
            await anext(changes)
            for number in range(8):
                await mail.replace([Object(f"{number}-{row}") for row in range(100)])
            mirror = changes._mirror
            assert mirror._told is None and not mirror._olds and len(mirror) == 100
            assert isinstance(await anext(changes), Replaced)


async def test_a_list_that_changes_faster_than_it_is_read(
    shared: Stage, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects are read one by one while all of them change: first the known objects are reported, and in the end all objects."""
    for constant, value in [("PAGE", 1), ("CALLS", 1), ("GAP", 0)]:
        monkeypatch.setattr(listd._follow, constant, value)
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object(str(number), {"n": 0}) for number in range(20)])
        rows: list[Object] = []
        async with mail.follow() as changes:
            (await anext(changes)).apply(rows)

            told = asyncio.Event()

            async def write() -> None:
                for number in itertools.count(1):
                    await mail.replace([Object(str(row), {"n": number}) for row in range(20)])
                    if told.is_set():
                        return

            writing = asyncio.create_task(write())
            for _ in range(2):
                change = await anext(changes)
                assert isinstance(change, Replaced) and len(change.objects) == 20
                change.apply(rows)
            told.set()
            await writing
            there = await mail.page()
            while tuple(rows) != there.objects:
                (await anext(changes)).apply(rows)


async def test_waiting_for_a_batch_is_cancelled(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.follow() as changes:
            batches = changes.batches()
            assert await anext(batches) == [Replaced(())]
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await anext(batches)
            await mail.replace([Object("a")])
            assert await anext(batches) == [Inserted(0, (Object("a"),))]


async def test_more_calls_than_a_connection_may_have(bus_stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a low limit of calls per connection, fewer calls are in flight, and the list is read nevertheless."""
    monkeypatch.setattr(listd._follow, "PAGE", 1)
    (bus_stage.directory / "config/listd.conf").write_text("[Limits]\nCallsPerConnection=3\n")
    async with listd.connect(bus_stage.address) as d:
        await d.reload()
        mail = await d.create("mail")
        rows = tuple(Object(str(number)) for number in range(20))
        await mail.replace(rows)
        assert await mail.objects() == rows


async def subscriptions_of(d: listd.Daemon) -> int:
    """The number of subscriptions that listd counts for this process."""
    return sum(client.subscriptions for client in await d.clients() if client.pid == os.getpid())


async def test_one_of_two_followers_is_closed(shared: Stage, name: str) -> None:
    """Each follower on a connection has a subscription, which ends with it."""
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.follow() as one:
            async with mail.follow() as other:
                assert [await anext(one), await anext(other)] == [Replaced(()), Replaced(())]
            await mail.replace([Object("a")])
            assert await anext(one) == Inserted(0, (Object("a"),))
        while await subscriptions_of(d):
            await asyncio.sleep(0.01)


async def test_a_list_that_never_existed_is_followed(shared: Stage) -> None:
    async with listd.connect(shared.address) as d:
        with pytest.raises(listd.NoSuchAdapter, match="never"):
            await anext(listd.List(d._link, "never").follow())


async def test_a_list_removed_while_it_is_followed(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.follow(patience=0.2) as changes:
            assert await anext(changes) == Replaced(())
            await d.remove(name)
            with pytest.raises(listd.NoSuchAdapter):
                await anext(changes)
            with pytest.raises(listd.NoSuchAdapter):
                await anext(changes)


async def test_a_list_removed_and_created_again(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async with mail.follow() as changes:
            assert await anext(changes) == Replaced(())
            for number in range(3):
                await d.remove(name)
                await d.create(name, durability="memory")
                await mail.replace([Object(str(number))])
                assert await anext(changes) == Replaced((Object(str(number)),))


async def test_closing_ends_the_iteration(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        changes = (await d.create(name, durability="memory")).follow()
        await anext(changes)
        asyncio.get_running_loop().call_later(0.05, changes.close)
        assert [change async for change in changes] == []


async def test_closing_the_connection_ends_the_iteration(shared: Stage, name: str) -> None:
    d = await listd.connect(shared.address)
    changes = (await d.create(name, durability="memory")).follow()
    await anext(changes)
    waiting = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0)
    await d.close()
    with pytest.raises(listd.Unavailable):
        await waiting
    with pytest.raises(listd.Unavailable):
        await d.lists()


async def test_an_iterator_abandoned_in_the_middle(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        async for _ in mail.follow():
            break
        async for _ in mail.follow().batches():
            break
        gc.collect()
        await mail.replace([Object("a")])
        while await subscriptions_of(d) or d._link._watchers:
            await asyncio.sleep(0.01)


async def test_tasks_are_cancelled_at_each_await(shared: Stage, name: str) -> None:
    async with listd.connect(shared.address) as d:
        mail = await d.create(name, durability="memory")
        await mail.replace([Object(str(number)) for number in range(50)])

        async def use() -> None:
            async with mail.follow() as changes, mail.view(layout="none") as view:
                await anext(changes)
                await view.show(0, 10)
                await mail.patch("1", {"n": 1})
                await view.select("1")
                await mail.objects()

        for turns in range(0, 60, 1 if "LISTD_SOAK" in os.environ else 3):
            task = asyncio.create_task(use())
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.exception() is None
        await mail.revision()
        # Views whose opening was cancelled are closed too.
        while mail.path in [row.adapter for row in await d.views()]:
            await asyncio.sleep(0.01)
        assert not d._link._watchers
        await use()


async def test_listd_is_killed_and_started_again(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object("a")])
        async with mail.follow() as changes:
            assert await anext(changes) == Replaced((Object("a"),))
            await restart_listd(stage, d)
            await mail.patch("a", {"n": 1})
            assert await anext(changes) == Updated(0, (Object("a", {"n": 1}),))


async def test_the_bus_is_lost(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object("a")])
        async with mail.follow() as changes:
            assert await anext(changes) == Replaced((Object("a"),))
            stage.kill()
            stage.bus.kill()
            while d._link._wire is not None:
                await asyncio.sleep(0.01)
            with pytest.raises(listd.Unavailable):
                await mail.revision()
            stage.bus.start()
            stage.start()
            await d.wait_available()
            await mail.patch("a", {"n": 1})
            assert await anext(changes) == Updated(0, (Object("a", {"n": 1}),))


async def test_listd_is_killed_in_the_middle_of_a_call(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")

        async def write() -> None:
            async with mail.transaction() as t:
                t.upsert("a", {})

        async def filtered() -> None:
            async with mail.filter("a") as hits:
                await hits.change("b")

        async with mail.view(layout="none") as view:
            calls: list[Any] = [
                *(mail.revision, mail.properties, mail.objects, mail.page, mail.item_counts, mail.reload, write, filtered),
                *(lambda: mail.replace([Object("a")]), lambda: mail.patch("a", {}), lambda: mail.move("a", last=True)),
                *(lambda: mail.find("a"), lambda: mail.search("a"), lambda: mail.export(io.BytesIO())),
                *(lambda: anext(mail.items()), lambda: anext(mail.follow()), lambda: view.show(0, 3)),
                *(lambda: view.select("a"), lambda: view.invoke("a", "x"), lambda: d.list("mail"), lambda: d.ensure("more")),
                *(d.lists, d.views, d.clients, d.plugins, d.properties, d.statistics, d.dump),
            ]
            stage.signal(signal.SIGSTOP)
            before = d._link.daemon
            tasks = [asyncio.ensure_future(call()) for call in calls]
            await asyncio.sleep(0.05)
            assert not any(task.done() for task in tasks)
            stage.restart()
            # Calls that the bus had not delivered reach the next daemon, whose list has no objects.
            for task in tasks:
                try:
                    await task
                except (listd.Disconnected, listd.Unavailable, listd.NoSuchObject, StopAsyncIteration):
                    pass
            while d._link.daemon in (None, before):
                await asyncio.sleep(0.01)
            await view.show(0, 3)
        await mail.replace([Object("z")])
        assert await mail.objects() == (Object("z"),)


async def test_a_reply_arrives_after_its_call_was_cancelled(stage: Stage) -> None:
    async with listd.connect(stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object("a")])
        stage.signal(signal.SIGSTOP)
        calls = [
            asyncio.ensure_future(mail.patch("a", {"n": 1})),
            asyncio.ensure_future(mail.export(io.BytesIO())),
            asyncio.ensure_future(mail.view().__aenter__()),
        ]
        await asyncio.sleep(0.02)
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        del calls, call
        gc.collect()
        stage.signal(signal.SIGCONT)
        # Cancelled calls have taken effect nevertheless.
        while (await mail.find("a")).object.fields != {"n": 1} or await d.views():
            await asyncio.sleep(0.01)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
async def test_access_is_revoked(bus_stage: Stage) -> None:
    """A reload of the configuration removes the read access of another user who follows the list."""
    directory = bus_stage.directory
    directory.chmod(0o755)
    (directory / "config/mail.list").write_text("[List]\nReaders=any\n")
    async with listd.connect(bus_stage.address) as d:
        await d.reload()
        following = await asyncio.create_subprocess_exec(
            *("setpriv", "--reuid=65534", "--clear-groups", sys.executable, "-c", FOLLOW, bus_stage.address),
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert following.stdout is not None
        assert await following.stdout.readline() == b"Replaced\n"
        (directory / "config/mail.list").write_text("[List]\nReaders=owner\n")
        await d.reload()
        assert await following.stdout.readline() == b"AccessDenied\n"
        await following.communicate()
        following._transport.close()  # type: ignore[attr-defined]


FOLLOW = """
import asyncio, sys, listd
async def main():
    async with listd.connect(sys.argv[1]) as d:
        mail = await d.list("mail")
        events = mail.display_events().start()
        try:
            async for change in mail.follow():
                print(type(change).__name__, flush=True)
        except listd.AccessDenied:
            await anext(events)
try:
    asyncio.run(main())
except listd.ListdError as error:
    print(type(error).__name__, flush=True)
"""


async def test_addresses_without_a_server_are_unavailable() -> None:
    for address in ("unix:path=/nowhere/at/all", "unix:abstract=listd-nobody-here"):
        with pytest.raises(listd.Unavailable):
            await listd.connect(address)
    for address in ("nonsense", "unix:nothing=1"):
        with pytest.raises((listd.InvalidArgs, listd.Unavailable)):
            await listd.connect(address)


async def test_a_bus_without_listd(bus_stage: Stage) -> None:
    bus_stage.kill()
    with pytest.raises(listd.Unavailable, match="no listd"):
        await listd.connect(bus_stage.address)


async def test_a_server_that_hangs_up(tmp_path: object) -> None:
    """The bus ends while the client authenticates."""
    path = f"{tmp_path}/sock"
    server = await asyncio.start_unix_server(lambda reader, writer: writer.close(), path)
    async with server:
        with pytest.raises(listd.Unavailable):
            await listd.connect(f"unix:path={path}")


async def test_signals_of_other_programs_are_ignored(bus_stage: Stage) -> None:
    """The client ignores a signal that another program sends to this connection."""
    from dbus_fast import Message, MessageType
    from dbus_fast.aio import MessageBus

    async with listd.connect(bus_stage.address) as d:
        mail = await d.create("mail")
        await mail.replace([Object("a")])
        async with mail.follow() as changes:
            await anext(changes)
            wire = d._link._wire
            assert wire is not None
            stranger = await MessageBus(bus_address=bus_stage.address).connect()
            message = Message(
                destination=wire._bus.unique_name,
                path=mail.path,
                interface="org.listd.Listd1.Adapter",
                member="Updated",
                message_type=MessageType.SIGNAL,
                signature="sttsbuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu))a{sv}",
                body=[changes.epoch, 1, 2, "update", True, 0, 0, [[[0, 1]], [], [], []], [[], [], [], []], {}],
            )
            await stranger.send(message)
            stranger.disconnect()
            await cast(Any, stranger).wait_for_disconnect()
            await mail.patch("a", {"n": 1})
            assert await anext(changes) == Updated(0, (Object("a", {"n": 1}),))
