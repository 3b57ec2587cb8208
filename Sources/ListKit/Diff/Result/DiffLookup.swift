// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A lookup of the old and new indexes of identifiers. Its tables are built at the first query.
protocol DiffLookup: AnyObject, Sendable {
    /// Returns the last old index of an identifier; nil if the old list has no such identifier.
    func oldIndex(of identifier: AnyHashable) -> Int?

    /// Returns the last new index of an identifier; nil if the new list has no such identifier.
    func newIndex(of identifier: AnyHashable) -> Int?

    /// Returns the last old index at which the identifier equals that of the element at an old index.
    func lastOldIndex(sameAsOld index: Int) -> Int?

    /// Returns the last new index at which the identifier equals that of the element at an old index; nil if there is
    /// no such index.
    func lastNewIndex(sameAsOld index: Int) -> Int?
}

/// A lookup of identifiers of one type.
final class IdentifierLookup<Identifier: Hashable & Sendable>: DiffLookup {
    /// Returns all new identifiers for `true`, and all old ones for `false`.
    private let identifiers: @Sendable (_ isNew: Bool) -> [Identifier]
    private let tables = Mutex<Tables?>(nil)

    /// The tables, which are built at the first query.
    private struct Tables {
        let identifiers: [Identifier]
        let old: [Identifier: Int]
        let new: [Identifier: Int]
    }

    init(_ identifiers: @escaping @Sendable (_ isNew: Bool) -> [Identifier]) { self.identifiers = identifiers }

    func oldIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withTables { $0.old[key] } }
    }

    func newIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withTables { $0.new[key] } }
    }

    func lastOldIndex(sameAsOld index: Int) -> Int? { withTables { $0.old[$0.identifiers[index]] } }

    func lastNewIndex(sameAsOld index: Int) -> Int? { withTables { $0.new[$0.identifiers[index]] } }

    private func withTables<Result: Sendable>(_ body: (Tables) -> Result) -> Result {
        tables.withLock { tables in
            let built = tables ?? makeTables()
            tables = built
            return body(built)
        }
    }

    private func makeTables() -> Tables {
        let old = identifiers(false)
        return Tables(
            identifiers: old, old: IdentifierLookup.lastIndexes(of: old),
            new: IdentifierLookup.lastIndexes(of: identifiers(true)))
    }

    private static func lastIndexes(of identifiers: [Identifier]) -> [Identifier: Int] {
        var indexes: [Identifier: Int] = [:]
        indexes.reserveCapacity(identifiers.count)
        for (index, identifier) in identifiers.enumerated() { indexes[identifier] = index }
        return indexes
    }
}
