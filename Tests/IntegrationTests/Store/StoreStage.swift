// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc
import TestSupport

/// A bus and a state directory for several listds that run one after the other.
@DBusActor
final class StoreStage {
    /// Statements that make a store one of an earlier version, which has no digests of what was written.
    static let earlierSchema = """
        DROP TABLE loss; ALTER TABLE change DROP COLUMN digest; ALTER TABLE adapter DROP COLUMN written;
        ALTER TABLE adapter DROP COLUMN contents; ALTER TABLE adapter DROP COLUMN places;
        ALTER TABLE adapter DROP COLUMN log; ALTER TABLE adapter DROP COLUMN digest;
        ALTER TABLE run DROP COLUMN mark; ALTER TABLE run DROP COLUMN written; PRAGMA user_version = 3;
        """

    let bus: PrivateBus
    let state: TemporaryDirectory
    /// The state directory that listd uses instead of `state`; `nil` = `state`.
    var directory: String?

    nonisolated init(state: TemporaryDirectory = TemporaryDirectory()) throws {
        bus = try PrivateBus()
        self.state = state
    }

    /// The file of the store.
    var file: String { state.path + "/listd.db" }

    /// Starts listd, which restores the stored lists.
    ///
    /// - Parameter boot: the boot id that listd sees; `nil` = the real one.
    func start(files: [String: String] = [:], boot: String? = nil) async throws -> Stage {
        try await Stage(
            on: bus, arguments: ["--state", directory ?? state.path], files: files,
            environment: boot.map { ["LISTD_BOOT_ID": $0] } ?? [:])
    }

    /// Copies all files of the state directory in their present state.
    func copyFiles() throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
            try FileManager.default.copyItem(atPath: state.path + "/" + name, toPath: copy.path + "/" + name)
        }
        return copy
    }

    /// Replaces the files of the state directory by a copy.
    func putBack(_ copy: TemporaryDirectory) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: state.path) {
            try FileManager.default.removeItem(atPath: state.path + "/" + name)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: copy.path) {
            try FileManager.default.copyItem(atPath: copy.path + "/" + name, toPath: state.path + "/" + name)
        }
    }

    /// Moves the store's file away, so that the store refuses every change until ``restoreFile()``.
    func hideFile() throws { try FileManager.default.moveItem(atPath: file, toPath: file + ".hidden") }

    /// Moves the store's file back.
    func restoreFile() throws { try FileManager.default.moveItem(atPath: file + ".hidden", toPath: file) }

    /// Runs listd for as long as `body` takes, and stops it as systemd does.
    func run<Result>(
        files: [String: String] = [:], boot: String? = nil, _ body: @DBusActor (Stage) async throws -> Result
    ) async throws -> Result {
        let stage = try await start(files: files, boot: boot)
        let result = try await body(stage)
        guard await stage.stop() == ListdProcess.Outcome(status: 0) else {
            throw ListdProcess.Failure("listd did not exit with status 0: \(stage.listd.standardError)")
        }
        return result
    }

    /// Returns the names of the lists that listd restores.
    func names(files: [String: String] = [:]) async throws -> Set<String> {
        try await run(files: files) { stage in try await stage.names() }
    }
}

extension Stage {
    /// Kills the daemon without a warning.
    func kill() async {
        listd.send(SIGKILL)
        _ = await listd.finish()
    }

    /// Returns the names of all lists.
    func names() async throws -> Set<String> {
        typealias Entry = DBusStruct<String, ObjectPath, [String: DBusValue]>
        return Set(try await manager.call("ListAdapters", returning: [Entry].self).map { $0.members.0 })
    }

    /// Returns the sentences of the losses that nobody has acknowledged.
    func losses() async throws -> [String] {
        try await manager.property("Losses", as: [DBusStruct<UInt64, String>].self).map { $0.members.1 }
    }

    /// Returns an existing list.
    func adapter(_ name: String) async throws -> TestAdapter {
        TestAdapter(stage: self, path: try await manager.call("GetAdapter", name, returning: ObjectPath.self))
    }

    /// Creates a stored list.
    func createStored(_ name: String, durability: String = "disk") async throws -> TestAdapter {
        try await createAdapter(name, ["durability": .string(durability)])
    }
}

extension TestAdapter {
    private var remote: RemoteObject { by(stage.client) }

    func epoch() async throws -> String { try await remote.property("Epoch", as: String.self) }

    func oldestRevision() async throws -> UInt64 { try await remote.property("OldestRevision", as: UInt64.self) }

    func moveObject(_ id: String, _ position: String, _ anchor: String) async throws -> UInt64 {
        try await remote.call("MoveObject", UInt64(0), id, position, anchor, returning: UInt64.self)
    }

    func patchObject(_ id: String, _ fields: [String: DBusValue]) async throws -> UInt64 {
        try await remote.call("PatchObject", UInt64(0), id, fields, [String](), returning: UInt64.self)
    }

    /// Returns the changes since a revision, in as many calls as needed.
    func changes(since start: UInt64) async throws -> [UpdatedSignal] {
        typealias Batch = DBusStruct<
            UInt64, UInt64, String, UInt32, UInt32, UpdatedSignal.Sections, UpdatedSignal.Items
        >
        var updates: [UpdatedSignal] = []
        var known = start
        while true {
            let (revision, batches) = try await remote.call(
                "GetChanges", "", known, returning: UInt64.self, [Batch].self)
            for batch in batches {
                let (base, revision, kind, sectionCount, itemCount, sections, items) = batch.members
                updates.append(
                    UpdatedSignal(
                        base: base, revision: revision, kind: kind, sectionCount: sectionCount, itemCount: itemCount,
                        sections: sections, items: items))
                known = revision
            }
            if known == revision || batches.isEmpty { return updates }
        }
    }
}

extension ListMirror {
    /// Returns the mirror after all changes of the list since the mirror's revision.
    ///
    /// - Parameter isKilled: whether the daemon may have been killed since the mirror's revision. If the daemon then
    ///   no longer has the changes, the mirror is read anew.
    /// - Throws: `Mismatch` if the changes do not lead to the list's present objects.
    @DBusActor
    func caughtUp(with adapter: TestAdapter, isKilled: Bool = false) async throws -> ListMirror {
        if isKilled, try await adapter.oldestRevision() > revision { return ListMirror(try await adapter.objects()) }
        let updates = try await adapter.changes(since: revision)
        var mirror = self
        try mirror.apply(updates, leadingTo: try await adapter.objects())
        return mirror
    }
}

extension UpdatedSignal {
    /// Creates a transaction as `GetChanges` returns it.
    init(
        base: UInt64, revision: UInt64, kind: String, sectionCount: UInt32, itemCount: UInt32, sections: Sections,
        items: Items
    ) {
        epoch = ""
        isFlat = false
        self.base = base
        self.revision = revision
        self.kind = kind
        animated = false
        (self.sectionCount, self.itemCount) = (sectionCount, itemCount)
        self.sections = sections
        self.items = items
    }
}
