// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

/// A data source with pages, a cursor and writes, in a worker and in the daemon.
@Suite("Sources with cursors and writes", .timeLimit(.minutes(5)))
@DBusActor
struct LedgerTests {
    /// Returns the name of the error that `body` throws; `nil` if `body` succeeds.
    private func error(_ body: @DBusActor () async throws -> UInt64) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch let error as DBusError {
            return error.name
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a source sends a list in pages → one revision has all rows and the source's cursor",
        arguments: PluginStage.Isolation.allCases, TransportKind.allCases)
    func pages(isolation: PluginStage.Isolation, transport: TransportKind) async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start(isolation)
        let list = try await LedgerList.make("2500&page=100", on: stage, by: stage.connect(transport))
        #expect(try await list.ids == (0..<2500).map { "row \($0)" })
        #expect(try await list.revision == 1)
        #expect(try await list.position == "write 0")
        #expect(try await list.synced == 1_700_000_000_000_000)
        await stage.stop()
    }

    @Test(
        "listd is restarted → the source resumes at its cursor and sends nothing twice",
        .rule("SO-03"),
        arguments: PluginStage.Isolation.allCases, [true, false])
    func restart(isolation: PluginStage.Isolation, isKilled: Bool) async throws {
        let ledger = try LedgerStage()
        var stage = try await ledger.start(isolation)
        let list = try await LedgerList.make("300&page=7", on: stage)
        #expect(try await list.apply(remove: ["row 0"], add: ["new"]) == 2)
        #expect(stage.listd.standardError.contains("begins anew"))
        if isKilled { await stage.kill() } else { await stage.stop() }
        stage = try await ledger.start(isolation)
        let again = try await LedgerList(stage, "rows")
        try await again.wait(for: "ready")
        #expect(try await again.ids == (1..<300).map { "row \($0)" } + ["new"])
        #expect(try await again.position == "write 1")
        #expect(try await again.synced == 1_700_000_000_000_001)
        #expect(stage.listd.standardError.contains("goes on after write 1"))
        #expect(!stage.listd.standardError.contains("begins anew"))
        let written = try await again.apply(add: ["newer"])
        #expect(try await again.revision == written)
        await stage.stop()
    }

    @Test("the cursor advances without a change, and listd exits → the new cursor is stored")
    func nothingNew() async throws {
        let ledger = try LedgerStage()
        var stage = try await ledger.start()
        let list = try await LedgerList.make("3", on: stage)
        #expect(try await list.ask("nothing new") == 1)
        #expect(try await list.position == "write 1")
        await stage.stop()
        stage = try await ledger.start()
        let again = try await LedgerList(stage, "rows")
        try await again.wait(for: "ready")
        #expect(try await again.position == "write 1")
        #expect(try await again.revision == 1)
        await stage.stop()
        #expect(stage.listd.standardError.contains("goes on after write 1"))
    }

    @Test("the worker of a source dies → the source resumes at its cursor in the next worker")
    func nextWorker() async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start()
        let list = try await LedgerList.make("300", on: stage)
        #expect(try await list.apply(add: ["new"]) == 2)
        let process = try await stage.object("/org/listd/Listd1/plugins/ledger", "Plugin")
            .property("ProcessID", as: UInt32.self)
        kill(pid_t(process), SIGKILL)
        try await list.wait(for: "paused")
        #expect(await error { try await list.apply(add: ["lost"]) } == Listd.error("SourceUnavailable"))
        try await list.wait(for: "ready")
        #expect(try await list.apply(add: ["newer"]) == 3)
        #expect(try await list.ids == (0..<300).map { "row \($0)" } + ["new", "newer"])
        await stage.stop()
        #expect(stage.listd.standardError.contains("goes on after write 1"))
    }

    @Test(
        "a client writes to a source → the reply has the revision with the write, even if the source is slow",
        arguments: PluginStage.Isolation.allCases, TransportKind.allCases)
    func writes(isolation: PluginStage.Isolation, transport: TransportKind) async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start(isolation)
        let list = try await LedgerList.make("3", on: stage, durability: "memory", by: stage.connect(transport))
        #expect(try await list.apply(remove: ["row 1"], add: ["a"]) == 2)
        #expect(try await list.ids == ["row 0", "row 2", "a"])
        #expect(try await list.ask("later") == 3)
        let first = try await list.adapter.objects().rows.first
        #expect(first?.fields["do"]?.unwrapped == .string("later"))
        let all = try await list.remote.call(
            "PerformUpdates", UInt64(3), [Row("z", "row", [:]), Row("z", "row", [:]), Row("y", "row", [:])],
            [String: DBusValue](), returning: UInt64.self)
        #expect(try await list.ids == ["z", "y"])
        #expect(all == 4)
        #expect(try await list.position == "write 3")
        await stage.stop()
    }

    @Test(
        "the source refuses a write → the caller gets the error, and the list continues unchanged",
        arguments: TransportKind.allCases)
    func refusals(transport: TransportKind) async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start()
        let list = try await LedgerList.make("3", on: stage, durability: "memory", by: stage.connect(transport))
        #expect(await error { try await list.ask("offline") } == Listd.error("SourceUnavailable"))
        #expect(await error { try await list.apply(add: ["a"], expecting: 7) } == Listd.error("RevisionConflict"))
        #expect(await error { try await list.patch("nobody", [:]) } == Listd.error("NoSuchObject"))
        let move = await error {
            try await list.remote.call("MoveObject", UInt64(0), "row 0", "last", "", returning: UInt64.self)
        }
        #expect(move == Listd.error("ReadOnly"))
        let twice = await error {
            try await list.remote.call(
                "PerformUpdates", UInt64(0), [Row("z", "row", [:]), Row("z", "row", [:])],
                ["duplicates": .string("fail")] as [String: DBusValue], returning: UInt64.self)
        }
        #expect(twice == Listd.error("DuplicateIdentifier"))
        #expect(try await list.revision == 1)
        #expect(try await list.ids == ["row 0", "row 1", "row 2"])
        // Simulates a write by another machine: the source has a row that the list does not have yet.
        #expect(try await list.ask("behind the list") == 1)
        #expect(await error { try await list.apply(add: ["a"], expecting: 1) } == Listd.error("RevisionConflict"))
        #expect(try await list.apply(add: ["a"]) == 2)
        #expect(try await list.apply(add: ["b"], expecting: 2) == 3)
        // Each field alone is small enough. The object with both fields would be too large.
        let text = DBusValue.string(String(repeating: "x", count: 5 << 20))
        #expect(try await list.patch("row 0", ["one": text]) == 4)
        #expect(await error { try await list.patch("row 0", ["two": text]) } == Listd.error("PayloadTooLarge"))
        #expect(try await list.patch("row 0", ["n": .int64(1)]) == 5)
        await stage.stop()
    }

    @Test(
        "a source never answers a write, or dies of it → the caller gets SourceUnavailable when the source ends")
    func unanswered() async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start()
        let list = try await LedgerList.make("3", on: stage, durability: "memory")
        let waiting = Task { await error { try await list.ask("never") } }
        #expect(try await list.apply(add: ["a"]) == 2)
        #expect(await error { try await list.ask("die") } == Listd.error("SourceUnavailable"))
        #expect(await waiting.value == Listd.error("SourceUnavailable"))
        try await list.wait(for: "ready")
        #expect(try await list.apply(add: ["b"]) == 3)
        let lastError = try await stage.object("/org/listd/Listd1/plugins/ledger", "Plugin")
            .property("LastError", as: String.self)
        #expect(lastError.contains("write") && lastError.contains("the ledger burns"))
        await stage.stop()
    }

    @Test(
        "a client writes to a source without write support → ReadOnly; it writes to another user's list → AccessDenied",
        .rule("WT-13"))
    func readOnly() async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start(files: ["theirs.list": "[List]\nSource=ledger/rows?1\n"])
        let list = try await LedgerList.make("3&write=no", on: stage, durability: "memory")
        #expect(await error { try await list.apply(add: ["a"]) } == Listd.error("ReadOnly"))
        let reload = try await list.remote.call("ReloadData", returning: UInt64.self)
        #expect(reload == 2)
        #expect(try await list.ids.count == 3)
        if Agent.canBeOthers {
            let stranger = try await Agent(stage.address(.direct), user: Agent.nobody)
            let theirs = try await stage.adapter("theirs")
            let answer = try await stranger.call(
                theirs.path, "Adapter", "ApplyChanges", "tasa(ssssa{sv})a{sv}", #"[0,["row 0"],[],{}]"#)
            #expect(answer.error == Listd.standardError("AccessDenied"))
        }
        await stage.stop()
    }

    /// The number of rows. The soak test uses a million.
    private static let count = ProcessInfo.processInfo.environment["LISTD_SOAK"] == nil ? 100_000 : 1_000_000

    @Test("a source sends many rows in pages → the worker's memory holds one page, the daemon's one copy of the list")
    func memory() async throws {
        let ledger = try LedgerStage()
        let stage = try await ledger.start()
        // First a list of one page, for the memory that both processes need in any case.
        _ = try await LedgerList.make("1000&page=1000", named: "small", on: stage, durability: "memory")
        let process = try await stage.object("/org/listd/Listd1/plugins/ledger", "Plugin")
            .property("ProcessID", as: UInt32.self)
        let before = (worker: Self.peak(Int(process)), daemon: Self.peak(Int(stage.listd.identifier)))
        let list = try await LedgerList.make("\(Self.count)&page=1000", named: "large", on: stage, durability: "memory")
        #expect(try await list.remote.property("ObjectCount", as: UInt32.self) == UInt32(Self.count))
        let worker = (Self.peak(Int(process)) - before.worker) << 10
        let daemon = (Self.peak(Int(stage.listd.identifier)) - before.daemon) << 10
        // If the worker held more than one page, the rows alone would take 5 MB for each 100,000.
        #expect(worker < 4 << 20, "the worker's peak memory grew by \(worker) bytes")
        // Measured: 180 bytes for each row, with the list's index and sections. A second copy would add 60 bytes a
        // row.
        #expect(daemon < Self.count * 230 + 8 << 20, "the daemon's peak memory grew by \(daemon) bytes")
        await stage.stop()
    }

    /// Returns the peak memory of a process, in KiB.
    private static func peak(_ process: Int) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first.map { $0.filter(\.isNumber) } ?? "") } ?? 0
    }
}
