// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The lookup over identifiers of objects.
final class ObjectLookup: DiffLookup {
    private let old: [ListObject]
    private let new: [ListObject]
    private let lookup = Mutex<IdentifierLookup<String>?>(nil)

    init(old: [ListObject], new: [ListObject]) {
        self.old = old
        self.new = new
    }

    func oldIndex(of identifier: AnyHashable) -> Int? { built.oldIndex(of: identifier) }

    func newIndex(of identifier: AnyHashable) -> Int? { built.newIndex(of: identifier) }

    func lastOldIndex(sameAsOld index: Int) -> Int? { built.lastOldIndex(sameAsOld: index) }

    func lastNewIndex(sameAsOld index: Int) -> Int? { built.lastNewIndex(sameAsOld: index) }

    /// Strings are only made when somebody asks.
    private var built: IdentifierLookup<String> {
        lookup.withLock { lookup in
            let built = lookup ?? IdentifierLookup(old: old.map(\.id), new: new.map(\.id))
            lookup = built
            return built
        }
    }
}
