// SPDX-License-Identifier: Apache-2.0

/// Which of the two states of a list is meant while a transaction is open; without one both are the same.
@_spi(Daemon) @frozen public enum ListSide: Sendable {
    /// As it was before the transaction.
    case old
    /// As it will be after it.
    case new
}

/// How many sections and items there are, before and after the open transaction.
struct SectionSummary: BitwiseCopyable, Equatable {
    var oldCount: Int32 = 0
    var newCount: Int32 = 0
    var oldItems: Int64 = 0
    var newItems: Int64 = 0

    static let zero = SectionSummary()

    static func + (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &+ rhs.oldCount, newCount: lhs.newCount &+ rhs.newCount,
            oldItems: lhs.oldItems &+ rhs.oldItems, newItems: lhs.newItems &+ rhs.newItems)
    }

    static func - (lhs: SectionSummary, rhs: SectionSummary) -> SectionSummary {
        SectionSummary(
            oldCount: lhs.oldCount &- rhs.oldCount, newCount: lhs.newCount &- rhs.newCount,
            oldItems: lhs.oldItems &- rhs.oldItems, newItems: lhs.newItems &- rhs.newItems)
    }

    static func += (lhs: inout SectionSummary, rhs: SectionSummary) { lhs = lhs + rhs }

    /// The number of sections of one state.
    @inline(__always)
    func count(_ side: ListSide) -> Int { side == .old ? Int(oldCount) : Int(newCount) }

    /// The number of items of one state.
    @inline(__always)
    func items(_ side: ListSide) -> Int { side == .old ? Int(oldItems) : Int(newItems) }
}

/// What a leaf keeps of a section: the number of its slot, and in which states it is there.
struct SectionWord: BitwiseCopyable, Equatable {
    private static let oldBit: UInt32 = 1 << 31
    private static let newBit: UInt32 = 1 << 30
    private static let changedBit: UInt32 = 1 << 29

    /// More slots than this cannot be numbered.
    static let maximumSlots = Int(changedBit) - 2

    private(set) var bits: UInt32

    /// Makes the word of a section that is in the given states.
    init(slot: Int, isOld: Bool, isNew: Bool) {
        bits = UInt32(truncatingIfNeeded: slot)
        self.isOld = isOld
        self.isNew = isNew
    }

    /// The slot of the section.
    var slot: Int { Int(bits & (SectionWord.changedBit - 1)) }

    /// Whether the section was there before the transaction.
    var isOld: Bool {
        get { bits & SectionWord.oldBit != 0 }
        set { set(SectionWord.oldBit, newValue) }
    }

    /// Whether the section is there after the transaction.
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

    /// Whether the section is in the old or the new state, as `side` says.
    func isPresent(_ side: ListSide) -> Bool { side == .old ? isOld : isNew }

    private mutating func set(_ bit: UInt32, _ flag: Bool) {
        if flag { bits |= bit } else { bits &= ~bit }
    }
}
