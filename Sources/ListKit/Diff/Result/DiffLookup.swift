// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The indexes of identifiers, before and after an update; built at the first query.
protocol DiffLookup: AnyObject, Sendable {
    /// The last index before the update, nil for an identifier of another type too.
    func oldIndex(of identifier: AnyHashable) -> Int?

    /// The last index after the update, nil for an identifier of another type too.
    func newIndex(of identifier: AnyHashable) -> Int?

    /// The last old index of the identifier that an element before had at an index.
    func lastOldIndex(sameAsOld index: Int) -> Int?

    /// The last new index of the identifier that an element before had at an index.
    func lastNewIndex(sameAsOld index: Int) -> Int?
}

/// The lookup over identifiers of one type.
final class IdentifierLookup<Identifier: Hashable & Sendable>: DiffLookup {
    /// The identifiers after the update, or those before it.
    private let identifiers: @Sendable (_ isNew: Bool) -> [Identifier]
    private let known = Mutex<Known?>(nil)

    /// What is built when the first question comes.
    private struct Known {
        let identifiers: [Identifier]
        let old: [Identifier: Int]
        let new: [Identifier: Int]
    }

    init(_ identifiers: @escaping @Sendable (_ isNew: Bool) -> [Identifier]) { self.identifiers = identifiers }

    func oldIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withKnown { $0.old[key] } }
    }

    func newIndex(of identifier: AnyHashable) -> Int? {
        (identifier.base as? Identifier).flatMap { key in withKnown { $0.new[key] } }
    }

    func lastOldIndex(sameAsOld index: Int) -> Int? { withKnown { $0.old[$0.identifiers[index]] } }

    func lastNewIndex(sameAsOld index: Int) -> Int? { withKnown { $0.new[$0.identifiers[index]] } }

    private func withKnown<Result: Sendable>(_ body: (Known) -> Result) -> Result {
        known.withLock { known in
            let built = known ?? build()
            known = built
            return body(built)
        }
    }

    private func build() -> Known {
        let old = identifiers(false)
        return Known(
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
