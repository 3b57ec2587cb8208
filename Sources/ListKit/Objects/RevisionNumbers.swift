// SPDX-License-Identifier: Apache-2.0

/// The revision of a list, and the highest one that it may announce without another write.
///
/// A revision that was announced must not be used again after a restart. So the store keeps a limit: a write of content
/// raises it by exactly one, and changes that are not written (of items that section controllers change on their own) use
/// numbers of blocks that were stored before. After a kill the list continues at the limit; after a clean end, which stores
/// the revision as the limit, at the next number. `last` ≤ `limit` ≤ `asked`.
@_spi(Daemon) @frozen public struct RevisionNumbers: Sendable, Hashable {
    /// How many numbers are reserved at once.
    public static let blockSize: UInt64 = 1024

    /// The revision that was announced last.
    public private(set) var last: UInt64
    /// The highest revision that may be announced: the limit in the store.
    public private(set) var limit: UInt64
    /// The highest limit of all writes so far.
    public private(set) var asked: UInt64
    /// How many writes of a limit are in progress.
    private var writesUnderWay = 0

    /// Makes the numbers of a list that is not stored, which have no limit.
    public init(unstoredAt last: UInt64 = 0) { self.init(last: last, limit: .max) }

    /// Makes the numbers of a stored list.
    ///
    /// - Parameters:
    ///   - revision: the revision that was stored with the last write.
    ///   - limit: the stored limit; larger than the revision after a kill.
    public init(restoring revision: UInt64, limit: UInt64) {
        let last = max(revision, limit)
        self.init(last: last, limit: last)
    }

    private init(last: UInt64, limit: UInt64) {
        (self.last, self.limit, asked) = (last, limit, limit)
    }

    /// Whether the numbers are not stored.
    public var isUnstored: Bool { asked == .max }

    /// How many revisions may be announced.
    public var left: UInt64 { limit - last }

    /// Whether less than half a block is left, writes in progress included.
    public var needsBlock: Bool { asked - last < Self.blockSize / 2 }

    /// Whether a revision may be announced that leaves `count` numbers for others.
    public func mayNumber(leaving count: UInt64 = 0) -> Bool { left > count }

    /// Takes the next number; requires ``mayNumber(leaving:)``.
    public mutating func next() -> UInt64 {
        // trap: a stored update has raised the limit by one for itself; all other changes check mayNumber before.
        precondition(last < limit)
        last += 1
        return last
    }

    /// The limit to store with an update, which is numbered when it is announced. The write is in progress until ``stored(_:)``
    /// or ``refused()``.
    public mutating func askForUpdate() -> UInt64 {
        // One above all numbers that other changes may take before, so that one is left for the update.
        ask(for: isBlockHalfUsed ? 1 + Self.blockSize : 1)
    }

    /// The limit to store for a block of numbers, for changes that are not written. The write is in progress until ``stored(_:)``
    /// or ``refused()``.
    public mutating func askForBlock() -> UInt64 { ask(for: Self.blockSize) }

    private mutating func ask(for count: UInt64) -> UInt64 {
        writesUnderWay += 1
        if !isUnstored { asked += count }
        return asked
    }

    /// Whether a block is half used, so that the write of an update reserves the next one too.
    private var isBlockHalfUsed: Bool { left > 0 && needsBlock }

    /// Records that a limit is stored.
    public mutating func stored(_ limit: UInt64) {
        self.limit = max(self.limit, limit)
        endWrite()
    }

    /// Records that the store refused a limit.
    public mutating func refused() { endWrite() }

    /// Ends a write; after the last one, numbers that the store refused are available again.
    private mutating func endWrite() {
        writesUnderWay -= 1
        if writesUnderWay == 0 { asked = limit }
    }

    /// Begins to store the numbers; no revision is numbered until the limit is stored.
    mutating func beginStoring() { (limit, asked) = (last, last) }

    /// Ends storing the numbers.
    mutating func endStoring() { (limit, asked, writesUnderWay) = (.max, .max, 0) }

    /// Ends numbering, so that the revision can be stored as the limit.
    mutating func close() { (limit, asked) = (last, last) }
}
