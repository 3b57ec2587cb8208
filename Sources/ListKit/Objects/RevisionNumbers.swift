// SPDX-License-Identifier: Apache-2.0

/// The current revision of a list, and the highest revision that the list may announce without another write.
///
/// An announced revision must not be used again after a restart. Therefore the store keeps a limit for revisions.
///
/// - The write of an update raises the limit by exactly one.
/// - Changes without a write, which are items that section controllers change on their own, use numbers from a block.
///   The block is reserved by a write that raises the limit in advance.
/// - After a kill, the list continues at the limit. A clean end stores the revision as the limit, so that the list
///   continues with the next number.
///
/// `last` ≤ `limit` ≤ `requested`.
@_spi(Daemon) @frozen public struct RevisionNumbers: Sendable, Hashable {
    /// The count of numbers in a block.
    public static let blockSize: UInt64 = 1024

    /// The latest announced revision.
    public private(set) var last: UInt64
    /// The highest revision that may be announced, which is the limit in the store.
    public private(set) var limit: UInt64
    /// The highest limit of all writes, including those in progress.
    public private(set) var requested: UInt64
    /// The number of writes in progress that raise the limit.
    private var writesUnderWay = 0

    /// Creates the numbers of a list that is not stored. They have no limit.
    public init(unstoredAt last: UInt64 = 0) { self.init(last: last, limit: .max) }

    /// Creates the numbers of a stored list.
    ///
    /// - Parameters:
    ///   - revision: the revision in the store.
    ///   - limit: the limit in the store. After a kill it is larger than the revision.
    public init(restoring revision: UInt64, limit: UInt64) {
        let last = max(revision, limit)
        self.init(last: last, limit: last)
    }

    private init(last: UInt64, limit: UInt64) {
        (self.last, self.limit, requested) = (last, limit, limit)
    }

    /// Whether the list is not stored, so that its revisions have no limit.
    public var isUnstored: Bool { requested == .max }

    /// The number of revisions that may be announced without another write.
    public var left: UInt64 { limit - last }

    /// Whether less than half a block is left, counting the numbers that writes in progress reserve.
    public var needsBlock: Bool { requested - last < Self.blockSize / 2 }

    /// Returns whether a revision may be announced so that `count` more numbers stay available.
    public func mayNumber(leaving count: UInt64 = 0) -> Bool { left > count }

    /// Advances to the next revision and returns it. Requires that ``mayNumber(leaving:)`` is true.
    public mutating func next() -> UInt64 {
        // trap: a stored update has raised the limit by one for itself; all other changes check mayNumber before.
        precondition(last < limit)
        last += 1
        return last
    }

    /// Begins the write of an update and returns the limit to store with it.
    ///
    /// The update gets its number later, when it is announced. The write is in progress until ``confirmWrite(_:)`` or
    /// ``cancelWrite()``.
    public mutating func beginUpdateWrite() -> UInt64 {
        // Changes without a write may use up all other numbers before the update is announced: add one for the update.
        raiseRequestedLimit(by: isBlockHalfUsed ? 1 + Self.blockSize : 1)
    }

    /// Begins the write that reserves a block of numbers, and returns the limit to store.
    ///
    /// The numbers are for changes without a write. The write is in progress until ``confirmWrite(_:)`` or ``cancelWrite()``.
    public mutating func beginBlockWrite() -> UInt64 { raiseRequestedLimit(by: Self.blockSize) }

    private mutating func raiseRequestedLimit(by count: UInt64) -> UInt64 {
        writesUnderWay += 1
        if !isUnstored { requested += count }
        return requested
    }

    /// Whether more than half of a block is used, so that the write of an update also reserves the next block.
    private var isBlockHalfUsed: Bool { left > 0 && needsBlock }

    /// Ends a write that has succeeded, and applies its limit.
    public mutating func confirmWrite(_ limit: UInt64) {
        self.limit = max(self.limit, limit)
        endWrite()
    }

    /// Ends a write that the store refused.
    public mutating func cancelWrite() { endWrite() }

    /// Ends a write. When no write is left in progress, refused numbers can be reserved again.
    private mutating func endWrite() {
        writesUnderWay -= 1
        if writesUnderWay == 0 { requested = limit }
    }

    /// Starts the persistence of the numbers. No revision is numbered before a limit is stored.
    mutating func beginPersistence() { (limit, requested) = (last, last) }

    /// Ends the persistence of the numbers, which then have no limit.
    mutating func endPersistence() { (limit, requested, writesUnderWay) = (.max, .max, 0) }

    /// Ends the numbering of revisions, so that the current revision can be stored as the limit.
    mutating func endNumbering() { (limit, requested) = (last, last) }
}
