// SPDX-License-Identifier: Apache-2.0

/// The revision of a list, and the highest one that it may have before the store is asked again.
///
/// No revision is announced that a restart could give out again. So the store keeps a limit: a content write raises it by
/// exactly one, and changes that nobody writes (section controllers change their items by themselves) take their numbers
/// from blocks that were stored before. After a kill the list goes on at the limit; after a clean end, which stores the
/// revision as the limit, with the next number. `last` ≤ `limit` ≤ `asked`.
@_spi(Daemon) public struct RevisionNumbers: Sendable, Hashable {
    /// How many numbers are reserved at once.
    public static let blockSize: UInt64 = 1024

    /// The revision that was announced last.
    public private(set) var last: UInt64
    /// The highest revision that may be announced: the store has it.
    public private(set) var limit: UInt64
    /// The highest limit that the store was asked to keep.
    public private(set) var asked: UInt64
    /// Writes that carry a limit and are not answered.
    private var writesUnderWay = 0

    /// The numbers of a list of which nothing is stored: it may announce any.
    public init(unstoredAt last: UInt64 = 0) { self.init(last: last, limit: .max) }

    /// The numbers of a stored list.
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

    /// How many numbers may be given out.
    public var left: UInt64 { limit - last }

    /// Whether less than half a block is left, with all that the store was asked for.
    public var needsBlock: Bool { asked - last < Self.blockSize / 2 }

    /// Whether a number may be given out and some are left for what is under way.
    public func mayNumber(leaving count: UInt64 = 0) -> Bool { left > count }

    /// Gives out the next number; only while ``mayNumber(leaving:)``.
    public mutating func next() -> UInt64 {
        // trap: a stored update has raised the limit by one that is given to nothing else, all else asks before.
        precondition(last < limit)
        last += 1
        return last
    }

    /// The limit that an update has to store, which takes a number when it is announced. The write is under way until
    /// ``stored(_:)`` or ``refused()``.
    public mutating func askForUpdate() -> UInt64 {
        // One above all that others may take meanwhile, so that the update keeps a number for itself.
        ask(for: isBlockHalfUsed ? 1 + Self.blockSize : 1)
    }

    /// The limit to store so that there are numbers for changes that nobody writes. The write is under way until
    /// ``stored(_:)`` or ``refused()``.
    public mutating func askForBlock() -> UInt64 { ask(for: Self.blockSize) }

    private mutating func ask(for count: UInt64) -> UInt64 {
        writesUnderWay += 1
        if !isUnstored { asked += count }
        return asked
    }

    /// Whether a block is open and half used, so that an update brings the next one with it.
    private var isBlockHalfUsed: Bool { left > 0 && needsBlock }

    /// The store has a limit.
    public mutating func stored(_ limit: UInt64) {
        self.limit = max(self.limit, limit)
        endWrite()
    }

    /// The store refused a limit.
    public mutating func refused() { endWrite() }

    /// With no other write under way, none of the numbers that were asked for in vain is skipped.
    private mutating func endWrite() {
        writesUnderWay -= 1
        if writesUnderWay == 0 { asked = limit }
    }

    /// The numbers are stored from now on; none is given out until the store has them.
    mutating func beginStoring() { (limit, asked) = (last, last) }

    /// Nothing is stored any more.
    mutating func endStoring() { (limit, asked, writesUnderWay) = (.max, .max, 0) }

    /// The list has ended: no number is given out any more, so that the revision can be stored as the limit.
    mutating func close() { (limit, asked) = (last, last) }
}
