// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
import TestSupport

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

extension SQLiteStore {
    /// SQL that turns a file of the current version into a file of the first version.
    static let firstVersion = """
        DROP TABLE run; ALTER TABLE adapter DROP COLUMN removed; ALTER TABLE adapter DROP COLUMN cursor;
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

/// Returns a stored adapter with default options.
func adapter(_ name: String, epoch: String = "e1") -> StoredAdapter {
    StoredAdapter(name: name, epoch: epoch, owner: 1000, options: ["layout": "none", "name": .string(name)])
}

extension StoreChange {
    /// Returns an update without a log entry. With a limit of `nil`, no later revisions are reserved.
    static func update(
        _ name: String, _ revision: UInt64, _ content: PreparedTransaction.Content, limit: UInt64? = nil
    ) -> StoreChange {
        .update(
            name: name, PreparedTransaction(baseRevision: revision - 1, revision: revision, content: content), log: [],
            forgetBefore: 0, limit: limit ?? revision, cursor: nil)
    }
}

/// A plain model of a stored list.
struct ModelList {
    var objects: [ListObject] = []
    var revision: UInt64 = 0

    mutating func apply(_ content: PreparedTransaction.Content) {
        revision += 1
        switch content {
        case .replace(let objects): self.objects = objects
        case .changes(let changes):
            let gone = Set(changes.removed + changes.placed.map(\.object.id))
            objects.removeAll { gone.contains($0.id) }
            for object in changes.updated {
                for index in objects.indices where objects[index].id == object.id { objects[index] = object }
            }
            for placement in changes.placed {
                let before = placement.predecessor.flatMap { id in objects.firstIndex { $0.id == id } }
                objects.insert(placement.object, at: before.map { $0 + 1 } ?? 0)
            }
        }
    }

    /// Returns a random transaction that is valid for the list.
    func transaction(_ random: inout SeededRandom) throws -> PreparedTransaction.Content {
        if random.chance(oneIn: 20) {
            return .replace(try (0..<Int.random(in: 0..<30, using: &random)).map { try object("i\($0)", $0) })
        }
        var rest = objects
        var changes = PreparedTransaction.Changes()
        for _ in 0..<Int.random(in: 0..<4, using: &random) where !rest.isEmpty {
            changes.removed.append(rest.remove(at: Int.random(in: 0..<rest.count, using: &random)).id)
        }
        for _ in 0..<Int.random(in: 0..<3, using: &random) where !rest.isEmpty {
            let index = Int.random(in: 0..<rest.count, using: &random)
            let changed = try object(rest[index].id, Int.random(in: 0..<99, using: &random))
            guard !changes.updated.contains(where: { $0.id == changed.id }) else { continue }
            rest[index] = changed
            changes.updated.append(changed)
        }
        return .changes(try placing(in: rest, changes, &random))
    }

    /// Adds new and moved objects to the changes, in final order.
    private func placing(
        in rest: [ListObject], _ changes: PreparedTransaction.Changes, _ random: inout SeededRandom
    ) throws -> PreparedTransaction.Changes {
        var (rest, changes) = (rest, changes)
        var placed: Set<String> = []
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            let isMove = Bool.random(using: &random) && !rest.isEmpty
            let moved = isMove ? rest.remove(at: Int.random(in: 0..<rest.count, using: &random)) : nil
            let new = try moved ?? object("n\(UInt64.random(in: 0 ... .max, using: &random))", 1)
            placed.insert(new.id)
            rest.insert(new, at: Int.random(in: 0...rest.count, using: &random))
        }
        for (index, object) in rest.enumerated() where placed.contains(object.id) {
            changes.placed.append(.init(object: object, predecessor: index > 0 ? rest[index - 1].id : nil))
        }
        changes.updated.removeAll { placed.contains($0.id) }
        return changes
    }
}
