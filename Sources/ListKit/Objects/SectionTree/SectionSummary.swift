// SPDX-License-Identifier: Apache-2.0

/// One of the two states of a list: before or after the open transaction. Without a transaction, both are equal.
@_spi(Daemon) @frozen public enum ListSide: Sendable {
    /// The state before the transaction.
    case old
    /// The state after the transaction.
    case new
}

/// The numbers of sections, of sections with exactly one item, and of items in a part of the list, before and after the
/// open transaction.
struct SectionSummary: BitwiseCopyable, Equatable {
    var oldCount: Int32 = 0
    var newCount: Int32 = 0
    var oldSingles: Int32 = 0
    var newSingles: Int32 = 0
    var oldItems: Int64 = 0
    var newItems: Int64 = 0

    static let zero = SectionSummary()

    static func + (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &+ rhs.oldCount, newCount: lhs.newCount &+ rhs.newCount,
            oldSingles: lhs.oldSingles &+ rhs.oldSingles, newSingles: lhs.newSingles &+ rhs.newSingles,
            oldItems: lhs.oldItems &+ rhs.oldItems, newItems: lhs.newItems &+ rhs.newItems)
    }

    static func - (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &- rhs.oldCount, newCount: lhs.newCount &- rhs.newCount,
            oldSingles: lhs.oldSingles &- rhs.oldSingles, newSingles: lhs.newSingles &- rhs.newSingles,
            oldItems: lhs.oldItems &- rhs.oldItems, newItems: lhs.newItems &- rhs.newItems)
    }

    static func += (lhs: inout SectionSummary, rhs: SectionSummary) { lhs = lhs + rhs }

    /// Returns the number of sections in one state.
    @inline(__always)
    func count(_ side: ListSide) -> Int { side == .old ? Int(oldCount) : Int(newCount) }

    /// Returns the number of items in one state.
    @inline(__always)
    func items(_ side: ListSide) -> Int { side == .old ? Int(oldItems) : Int(newItems) }

    /// Returns whether every section has exactly one item in one state.
    @inline(__always)
    func isFlat(_ side: ListSide) -> Bool { side == .old ? oldSingles == oldCount : newSingles == newCount }
}

/// The entry of a section in a leaf: the number of its slot, and flags for the states in which the section exists.
struct SectionWord: BitwiseCopyable, Equatable {
    private static let oldBit: UInt32 = 1 << 31
    private static let newBit: UInt32 = 1 << 30
    private static let changedBit: UInt32 = 1 << 29

    /// The maximum number of slots, which is limited by the bits for a slot's number.
    static let maximumSlots = Int(changedBit) - 2

    private(set) var bits: UInt32

    /// Creates the word of a section that exists in the given states.
    init(slot: Int, isOld: Bool, isNew: Bool) {
        bits = UInt32(truncatingIfNeeded: slot)
        self.isOld = isOld
        self.isNew = isNew
    }

    /// The index of the section's entry in the arrays that hold the sections' data.
    var slot: Int { Int(bits & (SectionWord.changedBit - 1)) }

    /// Whether the section existed before the transaction.
    var isOld: Bool {
        get { bits & SectionWord.oldBit != 0 }
        set { set(SectionWord.oldBit, newValue) }
    }

    /// Whether the section exists after the transaction.
    var isNew: Bool {
        get { bits & SectionWord.newBit != 0 }
        set { set(SectionWord.newBit, newValue) }
    }

    /// Whether the section had another object or number of items before the transaction.
    var isChanged: Bool {
        get { bits & SectionWord.changedBit != 0 }
        set { set(SectionWord.changedBit, newValue) }
    }

    /// Whether the transaction has not touched the section.
    var isPlain: Bool { isOld && isNew && !isChanged }

    /// Returns whether the section exists in the given state.
    func isPresent(_ side: ListSide) -> Bool { side == .old ? isOld : isNew }

    private mutating func set(_ bit: UInt32, _ flag: Bool) {
        if flag { bits |= bit } else { bits &= ~bit }
    }
}
