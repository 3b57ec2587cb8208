// SPDX-License-Identifier: Apache-2.0

/// The slots of one view: numbers for the widgets that a client keeps and fills again and again (LazyScrollView).
///
/// A slot belongs to one reuse identifier for ever. Released, it waits in the pool of its identifier, and the last one
/// released is the first one taken, as its widget is the likeliest to be warm. So an identifier never has more slots than
/// it had elements shown at once, provided that a step releases what leaves before it takes slots for what comes.
///
/// An empty identifier is never pooled: each element gets a number of its own, which ends with its release. Identifiers
/// longer than ``maximumIdentifierLength``, and those after the first ``maximumIdentifiers`` different ones, are treated
/// alike, so that a list with an identifier for each object does not make the pool grow for ever.
public struct SlotPool: Sendable {
    /// The most identifiers that are pooled.
    public static let maximumIdentifiers = 4096
    /// The longest identifier that is pooled, in bytes.
    public static let maximumIdentifierLength = 1024

    /// The pool of each identifier, as a place in `pools`.
    private(set) var places: [ExactText: Int] = [:]
    private(set) var pools: [Pool] = []
    /// The slots that are shown or wait in a pool.
    private(set) var slots: [UInt32: Slot] = [:]
    /// How many slots show an element.
    public private(set) var shownCount = 0
    /// The number that was given out last.
    private var last: UInt32
    private let identifierLimit: Int

    /// The slots of one identifier.
    struct Pool: Sendable {
        /// Slots that show nothing; the last one is taken next.
        var free: [UInt32] = []
        var shownCount = 0
    }

    /// What is known of a slot.
    struct Slot: Sendable {
        /// The place of its pool; nil if it is not pooled.
        var pool: Int?
        var isShown: Bool
    }

    /// Makes a pool without slots; the first one will be number 1.
    public init() {
        self.init(after: 0)
    }

    /// Makes a pool whose first slot comes after a number.
    init(after last: UInt32, identifierLimit: Int = maximumIdentifiers) {
        self.last = last
        self.identifierLimit = identifierLimit
    }

    /// How many slots there are, shown or waiting: the widgets that a client keeps.
    public var count: Int { slots.count }

    /// A slot for an element with a reuse identifier: the one released last, else a new number; never 0. O(1).
    public mutating func take(_ identifier: String) -> UInt32 {
        let place = place(of: identifier)
        let slot = place.flatMap { pools[$0].free.popLast() } ?? newNumber()
        slots[slot] = Slot(pool: place, isShown: true)
        if let place { pools[place].shownCount += 1 }
        shownCount += 1
        assertInvariants()
        return slot
    }

    /// Gives a slot back; answers false, and does nothing, if it shows no element. O(1).
    @discardableResult
    public mutating func release(_ slot: UInt32) -> Bool {
        guard let known = slots[slot], known.isShown else { return false }
        if let place = known.pool {
            slots[slot] = Slot(pool: place, isShown: false)
            pools[place].free.append(slot)
            pools[place].shownCount -= 1
        } else {
            slots[slot] = nil
        }
        shownCount -= 1
        assertInvariants()
        return true
    }

    /// Shows an element in a slot that a viewer knows already; one that is taken stays as it is.
    mutating func adopt(_ slot: UInt32, _ identifier: String) {
        guard slot != 0, slots[slot] == nil else { return }
        let place = place(of: identifier)
        slots[slot] = Slot(pool: place, isShown: true)
        if let place { pools[place].shownCount += 1 }
        shownCount += 1
        last = max(last, slot)
        assertInvariants()
    }

    private mutating func place(of identifier: String) -> Int? {
        let key = ExactText(identifier)
        if let place = places[key] { return place }
        guard !identifier.isEmpty, identifier.utf8.count <= Self.maximumIdentifierLength,
            pools.count < identifierLimit
        else { return nil }
        places[key] = pools.count
        pools.append(Pool())
        return pools.count - 1
    }

    /// The next number; after four thousand million of them it starts again and passes over those in use.
    private mutating func newNumber() -> UInt32 {
        repeat { last &+= 1 } while last == 0 || slots[last] != nil
        return last
    }
}
