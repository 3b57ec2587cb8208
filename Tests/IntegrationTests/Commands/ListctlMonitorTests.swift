// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("listctl monitor", .timeLimit(.minutes(3)))
@DBusActor
struct ListctlMonitorTests {
    /// Changes a list repeatedly until the monitor prints an update of the list.
    private func change(_ adapter: TestAdapter, until name: String, isPrintedBy monitor: ChildProcess) async throws {
        let isPrinted = Countdown(1)
        let writing = Task { @DBusActor in
            var number: Int64 = 0
            while !isPrinted.isOver {
                number += 1
                _ = try await adapter.applyChanges([Upsert("a", "t", "keep", "", ["n": .int64(number)])])
            }
        }
        defer { isPrinted.countDown() }
        _ = try await monitor.lines.next(timeout: .seconds(60)) { $0.contains("  \(name)  Updated  ") }
        isPrinted.countDown()
        try await writing.value
    }

    private let restricted: [String: DBusValue] = ["readers": .string("owner")]

    @Test(
        "restricted lists, public lists, and lists that are created later → monitor shows every list",
        arguments: TransportKind.allCases)
    func all(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket()
        let (secret, open) = (
            try await stage.createAdapter("secret", restricted), try await stage.createAdapter("open")
        )
        let monitor = try Listctl.start(stage.address(transport), "monitor")
        try await change(secret, until: "secret", isPrintedBy: monitor)
        try await change(open, until: "open", isPrintedBy: monitor)
        let later = try await stage.createAdapter("later", restricted)
        try await change(later, until: "later", isPrintedBy: monitor)
        monitor.stop()
        await stage.stop()
    }

    @Test(
        "listd restarts → monitor shows the restricted list again",
        arguments: [["monitor"], ["monitor", "secret"]])
    func restart(arguments: [String]) async throws {
        let first = try await Stage()
        let list = try await first.createAdapter("secret", restricted)
        let monitor = try ChildProcess(Listctl.path, ["--bus", first.bus.address] + arguments)
        try await change(list, until: "secret", isPrintedBy: monitor)
        await first.stop()
        _ = try await monitor.lines.next(timeout: .seconds(60)) { $0 == "listctl: waiting for listd" }
        let second = try await Stage(on: first.bus)
        let again = try await second.createAdapter("secret", restricted)
        try await change(again, until: "secret", isPrintedBy: monitor)
        monitor.stop()
        await second.stop()
    }

    /// Starts `listctl monitor` as a user that owns no list and is in no group but its own.
    private func startMonitorAsStranger(_ address: String, _ arguments: String...) throws -> ChildProcess {
        let user = ["--reuid=\(Agent.nobody)", "--regid=\(Agent.nobody)", "--clear-groups"]
        return try ChildProcess(
            "/usr/bin/setpriv", user + [Listctl.path, "--bus", address, "monitor"] + arguments,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// Sets the readers of a configured list by a reload.
    private func setReaders(ofList name: String, to readers: String, on stage: Stage) async throws {
        let file = stage.listd.directory.appending(path: "config/\(name).list")
        try "[List]\nReaders=\(readers)\n".write(to: file, atomically: true, encoding: .utf8)
        try await stage.manager.call("Reload")
    }

    @Test(
        "a reload grants read access to a group or to everybody → monitor shows the list from then on",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases, ["group:nogroup", "any"])
    func becomesReadable(transport: TransportKind, readers: String) async throws {
        let stage = try await Stage.withDirectSocket(files: ["feed.list": "[List]\nReaders=owner\n"])
        let open = try await stage.createAdapter("open")
        let monitor = try startMonitorAsStranger(stage.address(transport))
        try await change(open, until: "open", isPrintedBy: monitor)
        try await setReaders(ofList: "feed", to: readers, on: stage)
        let feed = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/feed")
        try await change(feed, until: "feed", isPrintedBy: monitor)
        monitor.stop()
        await stage.stop()
    }

    @Test(
        "a reload removes read access to the monitored list → monitor prints a message and exits",
        .enabled(if: Agent.canBeOthers), arguments: TransportKind.allCases)
    func becomesRestricted(transport: TransportKind) async throws {
        let stage = try await Stage.withDirectSocket(files: ["feed.list": "[List]\nReaders=any\n"])
        let feed = TestAdapter(stage: stage, path: "/org/listd/Listd1/adapters/feed")
        let monitor = try startMonitorAsStranger(stage.address(transport), "feed")
        try await change(feed, until: "feed", isPrintedBy: monitor)
        try await setReaders(ofList: "feed", to: "owner", on: stage)
        #expect(try await monitor.exit.next(timeout: .seconds(30)) == 1)
        #expect(monitor.lines.recorded.last?.contains("may not read") == true)
        await stage.stop()
    }
}
