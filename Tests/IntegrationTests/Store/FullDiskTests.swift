// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite(
    "A daemon on a full disk", .timeLimit(.minutes(2)),
    .enabled(if: SmallDisk.isPossible, "mounting is not allowed here"))
@DBusActor
struct FullDiskTests {
    private func largeUpsert(_ id: String) -> Upsert {
        Upsert(id, "t", "last", "", ["v": .string(String(repeating: "x", count: 300_000))])
    }

    @Test(
        "the disk is full → StoreFailed, and nothing is applied; space is available again → the same call succeeds",
        .rule("DU-04"))
    func fullDisk() async throws {
        let stages = try StoreStage()
        let disk = try SmallDisk(at: stages.state.path, options: "size=2m")
        defer { disk.remove() }
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.applyChanges([Upsert("a", "t", "last", "", [:])]) == 1)
        let updates = EventLog<UInt64>()
        _ = try await stage.client.subscribe(MatchRule(path: adapter.path, member: "Updated")) { message in
            if let update = try? UpdatedSignal(message), update.kind != "announce" { updates.record(update.revision) }
        }
        disk.fill()
        for _ in 0..<3 {
            let error = await #expect(throws: DBusError.self) { try await adapter.applyChanges([largeUpsert("b")]) }
            #expect(error?.name == Listd.error("StoreFailed"))
        }
        let state = try await adapter.objects()
        #expect(state.revision == 1 && state.rows.map(\.id) == ["a"])
        // Lists with durability memory are not affected.
        let memory = try await stage.createAdapter("memory")
        #expect(try await memory.applyChanges([largeUpsert("m")]) == 1)
        disk.removeFiller()
        #expect(try await adapter.applyChanges([largeUpsert("b")]) == 2)
        #expect(updates.recorded == [2])
        await stage.kill()
        try await stages.run { stage in
            let state = try await stage.adapter("mail").objects()
            #expect(state.revision == 2 && state.rows.map(\.id) == ["a", "b"])
        }
    }

    @Test(
        "the disk is full → a list can be removed, and the freed space is available to other lists",
        arguments: [false, true])
    func removal(isRestarted: Bool) async throws {
        let stages = try StoreStage()
        let disk = try SmallDisk(at: stages.state.path, options: "size=24m")
        defer { disk.remove() }
        var stage = try await stages.start()
        for name in ["large", "mail"] { _ = try await stage.createStored(name) }
        let small = (0..<500).map { Row("s\($0)", "t", ["v": .uint64(UInt64($0))]) }
        _ = try await stage.adapter("large").performUpdates(small)
        for number in 0..<10 { _ = try await stage.adapter("large").applyChanges([largeUpsert("\(number)")]) }
        disk.fill()
        if isRestarted {
            // A killed listd leaves the write-ahead log as it is.
            await stage.kill()
            stage = try await stages.start()
            disk.fill(withFile: "more")
        }
        let adapter = try await stage.adapter("mail")
        var error = await #expect(throws: DBusError.self) { try await adapter.applyChanges([largeUpsert("b")]) }
        #expect(error?.name == Listd.error("StoreFailed"))
        try await stage.manager.call("RemoveAdapter", "large")
        #expect(try await stage.names() == ["mail"])
        for number in 0..<3 { _ = try await adapter.applyChanges([largeUpsert("\(number)")]) }
        await stage.kill()
        stage = try await stages.start()
        #expect(try await stage.names() == ["mail"])
        #expect(try await stage.adapter("mail").objects().rows.map(\.id) == ["0", "1", "2"])
        // A second removal works too, because the store has reserved disk space again.
        disk.fill(withFile: "last")
        error = nil
        try await stage.manager.call("RemoveAdapter", "mail")
        #expect(try await stage.names().isEmpty)
        #expect(await stage.stop() == ListdProcess.Outcome(status: 0))
    }

    @Test("the state directory is read-only at startup → listd exits with code 74 and logs the reason")
    func readOnly() async throws {
        let stages = try StoreStage()
        let disk = try SmallDisk(at: stages.state.path, isReadOnly: true)
        defer { disk.remove() }
        let (outcome, text) = try await ListdProcess.run(
            bus: stages.bus.address, arguments: ["--state", stages.state.path])
        #expect(outcome == ListdProcess.Outcome(status: 74))
        #expect(text.contains("the store in \(stages.state.path) cannot be opened"))
    }
}
