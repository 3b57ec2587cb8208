// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import TestSupport
import Testing

@Suite("Output of a plugin", .timeLimit(.minutes(5)))
@DBusActor
struct WorkerOutputTests {
    /// Returns a row whose misbehaviour happens once, when the list requests the object's number of items.
    private func row(_ horror: String, _ stage: HorrorStage) throws -> Row {
        Row(
            "victim", "row",
            ["do": .string(horror), "at": .string("count"), "once": .string(try stage.makeToken("once"))])
    }

    /// Returns the messages in listd's log that begin with the plugin's name, in order.
    private func printedLines(_ stage: HorrorStage) -> [Substring] {
        stage.stage.listd.standardError.split(separator: "\n").filter { $0.hasPrefix("horrors: ") }
    }

    @Test(
        "a plugin prints endlessly → only the first lines are logged, and the plugin continues"
    )
    func flood() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let process = try await stage.process
        _ = try await list.performUpdates([try row("print", stage)])
        _ = try await list.performUpdates([Row("last", "row", [:])])
        #expect(try await list.items().map(\.reuse) == ["horror"])
        #expect(try await stage.process == process)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let said = printedLines(stage)
        #expect(said.first?.hasPrefix("horrors: horrors 1.0 in process") == true)
        #expect(said.dropFirst() == (1...20).map { "horrors: line \($0) (LISTD_PLUGIN=horrors)" }[...])
        let error = stage.stage.listd.standardError
        #expect(!error.contains("xxx"))
        #expect(error.ranges(of: "further messages about the output of plugin horrors are suppressed").count == 1)
    }

    @Test(
        "a plugin dies of a trap → LastError and the log have its last output"
    )
    func lastWords() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([try row("trap", stage)])
        try await stage.wait(for: "ready", restarts: 1)
        let words = "Fatal error: a horror"
        let lastError = try await stage.plugin("LastError", as: String.self)
        #expect(lastError.contains(words))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let death = stage.stage.listd.standardError.split(separator: "\n").filter { $0.contains("signal") }
        #expect(death.count == 1 && death.first?.contains(words) == true)
        #expect(printedLines(stage).contains { $0.contains(words) && $0.hasSuffix("(LISTD_PLUGIN=horrors)") })
    }

    @Test("a plugin dies during loading → PluginFailed has the plugin's last output")
    func diesWhileLoaded() async throws {
        let stage = try await HorrorStage("Manifest=trap")
        let error = await #expect(throws: DBusError.self) { try await stage.load() }
        #expect(error?.message.contains("Fatal error: a horror") == true)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a plugin dies and leaves a child process → the child is killed too")
    func orphans() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        let process = try await stage.process
        _ = try await list.performUpdates([try row("fork", stage)])
        try await stage.wait(for: "ready", restarts: 1)
        while ProcessStatus.members(ofGroup: process) != [] { await Task.yield() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a plugin dies, and its child process has left the session and group → the child is killed too")
    func escaped() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([try row("escape", stage)])
        try await stage.wait(for: "ready", restarts: 1)
        let head = "horrors: left behind: "
        let line = try #require(printedLines(stage).first { $0.hasPrefix(head) })
        let child = try #require(Int32(line.dropFirst(head.count).prefix { $0.isNumber }))
        while let status = ProcessStatus(child), !status.isZombie { await Task.yield() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "an optimised plugin dies without a message → signal and callback are known, and the log has file and line",
        arguments: [("overflow", [4, 5]), ("segfault", [11]), ("deep", [11])])
    func crash(horror: String, signals: [Int]) async throws {
        let stage = try await HorrorStage()
        let file = stage.directory.path + "/optimised"
        try FixtureCompiler.compileSwift("horrors.swift", to: file, options: ["-O", "-g"])
        try HorrorStage.install(file: file, as: "horrors", in: stage.directory)
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([try row(horror, stage)])
        try await stage.wait(for: "ready", restarts: 1)
        let lastError = try await stage.plugin("LastError", as: String.self)
        #expect(signals.contains { lastError.contains("the process ended with signal \($0) (") })
        #expect(lastError.contains("horrors/Horror on object “victim”"))
        #expect(!lastError.contains("(+0x"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let said = printedLines(stage)
        #expect(said.count { $0.contains("Current stack trace:") } == 1)
        let offsets = said.compactMap { line -> String? in
            guard let place = line.firstRange(of: "/horrors.so(+") else { return nil }
            return String(line[place.upperBound...].prefix { $0 != ")" })
        }
        #expect(!offsets.isEmpty)
        let places = try FixtureCompiler.run("/usr/bin/env", ["addr2line", "-i", "-e", file] + offsets)
        #expect(places.contains(/horrors\.swift:[1-9]/), "\(places)")
    }

    @Test("a plugin prints and dies of a trap → its backtrace is logged even if the output limit is reached")
    func backtrace() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Horror")
        _ = try await list.performUpdates([try row("chatter", stage)])
        try await stage.wait(for: "ready", restarts: 1)
        // The next process prints three more lines within the same ten seconds. With the 15 lines before and the
        // trap, that is below the limit of 20.
        _ = try await list.performUpdates([
            Row(
                "victim", "row",
                ["do": .string("three"), "at": .string("count"), "once": .string(try stage.makeToken("3"))])
        ])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let said = printedLines(stage)
        #expect(said.contains { $0.hasPrefix("horrors: Current stack trace:") })
        let trace = said.filter { $0.dropFirst("horrors: ".count).first?.isNumber == true }
        #expect(trace.count > 5)
        // Swift's runtime prints a trace, too, of which the log has none.
        #expect(said.count { $0.hasPrefix("horrors: Current stack trace:") } == 1)
        #expect(trace.allSatisfy { $0.contains("(+0x") })
        #expect(said.count { $0.hasPrefix("horrors: line ") } == 18)
    }
}

extension ProcessStatus {
    /// Returns the processes in a group that have not ended.
    static func members(ofGroup group: Int32) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.filter { number in
            guard let status = ProcessStatus(number), !status.isZombie else { return false }
            return getpgid(number) == group
        }
    }
}
