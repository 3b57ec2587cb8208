// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Restoring a backup", .timeLimit(.minutes(5)))
@DBusActor
struct RestoreTests {
    private let stages: StoreStage
    private let directory = TemporaryDirectory()
    private var backup: String { directory.path + "/backup" }

    init() throws { stages = try StoreStage() }

    private func listctl(_ arguments: String...) async throws -> (status: Int32, output: String) {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = runner.deletingLastPathComponent().appending(path: "listctl").path
        let result = try await Script(program: program).run(["--bus", stages.bus.address] + arguments)
        return (result.status, result.output)
    }

    private func row(_ id: String) -> Row { Row(id, "t", [:]) }

    /// Calls `Restore` with a file.
    private func restore(_ path: String, _ flags: Int32 = O_RDONLY, on stage: Stage) async throws {
        let file = FileDescriptor(adopting: unsafe open(path, flags | O_CLOEXEC))
        try await stage.manager.call("Restore", file)
    }

    @Test(
        "a backup is restored while clients run → views close, listd restarts with the backup, and the loss is in sight",
        .rule("DU-10"), .rule("DU-12"))
    func restored() async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.performUpdates([row("a"), row("b")]) == 1)
        let epoch = try await adapter.epoch()
        #expect(try await listctl("backup", backup).status == 0)
        #expect(try await adapter.performUpdates([]) == 2)
        _ = try await stage.createStored("later")
        let view = try await adapter.by(stage.client).call(
            "OpenView", [String: DBusValue](), returning: ObjectPath.self, String.self, UInt64.self, UInt32.self,
            UInt32.self, [String: DBusValue].self
        ).0
        let closed = EventLog<String>()
        _ = try await stage.client.subscribe(MatchRule(path: view, member: "Closed")) { message in
            if let reason = try? message.decode(as: String.self) { closed.record(reason) }
        }
        let restoring = Task { try await listctl("restore", backup) }
        #expect(try await closed.next() == "shutting-down")
        #expect(await stage.listd.finish() == ListdProcess.Outcome(status: 75))
        let after = try await stages.start()
        #expect(try await restoring.value == (0, ""))
        #expect(try await after.names() == ["mail"])
        let again = try await after.adapter("mail")
        #expect(try await again.objects().rows.map(\.id) == ["a", "b"])
        #expect(try await again.epoch() != epoch)
        let losses = try await after.losses()
        #expect(losses.count == 1, "\(losses)")
        #expect(losses[0].contains("\(stages.file) was restored from another file; at least "))
        #expect(losses[0].contains(" are missing, of “later” (the whole list), “mail” (up to 2 changes)"))
        let kept = try FileManager.default.contentsOfDirectory(atPath: stages.state.path).filter {
            $0.contains(".replaced-")
        }
        #expect(!kept.isEmpty && losses[0].contains("the earlier store is kept as \(stages.state.path)/\(kept[0])"))
        #expect(try await listctl("check").status != 0)
        #expect(try await listctl("losses", "--acknowledge").output.contains("restored from another file"))
        #expect(try await listctl("check").status == 0)
        #expect(try await listctl("losses").output == "")
        await after.stop()
        #expect(try await stages.names() == ["mail"])
    }

    @Test(
        "a file is no backup, damaged, of a newer listd or not readable → InvalidArgs, and nothing changes",
        .rule("DU-10"))
    func refused() async throws {
        try await stages.run { stage in
            let many = (0..<400).map { Row("\($0)", "t", ["v": .string(String(repeating: "x", count: 100))]) }
            _ = try await stage.createStored("mail").performUpdates(many)
            #expect(try await listctl("backup", backup).status == 0)
            let whole = try #require(FileManager.default.contents(atPath: backup))
            var foreign = whole
            foreign[71] ^= 1
            var newer = whole
            newer[63] = 5
            var changed = whole
            let place = try #require(whole.range(of: Data(String(repeating: "x", count: 90).utf8)))
            changed[place.lowerBound + 5] = 0x79
            let bad: [(Data, String)] = [
                (Data("nonsense".utf8), "not a backup of listd"), (foreign, "not a backup of listd"),
                (newer, "from a newer listd: it has version 5"),
                (whole.prefix(whole.count / 2), "the backup is damaged"),
                (changed, "the backup is damaged"),
            ]
            for (bytes, reason) in bad {
                try bytes.write(to: URL(fileURLWithPath: backup))
                let error = await #expect(throws: DBusError.self) { try await restore(backup, on: stage) }
                #expect(error?.standard == .invalidArgs && error?.message.contains(reason) == true, "\(reason)")
            }
            for (path, flags) in [("/dev/null", O_RDONLY), ("/tmp", O_RDONLY), (backup, O_WRONLY)] {
                let error = await #expect(throws: DBusError.self) { try await restore(path, flags, on: stage) }
                #expect(error?.standard == .invalidArgs, "\(path)")
            }
            #expect(try await stage.adapter("mail").objects().rows.count == 400)
            let names = try FileManager.default.contentsOfDirectory(atPath: stages.state.path)
            #expect(Set(names) == ["listd.db", "listd.db-wal", "listd.db-reserve", "store.mark"], "\(names)")
        }
        let bare = try await Stage(on: stages.bus)
        let error = await #expect(throws: DBusError.self) { try await restore(backup, on: bare) }
        #expect(error?.name == Listd.error("StoreFailed"))
        #expect(try await bare.losses().isEmpty)
        try await bare.manager.call("AcknowledgeLosses")
        await bare.stop()
    }

    @Test("listd is killed between the answer and its end → the next start has the backup, whole", .rule("DU-10"))
    func killed() async throws {
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        _ = try await adapter.performUpdates([row("a")])
        #expect(try await listctl("backup", backup).status == 0)
        _ = try await adapter.performUpdates([row("b")])
        try await restore(backup, on: stage)
        await stage.kill()
        try await stages.run { stage async throws in
            #expect(try await stage.adapter("mail").objects().rows.map(\.id) == ["a"])
            #expect(try await stage.losses().count == 1)
        }
    }

    @Test(
        "the disk of the state is full → a backup goes to another disk", .rule("DU-11"),
        .enabled(if: SmallDisk.isPossible, "mounting is not allowed here"))
    func fullDisk() async throws {
        let disk = try SmallDisk(at: stages.state.path)
        defer { disk.remove() }
        let stage = try await stages.start()
        _ = try await stage.createStored("mail").performUpdates([row("a")])
        disk.fill()
        #expect(try await listctl("backup", backup).status == 0)
        await stage.stop()
        disk.remove()
    }

    @Test("a newer listd has written the store → exit status 78, and the version in the log", .rule("DU-09"))
    func newer() async throws {
        _ = try await stages.run { stage in try await stage.createStored("mail") }
        let change = try await ChildProcess.run("/usr/bin/sqlite3", [stages.file, "PRAGMA user_version = 5"])
        try #require(change.status == 0)
        let (outcome, text) = try await ListdProcess.run(
            bus: stages.bus.address, arguments: ["--state", stages.state.path])
        #expect(outcome == ListdProcess.Outcome(status: 78))
        #expect(text.contains("has version 5, but this listd knows versions up to 4"), "\(text)")
    }
}
