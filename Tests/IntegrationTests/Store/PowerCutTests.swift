import DBus
import Foundation
import TestSupport
import Testing

@Suite("A daemon that starts after a power cut", .timeLimit(.minutes(2)))
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

    @Test("older files in another boot → a disk list has a new epoch, which it keeps; one of fsync goes on")
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
        #expect(epochs["disk"] != before["disk"] && epochs["fsync"] == before["fsync"])
        #expect(try await after.adapter("disk").objects().revision == 3)
        await after.kill()
        // Nothing of the machine's end is left to be feared.
        try await stages.run(boot: "second") { stage async throws in
            #expect(try await self.epochs(stage) == epochs)
        }
        try await stages.run(boot: "third") { stage async throws in #expect(try await self.epochs(stage) == epochs) }
    }

    @Test("killed, and started again in the same boot → all epochs stay; ended well, and in another boot → likewise")
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
