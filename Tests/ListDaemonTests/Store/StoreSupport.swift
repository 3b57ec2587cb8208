// SPDX-License-Identifier: Apache-2.0

import ListDaemon
@_spi(Daemon) import ListKit
import TestSupport

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

extension SQLiteStore {
    /// SQL that turns a file of the current version into a file of the first version.
    static let firstVersion = """
        DROP TABLE run; DROP TABLE loss; ALTER TABLE change DROP COLUMN digest;
        ALTER TABLE adapter DROP COLUMN written; ALTER TABLE adapter DROP COLUMN contents;
        ALTER TABLE adapter DROP COLUMN places; ALTER TABLE adapter DROP COLUMN log;
        ALTER TABLE adapter DROP COLUMN digest; ALTER TABLE adapter DROP COLUMN removed; ALTER TABLE adapter DROP COLUMN cursor;
        ALTER TABLE adapter DROP COLUMN "limit"; ALTER TABLE adapter DROP COLUMN configured; PRAGMA user_version = 1
        """

    /// Writes a change and waits for the answer.
    func write(_ change: StoreChange, durability: Durability = .disk) async throws(ListError) {
        let outcome: Result<Void, ListError> = await withCheckedContinuation { continuation in
            write(change, durability: durability) { continuation.resume(returning: $0) }
        }
        try outcome.get()
    }
}

extension OpenedStore {
    /// The sentences of the losses.
    var lost: [String] { losses.map(\.text) }
    /// The names of the lists.
    var names: [String] { adapters.map(\.adapter.name) }
}

/// Returns a stored adapter with default options.
func adapter(_ name: String, epoch: String = "e1") -> StoredAdapter {
    StoredAdapter(name: name, epoch: epoch, owner: 1000, options: ["layout": "none", "name": .string(name)])
}

extension Change {
    /// Makes a change that replaces all objects.
    static func replace(_ objects: [ListObject]) -> Change {
        var change = Change()
        change.list = objects
        return change
    }

    /// Makes a change without positions, which the store does not read. Each placed object is inserted or moved after
    /// its predecessor.
    static func changes(
        removed: [ListObject] = [], updated: [ListObject] = [],
        placed: [(object: ListObject, after: ListObject?)] = []
    ) -> Change {
        var change = Change()
        change.removed = removed.map { (0, $0) }
        change.updated = updated.map { (0, nil, $0) }
        change.inserted = placed.map { (0, $0, $1) }
        return change
    }
}

extension StoreChange {
    /// Returns an update without a log entry. With a limit of `nil`, no later revisions are reserved.
    static func update(_ name: String, _ revision: UInt64, _ change: Change, limit: UInt64? = nil) -> StoreChange {
        .update(
            name: name, StoreWrite(change, oldestRevision: 0, revision: revision, limit: limit ?? revision))
    }

    /// Returns the reservation of the revisions up to a limit.
    static func reserve(_ name: String, at revision: UInt64, limit: UInt64) -> StoreChange {
        .update(name: name, StoreWrite(Change(), oldestRevision: 0, revision: revision, limit: limit))
    }

    /// Returns the last write of a run.
    static func endRun(
        _ name: String, at revision: UInt64, log: [Transaction] = [], oldest: UInt64 = 0
    ) -> StoreChange {
        .update(name: name, StoreWrite(log: log, oldestRevision: oldest, revision: revision, limit: revision))
    }
}

/// A plain model of a stored list.
struct ModelList {
    var objects: [ListObject] = []
    var revision: UInt64 = 0

    mutating func apply(_ change: Change) {
        revision += 1
        if let objects = change.whole {
            self.objects = objects
            return
        }
        let gone = Set(change.removed.compactMap(\.object?.id) + change.placed.map(\.object.id))
        objects.removeAll { gone.contains($0.id) }
        for object in change.updatedInPlace {
            for index in objects.indices where objects[index].id == object.id { objects[index] = object }
        }
        for (object, predecessor) in change.placed {
            let before = predecessor.flatMap { before in objects.firstIndex { $0.id == before.id } }
            objects.insert(object, at: before.map { $0 + 1 } ?? 0)
        }
    }

    /// Returns a random change that is valid for the list.
    func transaction(_ random: inout SeededRandom) throws -> Change {
        if random.chance(oneIn: 20) {
            return .replace(try (0..<Int.random(in: 0..<30, using: &random)).map { try object("i\($0)", $0) })
        }
        var rest = objects
        var (removed, updated): ([ListObject], [ListObject]) = ([], [])
        for _ in 0..<Int.random(in: 0..<4, using: &random) where !rest.isEmpty {
            removed.append(rest.remove(at: Int.random(in: 0..<rest.count, using: &random)))
        }
        for _ in 0..<Int.random(in: 0..<3, using: &random) where !rest.isEmpty {
            let index = Int.random(in: 0..<rest.count, using: &random)
            let changed = try object(rest[index].id, Int.random(in: 0..<99, using: &random))
            guard !updated.contains(where: { $0.id == changed.id }) else { continue }
            rest[index] = changed
            updated.append(changed)
        }
        // New and moved objects, in their final order.
        var places: Set<String> = []
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            let isMove = Bool.random(using: &random) && !rest.isEmpty
            let moved = isMove ? rest.remove(at: Int.random(in: 0..<rest.count, using: &random)) : nil
            let new = try moved ?? object("n\(UInt64.random(in: 0 ... .max, using: &random))", 1)
            places.insert(new.id)
            rest.insert(new, at: Int.random(in: 0...rest.count, using: &random))
        }
        let placed = rest.enumerated().filter { places.contains($1.id) }
            .map { ($1, after: $0 > 0 ? rest[$0 - 1] : nil) }
        return .changes(removed: removed, updated: updated.filter { !places.contains($0.id) }, placed: placed)
    }
}

/// Returns a reload that leads to a revision.
func transaction(_ revision: UInt64) -> Transaction {
    Transaction(
        baseRevision: revision - 1, revision: revision, kind: .reload, animated: false, sectionCount: 1, itemCount: 1)
}
