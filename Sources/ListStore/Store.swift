// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
@_spi(Daemon) package import ListKit

/// Persistent storage of lists.
///
/// Changes are written in the order in which they are submitted, each of them completely or not at all. Changes that
/// wait at the same time are written in one transaction.
package protocol Store: Sendable {
    /// The record of refused changes, of all lists of the store.
    var failures: StoreFailures { get }

    /// Writes one change of one adapter.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - durability: with `fsync`, the write completes only when the change survives a crash of the machine.
    ///   - completion: called on the store's executor when the change survives a crash of listd, or with `storeFailed`
    ///     when the change is not written. Later writes are tried as usual.
    func write(
        _ change: StoreChange, durability: Durability,
        completion: @escaping @Sendable (Result<Void, ListError>) -> Void)

    /// Writes all submitted changes, syncs them to the disk, and closes the store.
    func close(completion: @escaping @Sendable () -> Void)
}

/// One change of one adapter.
package enum StoreChange: Sendable {
    /// Create an adapter; it replaces an adapter with the same name.
    case create(StoredAdapter)
    /// Create an adapter with objects, a revision, a log of changes and the cursor of its source; it replaces an
    /// adapter with the same name.
    case createFilled(StoredAdapter, StoreWrite, cursor: [UInt8]?)
    /// Remove an adapter and its contents; an unknown name is no error.
    case remove(name: String)
    /// Replace the options.
    case options(name: String, Fields)
    /// Rename an adapter; an adapter with the new name is removed.
    case rename(name: String, to: String)
    /// Replace the cursor of the adapter's source, with the objects unchanged.
    case cursor(name: String, [UInt8])
    /// Change objects and the revision, and add to the log of changes. No client gets a revision after the limit before
    /// another write raises it. Without objects and with the revision as its limit, it is the last write of a run,
    /// which lowers the limit.
    case update(name: String, StoreWrite)
}

/// The stored properties of an adapter, without its contents.
package struct StoredAdapter: Sendable, Equatable {
    /// The name of the adapter.
    package private(set) var name: String
    /// The epoch of its revisions.
    package var epoch: String
    /// The Unix user that created the adapter; 0 for an adapter of the configuration.
    package var owner: UInt32
    /// Whether the adapter comes from a configuration file.
    package var isConfigured: Bool
    /// The options, encoded as ``AdapterOptions/values``.
    package private(set) var options: Fields

    package init(name: String, epoch: String, owner: UInt32, isConfigured: Bool = false, options: Fields) {
        self.name = name
        self.epoch = epoch
        self.owner = owner
        self.isConfigured = isConfigured
        self.options = options
    }

    /// Returns the adapter with another name.
    func renamed(to name: String) -> StoredAdapter {
        var adapter = self
        adapter.name = name
        return adapter
    }

    /// Returns the adapter with other options.
    func with(options: Fields) -> StoredAdapter {
        var adapter = self
        adapter.options = options
        return adapter
    }
}

/// A transaction in the stored log of changes, as bytes that the store does not interpret.
package struct StoredChange: Sendable, Equatable {
    /// The revision after the transaction.
    package var revision: UInt64
    /// The encoded transaction.
    package var bytes: [UInt8]

    package init(revision: UInt64, bytes: [UInt8]) {
        self.revision = revision
        self.bytes = bytes
    }
}

/// An adapter with its contents, as read from the store.
package struct RestoredAdapter: Sendable, Equatable {
    /// The properties of the adapter.
    package var adapter: StoredAdapter
    /// The revision of the objects, or, after a crash, the last revision that clients may have seen.
    package var revision: UInt64
    /// The objects in order.
    package var objects: [ListObject]
    /// The log of changes, oldest first; empty when clients may have seen revisions that were not stored.
    package var changes: [StoredChange]
    /// The cursor from which the adapter's source continues; nil = the source starts from the beginning.
    package var cursor: [UInt8]?
}

/// A loss of stored data, which stays in sight until an administrator acknowledges it.
package struct Loss: Sendable, Equatable {
    /// The maximum number of losses that are kept.
    package static let mostKept = 1000

    /// When it was found, in microseconds since 1970.
    package let time: Int64
    /// What was lost and why, as a sentence.
    package let text: String
}

/// The names of epochs, the numberings of revisions.
package enum Epoch {
    /// Returns a unique random name of 32 hexadecimal digits.
    package static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return [random.next(), random.next()].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

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
