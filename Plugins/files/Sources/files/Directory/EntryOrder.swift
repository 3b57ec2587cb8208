// SPDX-License-Identifier: Apache-2.0

/// The sort key of an entry. A directory comes before the entries below it. In each directory, subdirectories come
/// first, then names are compared without regard to case.
struct EntryOrder: Comparable, Hashable, Sendable {
    /// For each name of the path: 1 for a directory or 2 for another entry, the lowercased name and the name
    /// itself, each of the two ended by NUL, which no name contains.
    private let key: [UInt8]

    init(_ entry: FileEntry) {
        var key: [UInt8] = []
        let names = entry.path.components
        // Every entry keeps such a key. An array that grows by appending could take twice the memory that it needs.
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
