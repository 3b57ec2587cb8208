// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(
    "A daemon whose files become read-only", .timeLimit(.minutes(2)),
    .enabled(if: FrozenFile.isPossible, "files cannot be frozen here"))
@DBusActor
struct ReadOnlyTests {
    private func upserts(_ id: String) -> [Upsert] { [Upsert(id, "t", "last", "", ["v": .string(id)])] }

    private func backUp(_ stage: Stage, to path: String) async throws {
        let file = FileDescriptor(adopting: unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        try await stage.manager.call("Backup", file)
    }

    @Test(
        "the store's files are read-only → StoreFailed, and nothing is applied; writable again → the same call succeeds"
    )
    func files() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        #expect(try await adapter.applyChanges(upserts("a")) == 1)
        let frozen = try [stages.file, stages.file + "-wal"].map { try FrozenFile($0) }
        defer { for file in frozen { file.thaw() } }
        for _ in 0..<3 {
            let error = await #expect(throws: DBusError.self) { try await adapter.applyChanges(upserts("b")) }
            #expect(error?.name == Listd.error("StoreFailed"))
        }
        let created = await #expect(throws: DBusError.self) { try await stage.createStored("other") }
        #expect(created?.name == Listd.error("StoreFailed"))
        let removed = await #expect(throws: DBusError.self) { try await stage.manager.call("RemoveAdapter", "mail") }
        #expect(removed?.name == Listd.error("StoreFailed"))
        let state = try await adapter.objects()
        #expect(state.revision == 1 && state.rows.map(\.id) == ["a"])
        #expect(try await stage.names() == ["mail"])
        for file in frozen { file.thaw() }
        #expect(try await adapter.applyChanges(upserts("b")) == 2)
        await stage.kill()
        try await stages.run { stage in
            let state = try await stage.adapter("mail").objects()
            #expect(state.revision == 2 && state.rows.map(\.id) == ["a", "b"])
        }
    }

    @Test(
        "the state directory becomes read-only → writes to lists and backups to another directory succeed"
    )
    func directory() async throws {
        let stages = try StoreStage()
        let stage = try await stages.start()
        let adapter = try await stage.createStored("mail")
        let frozen = try FrozenFile(stages.state.path)
        defer { frozen.thaw() }
        #expect(try await adapter.applyChanges(upserts("a")) == 1)
        let target = TemporaryDirectory()
        try await backUp(stage, to: target.path + "/backup")
        frozen.thaw()
        try await backUp(stage, to: target.path + "/backup")
        await stage.kill()
        try await stages.run { stage in
            let state = try await stage.adapter("mail").objects()
            #expect(state.rows.map(\.id) == ["a"])
        }
    }
}
