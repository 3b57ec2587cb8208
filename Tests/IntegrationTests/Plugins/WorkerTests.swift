// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import ListClient
import Synchronization
import TestSupport
import Testing

@Suite("A plugin in a worker of a real listd", .timeLimit(.minutes(5)))
@DBusActor
struct WorkerTests {
    private func rows(_ count: Int) -> [Row] {
        (0..<count).map { Row("row \($0)", "row", ["value": .int64(Int64($0))]) }
    }

    @Test("the worker is killed → the list recovers with objects, items, revisions, views and slots")
    func comesBack() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        #expect(try await list.performUpdates(rows(50)) == 1)
        let view = try await list.openView()
        let before = view.picture
        #expect(before.shown.count > 9)
        let process = try await stage.process
        #expect(process != stage.stage.listd.identifier)
        kill(process, SIGKILL)
        // This call arrives while no process hosts the list, or before the death is noticed. The answer comes
        // later.
        #expect(try await list.applyChanges([Upsert("row 3", "row", "keep", "", ["value": .int64(99)])]) > 1)
        try await stage.wait(for: "ready", restarts: 1)
        #expect(try await stage.process != process)
        #expect(try await list.state == "ready")
        let present = try await view.present()
        #expect(view.picture.showsSameItems(as: present))
        #expect(Set(present.shown.keys) == Set(before.shown.keys))
        #expect(present.sequence > before.sequence)
        #expect(present.inReadingOrder[3].content["value"] == .int64(99))
        let items = try await list.items()
        #expect(items.count == 50)
        // The new process has created each section controller once.
        #expect((1...50).allSatisfy { number in items.contains { $0.content["made as"] == .int64(number) } })
        #expect(try await stage.plugin("LastError", as: String.self).contains("signal 9"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "the worker is killed during writes → each call is answered once, and mirror and view equal the list",
        .rule("OR-02"))
    func killedUnderLoad() async throws {
        let stage = try await HorrorStage()
        let kills = ProcessInfo.processInfo.environment["LISTD_SOAK"] == nil ? 3 : 100
        let list = try await stage.makeList("list", "Steady")
        let updates = EventLog<UpdatedSignal>()
        _ = try await stage.stage.client.subscribe(MatchRule(path: list.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update) }
        }
        let view = try await list.openView()
        var mirror = ListMirror(try await list.objects())
        var random = SeededRandom(seed: 7)
        var last: UInt64 = 0
        for round in 0..<kills {
            let process = try await stage.process
            let values = [Int64(random.next() % 1000), Int64(random.next() % 1000)]
            async let first = change(list, round * 2, values[0])
            if process > 0 { kill(process, SIGKILL) }
            let answered = [try await first, try await change(list, round * 2 + 1, values[1])]
            for revision in answered.compactMap({ $0 }) {
                #expect(revision > last)
                last = revision
            }
            try await stage.waitUntilItRuns()
            let state = try await list.objects()
            var taken: [UpdatedSignal] = []
            while !updates.recorded.isEmpty { taken.append(try await updates.next()) }
            try mirror.apply(taken, leadingTo: state)
            let present = try await view.present()
            #expect(view.picture.showsSameItems(as: present))
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    /// Applies one change, which listd retries if the worker dies. Returns `nil` if the worker died both times.
    private func change(_ list: TestAdapter, _ step: Int, _ number: Int64) async throws -> UInt64? {
        let value = DBusValue.int64(number)
        do {
            return try await list.applyChanges([
                Upsert("new \(step)", "row", "first", "", ["value": value]),
                Upsert("changing", "row", "keep", "", ["value": value]),
            ])
        } catch  where DBusError(error).name == Listd.error("PluginFailed") {
            return nil
        }
    }

    @Test("a worker dies repeatedly → the plugin fails, and its lists use listd/single until LoadPlugin is called")
    func fails() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        let revision = try await list.performUpdates([Row("poison", "row", ["value": .int64(1)])])
        _ = try await stage.stage.createAdapter("other", ["source": .string("horrors/source?trap in timer")])
        try await stage.wait(for: "failed")
        #expect(try await stage.plugin("LastError", as: String.self).contains("a timer of data source source"))
        let items = try await list.items()
        #expect(items.map(\.reuse) == ["row"])
        #expect(items.first?.content["value"] == .int64(1))
        #expect(try await list.objects().revision > revision)
        #expect(try await list.state == "ready")
        try await stage.stage.manager.call("RemoveAdapter", "other")
        try await stage.load()
        try await stage.wait(for: "ready")
        #expect(try await list.items().map(\.reuse) == ["steady"])
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "LoadPlugin after the plugin's file was replaced → a new process runs the new version"
    )
    func reload() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        let view = try await list.openView()
        #expect(try await list.performUpdates(rows(5)) == 1)
        let process = try await stage.process
        try await stage.load()
        #expect(try await stage.process == process)
        try stage.install(.second)
        try await stage.load()
        #expect(try await stage.process != process)
        #expect(try await stage.plugin("Version", as: String.self) == "2.0")
        #expect(try await stage.plugin("RestartCount", as: UInt32.self) == 0)
        #expect(try await list.items().map { $0.content["version"] } == Array(repeating: .string("2.0"), count: 5))
        #expect(try await list.performUpdates(rows(6)) == 3)
        let present = try await view.present()
        #expect(view.picture.showsSameItems(as: present))
        #expect(view.picture.shown.count == 6)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a plugin's settings change → a reload says when they apply, and the next load applies them")
    func changedSettings() async throws {
        let stage = try await HorrorStage("Own=1")
        let list = try await stage.makeList("list", "Steady")
        #expect(try await list.performUpdates(rows(5)) == 1)
        let process = try await stage.process
        let bus = stage.stage.bus.address
        let again = try await Listctl.run(bus, "load", "horrors")
        #expect(again.lines == ["horrors 1.0 is loaded already, and neither file nor settings changed"])
        #expect(try await stage.process == process)
        let file = stage.stage.listd.directory.appending(path: "config/listd.conf")
        try "[Plugin horrors]\nOwn=2\n".write(to: file, atomically: true, encoding: .utf8)
        try await stage.stage.manager.call("Reload")
        #expect(try await stage.process == process)
        #expect(try await Listctl.run(bus, "load", "horrors").lines == ["loaded horrors"])
        #expect(try await stage.process != process)
        #expect(try await list.items().count == 5)
        try await stage.stage.manager.call("Reload")
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
        let said = stage.stage.listd.standardError
        let notice = "plugin horrors: its changed settings apply when it is loaded the next time (listctl load horrors)"
        #expect(said.ranges(of: notice).count == 1)
    }

    @Test(
        "the worker dies while a newer file loads → the new process takes over",
        arguments: [1, 3, 5])
    func diesDuringReload(deaths: UInt32) async throws {
        let gate = try Gate()
        let stage = try await HorrorStage("CallbackTimeout=1h\nGate=\(gate.path)")
        let list = try await stage.makeList("list", "Steady")
        #expect(try await list.performUpdates(rows(5)) == 1)
        let first = try await stage.process
        let others = ProcessStatus.children(of: stage.stage.listd.identifier).filter { $0 != first }
        for death in 1..<deaths {
            kill(try await stage.process, SIGKILL)
            try await stage.wait(for: "ready", restarts: death)
        }
        try stage.install(.second)
        let loading = Task { @DBusActor in
            _ = try await stage.stage.manager.call(
                "LoadPlugin", "horrors", returning: ObjectPath.self, timeout: .seconds(120))
        }
        await gate.wait()
        kill(try await stage.process, SIGKILL)
        while try await stage.plugin("State", as: String.self) == "ready" { try await stage.waitForChange() }
        gate.open()
        try await loading.value
        try await stage.wait(for: "ready")
        #expect(try await stage.plugin("Version", as: String.self) == "2.0")
        #expect(try await list.items().map { $0.content["version"] } == Array(repeating: .string("2.0"), count: 5))
        // The new worker is supervised like any other worker, and is the plugin's only worker.
        let process = try await stage.process
        kill(process, SIGKILL)
        while try await stage.process == process { try await stage.waitForChange() }
        try await stage.waitUntilItRuns()
        #expect(try await list.items().map(\.reuse) == Array(repeating: "steady", count: 5))
        let last = try await stage.process
        while ProcessStatus.children(of: stage.stage.listd.identifier).filter({ !others.contains($0) }) != [last] {
            await Task.yield()
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a scroll shows twenty new cells → the daemon and the worker exchange one message and one reply")
    func roundTrips() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        _ = try await list.performUpdates(rows(400))
        let (path, _, _, _, _, _) = try await list.by(stage.stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        let view = stage.stage.object(path, "View")
        func counter(_ name: String) async throws -> UInt64 {
            let counters = try await stage.stage.manager.call("GetStatistics", returning: [String: UInt64].self)
            return try #require(counters["plugin-horrors-\(name)"])
        }
        for step in 0..<5 {
            let names = ["orders", "reports", "calls"]
            let before = try await names.asyncMap(counter)
            // Scrolls farther than the working ranges extend, so that all cells are new.
            let sequence = try await view.call(
                "SetViewport", UInt64(0), 0.0, Double(step) * 3000, 100.0, 800.0, returning: UInt64.self)
            let after = try await names.asyncMap(counter)
            #expect(after[0] == before[0] + 1)
            #expect(after[1] == before[1] + 1)
            #expect(after[2] >= before[2] + 20)
            // When this read is answered, the worker has reported the acknowledged picture.
            try await view.call("Ack", sequence)
            _ = try await list.items()
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a visible list is updated → the daemon and the worker exchange one message and one reply")
    func roundTripsOfUpdates() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        _ = try await list.performUpdates(rows(400))
        let (path, _, _, _, _, _) = try await list.by(stage.stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self)
        let view = stage.stage.object(path, "View")
        _ = try await view.call("SetViewport", UInt64(0), 0.0, 0.0, 100.0, 800.0, returning: UInt64.self)
        func counter(_ name: String) async throws -> UInt64 {
            let counters = try await stage.stage.manager.call("GetStatistics", returning: [String: UInt64].self)
            return try #require(counters["plugin-horrors-\(name)"])
        }
        for count in [399, 398, 397] {
            let names = ["orders", "reports", "calls"]
            _ = try await list.items()
            let before = try await names.asyncMap(counter)
            _ = try await list.performUpdates(rows(count))
            let after = try await names.asyncMap(counter)
            #expect(after[0] == before[0] + 1)
            #expect(after[1] == before[1] + 1)
        }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("listctl plugins runs → it prints state, version, isolation, process, memory, restarts, last error and file")
    func listctl() async throws {
        let stage = try await HorrorStage()
        _ = try await stage.makeList("list", "Steady")
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 1)
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let (status, output) = try await Script(program: program.appending(path: "listctl").path).run(
            ["--bus", stage.stage.bus.address, "plugins"])
        #expect(status == 0)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 2)
        let words = (lines.last ?? "").split(separator: " ").map(String.init)
        let process = "\(try await stage.process)"
        try #require(words.count > 8)
        #expect(words.prefix(5) == ["horrors", "ready", "1.0", "worker", process] && words.last == stage.file)
        #expect(UInt64(words[5]) ?? 0 > 0 && words[6] == "MiB" && words[7] == "1")
        #expect(lines.last?.contains("signal 9") == true)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test(
        "UnloadPlugin of a plugin in use → an error with the lists' names; the lists are removed → the call succeeds"
    )
    func unload() async throws {
        let stage = try await HorrorStage()
        _ = try await stage.makeList("one of mine", "Steady")
        do {
            try await stage.unload()
            Issue.record("the plugin was unloaded although it is in use")
        } catch {
            #expect(DBusError(error).name == Listd.standardError("InvalidArgs"))
            #expect(DBusError(error).message.contains("one of mine"))
        }
        let process = try await stage.process
        try await stage.stage.manager.call("RemoveAdapter", "one of mine")
        try await stage.unload()
        while let status = ProcessStatus(process), !status.isZombie { await Task.yield() }
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a worker runs callbacks → GetStatistics has their number, their total time and the longest time")
    func times() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        _ = try await list.performUpdates(rows(50))
        let counters = try await stage.stage.manager.call("GetStatistics", returning: [String: UInt64].self)
        // At least three calls for each of the fifty objects: initializer, object, number of items.
        let calls = counters["plugin-horrors-calls"] ?? 0
        #expect(calls >= 150)
        #expect(
            (counters["plugin-horrors-microseconds"] ?? 0) >= (counters["plugin-horrors-longest-microseconds"] ?? .max))
        _ = try await list.items()
        let later = try await stage.stage.manager.call("GetStatistics", returning: [String: UInt64].self)
        #expect((later["plugin-horrors-calls"] ?? 0) >= calls + 50)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("listd is killed → its worker exits too, even if the worker hangs in a callback")
    func noOrphans() async throws {
        let stage = try await HorrorStage("CallbackTimeout=1h")
        let list = try await stage.makeList("list", "Horror")
        let process = try await stage.process
        let fields: [String: DBusValue] = [
            "do": .string("loop"), "at": .string("update"), "once": .string(try stage.makeToken("once")),
        ]
        let call = Task { _ = try? await list.performUpdates([Row("x", "row", fields)]) }
        // The callback loops as soon as the process has used more processor time than its start takes.
        while try #require(ProcessStatus(process)).processorTime < 100 { await Task.yield() }
        await stage.stage.kill()
        await call.value
        while let status = ProcessStatus(process), !status.isZombie { await Task.yield() }
    }

    @Test("a plugin has a worker → ps and pgrep show the plugin's name")
    func isNamed() async throws {
        let stage = try await HorrorStage()
        _ = try await stage.makeList("list", "Steady")
        let process = try await stage.process
        #expect(try String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8) == "listd:horrors\n")
        let words = try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8).split(separator: "\0")
        #expect(words.first == "listd:horrors")
        #expect(words.dropFirst().first == "--worker")
        let variables = try String(contentsOfFile: "/proc/\(process)/environ", encoding: .utf8).split(separator: "\0")
        #expect(variables.contains("LIBDISPATCH_LOG=NO"))
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a plugin is loaded again after a death or failure → its last error is empty")
    func lastErrorIsCleared() async throws {
        let stage = try await HorrorStage()
        let list = try await stage.makeList("list", "Steady")
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 1)
        // After a restart the error stays, because an administrator needs the reason.
        #expect(try await stage.plugin("LastError", as: String.self).contains("signal 9"))
        try await stage.load()
        #expect(try await stage.plugin("LastError", as: String.self) == "")
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 2)
        try stage.install(.second)
        try await stage.load()
        #expect(try await stage.plugin("LastError", as: String.self) == "")
        #expect(try await list.state == "ready")
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("a worker runs → its process has no new privileges, few descriptors, one socket, and resource limits")
    func confinement() async throws {
        let stage = try await HorrorStage("MemoryMax=300M")
        _ = try await stage.makeList("list", "Steady")
        kill(try await stage.process, SIGKILL)
        try await stage.wait(for: "ready", restarts: 1)
        let status = try #require(ProcessStatus(try await stage.process))
        #expect(status["NoNewPrivs"] == "1")
        #expect(status["Seccomp"] == "2")
        #expect(status.limit("Max core file size") == "0")
        #expect(status.limit("Max data size") == String((300 + 192) << 20))
        #expect(status.descriptors.count < 16)
        // Only root may look, as nobody may debug a worker.
        let process = try await stage.process
        let targets = status.descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
        }
        #expect(targets.isEmpty || targets.count(where: { $0.hasPrefix("socket:") }) == 1)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }
}

extension HorrorStage {
    /// Waits until the worker runs. Loads a failed plugin again.
    func waitUntilItRuns() async throws {
        while true {
            switch try await plugin("State", as: String.self) {
            case "ready": return
            case "failed": try await load()
            default: try await waitForChange()
            }
        }
    }
}

/// A named pipe at which a plugin waits.
private final class Gate: Sendable {
    private let directory = TemporaryDirectory()
    private let end = Mutex<FileDescriptor?>(nil)

    var path: String { directory.path + "/gate" }

    init() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
        guard unsafe mkfifo(path, 0o644) == 0 else { throw ListdProcess.Failure("mkfifo \(path): errno \(errno)") }
    }

    /// Waits until the plugin has opened the pipe.
    func wait() async {
        await withCheckedContinuation { done in
            Thread.detachNewThread { [self] in
                // Blocks until the plugin opens the pipe for reading.
                let file = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
                end.withLock { $0 = file >= 0 ? FileDescriptor(adopting: file) : nil }
                done.resume()
            }
        }
    }

    /// Releases plugins that wait at the pipe, and plugins that open the pipe later.
    func open() {
        let bytes = [UInt8](repeating: 0, count: 64)
        let count = end.withLock { end in end.map { unsafe write($0.rawValue, bytes, bytes.count) } }
        #expect(count == bytes.count)
    }
}

/// The status of a process in /proc.
struct ProcessStatus {
    private let lines: [Substring]
    private let limits: [Substring]
    let descriptors: [String]
    /// The processor time that the process has used, in hundredths of a second.
    let processorTime: Int

    init?(_ process: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        lines = text.split(separator: "\n")
        let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        self.limits = (limits ?? "").split(separator: "\n")
        // The fields after the program's name, which may contain spaces. The 14th and 15th field have the times
        // (proc_pid_stat(5)).
        let numbers = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let fields = numbers.split(separator: ")").last?.split(separator: " ") ?? []
        processorTime = fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    }

    subscript(name: String) -> String? {
        lines.first { $0.hasPrefix(name + ":") }?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    }

    /// Returns the child processes that have not ended.
    static func children(of parent: Int32) -> [Int32] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.filter { number in
            guard let status = ProcessStatus(number), !status.isZombie else { return false }
            return status["PPid"] == "\(parent)"
        }
    }

    /// Suspends a process with SIGSTOP. Returns when none of its threads runs any more, which may take a while on a busy
    /// machine.
    static func suspend(_ process: Int32) async {
        kill(process, SIGSTOP)
        while !threads(of: process).allSatisfy(\.isStopped) { await Task.yield() }
    }

    /// Returns the threads of a process, each with a status of its own.
    static func threads(of process: Int32) -> [ProcessStatus] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.compactMap { Int32($0) }.compactMap { ProcessStatus($0) }
    }

    /// Whether a signal has stopped the process.
    var isStopped: Bool { self["State"]?.hasPrefix("T") ?? false }

    /// Whether the first thread waits for an event.
    var isAsleep: Bool { self["State"]?.hasPrefix("S") ?? false }

    var isZombie: Bool { self["State"]?.hasPrefix("Z") ?? false }

    /// Returns a soft resource limit by its name.
    func limit(_ name: String) -> String? {
        limits.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ").first.map(String.init)
    }
}
