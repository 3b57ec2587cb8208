// SPDX-License-Identifier: Apache-2.0

package import ListKit

extension StoredChange {
    /// Encodes a transaction: its numbers as little-endian words of 32 bits, each kind of change after the number of
    /// its elements.
    package init(_ transaction: Transaction) {
        var words: [UInt32] = [
            transaction.kind == .reload ? 1 : 0, transaction.animated ? 1 : 0,
            UInt32(clamping: transaction.sectionCount), UInt32(clamping: transaction.itemCount),
        ]
        func add<Element>(_ elements: [Element], _ numbers: (Element) -> [UInt32]) {
            words.append(UInt32(clamping: elements.count))
            for element in elements { words += numbers(element) }
        }
        add(transaction.sections.deletes) { [$0.first, $0.length] }
        add(transaction.sections.inserts) { [$0.first, $0.length] }
        add(transaction.sections.moves) { [$0.old, $0.new] }
        add(transaction.sections.reloads) { [$0.first, $0.length] }
        add(transaction.items.deletes) { [$0.section, $0.item] }
        add(transaction.items.inserts) { [$0.section, $0.item] }
        add(transaction.items.moves) { [$0.old.section, $0.old.item, $0.new.section, $0.new.item] }
        add(transaction.items.reloads) { [$0.section, $0.item] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(words.count * 4)
        for word in words {
            for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(word >> shift & 0xFF)) }
        }
        self.init(revision: transaction.revision, bytes: bytes)
    }

    /// The decoded transaction; nil when the bytes are not a valid encoding.
    package var transaction: Transaction? {
        var words = StoredWords(bytes)
        guard revision > 0, let kind = words.readWord(), let animated = words.readWord(),
            let sectionCount = words.readWord(), let itemCount = words.readWord(), kind <= 1
        else { return nil }
        var transaction = Transaction(
            baseRevision: revision - 1, revision: revision, kind: kind == 1 ? .reload : .update,
            animated: animated == 1, sectionCount: Int(sectionCount), itemCount: Int(itemCount))
        guard let deletes = words.readRuns(), let inserts = words.readRuns(), let moves = words.readGroups(of: 2),
            let reloads = words.readRuns(), let itemDeletes = words.readPlaces(), let itemInserts = words.readPlaces(),
            let itemMoves = words.readGroups(of: 4), let itemReloads = words.readPlaces(), words.isAtEnd
        else { return nil }
        transaction.sections.deletes = deletes
        transaction.sections.inserts = inserts
        transaction.sections.moves = moves.map { IndexMove(old: $0[0], new: $0[1]) }
        transaction.sections.reloads = reloads
        transaction.items.deletes = itemDeletes
        transaction.items.inserts = itemInserts
        transaction.items.moves = itemMoves.map {
            ItemMove(
                old: ItemPlace(section: $0[0], item: $0[1]), new: ItemPlace(section: $0[2], item: $0[3]))
        }
        transaction.items.reloads = itemReloads
        return transaction
    }
}

/// A reader of 32-bit words from stored bytes, which need not be valid.
private struct StoredWords {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func readWord() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32($1.offset * 8) }
    }

    /// Reads a count and that many groups of words; nil if there are too few words.
    mutating func readGroups(of size: Int) -> [[UInt32]]? {
        guard let count = readWord(), Int(count) <= rest.count / (4 * size) else { return nil }
        var groups: [[UInt32]] = []
        for _ in 0..<count {
            var group: [UInt32] = []
            for _ in 0..<size { if let word = readWord() { group.append(word) } }
            groups.append(group)
        }
        return groups
    }

    mutating func readRuns() -> [IndexRun]? { readGroups(of: 2)?.map { IndexRun(first: $0[0], length: $0[1]) } }

    mutating func readPlaces() -> [ItemPlace]? { readGroups(of: 2)?.map { ItemPlace(section: $0[0], item: $0[1]) } }
}
