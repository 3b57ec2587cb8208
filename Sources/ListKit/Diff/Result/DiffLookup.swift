// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where identifiers are, before and after an update; built when the first question comes.
protocol DiffLookup: AnyObject, Sendable {
    /// The last index before the update, nil for an identifier of another type too.
    func oldIndex(of identifier: AnyHashable) -> Int?

    /// The last index after the update, nil for an identifier of another type too.
    func newIndex(of identifier: AnyHashable) -> Int?

    /// The last index before the update of whatever was at an index then.
    func lastOldIndex(sameAsOld index: Int) -> Int?

    /// The last index after the update of whatever was at an index before.
    func lastNewIndex(sameAsOld index: Int) -> Int?
}

/// The lookup over identifiers of one type.
final class IdentifierLookup<Identifier: Hashable & Sendable>: DiffLookup {
    private let old: [Identifier]
    private let new: [Identifier]
    private let maps = Mutex<(old: [Identifier: Int], new: [Identifier: Int])?>(nil)

    init(old: [Identifier], new: [Identifier]) {
        self.old = old
        self.new = new
    }

    func oldIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withMaps { $0.old[key] } }
    }

    func newIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withMaps { $0.new[key] } }
    }

    func lastOldIndex(sameAsOld index: Int) -> Int? { withMaps { $0.old[old[index]] } }

    func lastNewIndex(sameAsOld index: Int) -> Int? { withMaps { $0.new[old[index]] } }

    private func withMaps<Result: Sendable>(
        _ body: ((old: [Identifier: Int], new: [Identifier: Int])) -> Result
    ) -> Result {
        maps.withLock { maps in
            let built = maps ?? (IdentifierLookup.lastIndexes(of: old), IdentifierLookup.lastIndexes(of: new))
            maps = built
            return body(built)
        }
    }

    private static func lastIndexes(of identifiers: [Identifier]) -> [Identifier: Int] {
        var indexes: [Identifier: Int] = [:]
        indexes.reserveCapacity(identifiers.count)
        for (index, identifier) in identifiers.enumerated() { indexes[identifier] = index }
        return indexes
    }
}
