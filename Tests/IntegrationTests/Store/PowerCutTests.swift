// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("A daemon that starts after a power failure", .timeLimit(.minutes(2)))
@DBusActor
struct PowerCutTests {
    private func write(_ count: Int, to adapter: TestAdapter) async throws -> UInt64 {
        var revision: UInt64 = 0
        for number in 0..<count {
            let row = Upsert("\(number)", "t", "last", "", ["v": .string(UUID().uuidString)])
            revision = try await adapter.applyChanges([row])
        }
        return revision
    }

    private func epochs(_ stage: Stage) async throws -> [String: String] {
        var epochs: [String: String] = [:]
        for name in ["disk", "fsync"] { epochs[name] = try await stage.adapter(name).epoch() }
        return epochs
    }

    @Test(
        "listd starts with copies of earlier files → all lists get new epochs, and the loss says what is missing",
        .rule("DU-08"))
    func olderFiles() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(boot: "first")
        for name in ["disk", "fsync"] {
            _ = try await write(3, to: try await stage.createStored(name, durability: name))
        }
        let before = try await epochs(stage)
        let older = try stages.copyFiles()
        #expect(try await write(6, to: try await stage.adapter("disk")) > 3)
        await stage.kill()
        try stages.putBack(older)
        let after = try await stages.start(boot: "second")
        let epochs = try await epochs(after)
        #expect(epochs["disk"] != before["disk"] && epochs["fsync"] != before["fsync"])
        #expect(try await after.losses().count == 1)
        #expect(try await after.adapter("disk").objects().revision == 3)
        await after.kill()
        // Everything on the disk is synced by now, so a power cut could lose nothing.
        try await stages.run(boot: "second") { stage async throws in
            #expect(try await self.epochs(stage) == epochs)
        }
        try await stages.run(boot: "third") { stage async throws in #expect(try await self.epochs(stage) == epochs) }
    }

    @Test(
        "the disk loses power → fsync lists have every answered write, and disk lists get a new epoch",
        .rule("DU-01"),
        .enabled(if: LoopDisk.isPossible, "file systems in files cannot be mounted here"), arguments: 0..<3)
    func powerCut(round: Int) async throws {
        let stages = try StoreStage()
        let disk = try LoopDisk()
        defer { disk.remove() }
        stages.directory = disk.path + "/state"
        if round > 0 {
            // An earlier run of listd creates the lists and exits cleanly.
            try await stages.run(boot: "zeroth") { stage async throws in
                for name in ["disk", "fsync"] {
                    _ = try await write(2, to: try await stage.createStored(name, durability: name))
                }
            }
        }
        let stage = try await stages.start(boot: "first")
        if round == 0 {
            for name in ["disk", "fsync"] { _ = try await stage.createStored(name, durability: name) }
        }
        let before = try await epochs(stage)
        let answered = try await write(5, to: try await stage.adapter("fsync"))
        let later = try await write(20, to: try await stage.adapter("disk"))
        let left = try disk.diskAfterPowerFailure()
        defer { left.remove() }
        await stage.kill()
        stages.directory = left.path + "/state"
        let after = try await stages.start(boot: "second")
        #expect(try await after.adapter("fsync").objects().revision == answered)
        #expect(try await after.adapter("fsync").epoch() == before["fsync"])
        let adapter = try await after.adapter("disk")
        #expect(try await adapter.epoch() != before["disk"])
        #expect(try await adapter.objects().revision <= later)
        #expect(!after.listd.standardError.contains("lost: "), "\(after.listd.standardError)")
        #expect(try await after.losses().map { $0.hasPrefix("the machine went down while listd ran") } == [true])
        await after.stop()
    }

    @Test(
        "listd is killed and starts in the same boot, or exits and starts in another boot → lists keep their epochs")
    func sameBoot() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start(boot: "first")
        for name in ["disk", "fsync"] {
            _ = try await write(3, to: try await stage.createStored(name, durability: name))
        }
        let before = try await epochs(stage)
        await stage.kill()
        for boot in ["first", "second"] {
            try await stages.run(boot: boot) { stage async throws in #expect(try await self.epochs(stage) == before) }
        }
    }
}
