// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Backup and check", .timeLimit(.minutes(5)))
@DBusActor
struct BackupTests {
    private func listctl(_ arguments: String..., on stages: StoreStage) async throws -> (Int32, String) {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = runner.deletingLastPathComponent().appending(path: "listctl").path
        let result = try await Script(program: program).run(["--bus", stages.bus.address] + arguments)
        return (result.status, result.output)
    }

    @Test("listctl backup runs while lists change → another listd starts from the backup, and listctl check succeeds")
    func backup() async throws {
        let stages = try StoreStage()
        let second = try StoreStage()
        let epoch = try await stages.run { stage in
            let adapter = try await stage.createStored("mail")
            let many = (0..<3000).map { Row("\($0)", "t", ["v": .string(String(repeating: "x", count: 100))]) }
            _ = try await adapter.performUpdates(many)
            let isCopied = Countdown(1)
            let writing = Task { @DBusActor in
                var count: UInt64 = 0
                while !isCopied.isOver {
                    count = try await adapter.applyChanges([Upsert("n", "t", "keep", "", ["v": .uint64(count)])])
                }
                return count
            }
            let (status, output) = try await listctl("backup", second.file, on: stages)
            #expect(status == 0, "\(output)")
            isCopied.countDown()
            #expect(try await writing.value > 1)
            // An existing file is not overwritten.
            #expect(try await listctl("backup", second.file, on: stages).0 != 0)
            let check = try await listctl("check", on: stages)
            #expect(check.0 == 0 && check.1.contains("integrity ok"), "\(check.1)")
            return try await adapter.epoch()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: stages.state.path)
        #expect(Set(files) == ["listd.db", "listd.db-reserve", "store.mark"])
        try await second.run { stage in
            let adapter = try await stage.adapter("mail")
            #expect(try await adapter.objects().rows.count >= 3000)
            // The epoch is new, because clients may know revisions that are newer than the backup.
            #expect(try await adapter.epoch() != epoch)
        }
    }

    @Test(
        "a backup's target is a device, a directory or not writable → InvalidArgs; listd has no store → StoreFailed"
    )
    func refused() async throws {
        let stages = try StoreStage()
        try await stages.run { stage in
            let file = stages.state.path + "/file"
            try "text".write(toFile: file, atomically: true, encoding: .utf8)
            for (path, flags) in [
                ("/dev/null", O_RDWR), ("/tmp", O_RDONLY), (file, O_RDONLY), (file, O_WRONLY),
                (file, O_RDWR | O_APPEND),
            ] {
                let file = FileDescriptor(adopting: unsafe open(path, flags | O_CLOEXEC))
                let error = await #expect(throws: DBusError.self) { try await stage.manager.call("Backup", file) }
                #expect(error?.standard == .invalidArgs, "\(path)")
            }
        }
        let bare = try await Stage(on: stages.bus)
        let file = FileDescriptor(adopting: unsafe open(stages.file, O_RDWR | O_CLOEXEC))
        let error = await #expect(throws: DBusError.self) { try await bare.manager.call("Backup", file) }
        #expect(error?.name == Listd.error("StoreFailed"))
        #expect(try await listctl("check", on: stages).0 != 0)
        await bare.stop()
    }
}
