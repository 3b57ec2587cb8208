// SPDX-License-Identifier: Apache-2.0

/// The sort key of an entry: below its directory, and there directories first, then by name without regard to case.
struct EntryOrder: Comparable, Hashable, Sendable {
    /// For each name of the path what it is, the name folded, and the name; NUL, which no name has, ends both.
    private let key: [UInt8]

    init(_ entry: FileEntry) {
        var key: [UInt8] = []
        let names = entry.path.components
        // There is one for each entry: growing would leave each with twice the room that it needs.
        key.reserveCapacity(2 * entry.path.bytes.count + 2 + names.count)
        for (index, name) in names.enumerated() {
            key.append(index + 1 < names.count || entry.kind == .directory ? 1 : 2)
            key += String(decoding: name, as: UTF8.self).lowercased().utf8
            key.append(0)
            key += name
            key.append(0)
        }
        self.key = key
    }

    static func < (lhs: EntryOrder, rhs: EntryOrder) -> Bool { lhs.key.lexicographicallyPrecedes(rhs.key) }
}
