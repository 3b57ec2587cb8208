// SPDX-License-Identifier: Apache-2.0

/// The slots of one view: numbers for the widgets that a client keeps and reuses, as in LazyScrollView.
///
/// A slot belongs to one reuse identifier forever. A released slot goes to the pool of its identifier. The slot that
/// was released last is taken first, because its widget is most likely still in caches. An identifier never has more
/// slots than the maximum number of its elements that were shown at once, provided that each step releases the slots
/// of disappearing elements before it takes slots for appearing ones.
///
/// An empty identifier is never pooled: each element gets a new slot, which is discarded on release. The same holds
/// for identifiers longer than ``maximumIdentifierLength``, and for identifiers beyond the first
/// ``maximumIdentifiers`` different ones, so that a list with an identifier for each object does not make the pool
/// grow forever.
public struct SlotPool: Sendable {
    /// The maximum number of identifiers that are pooled.
    public static let maximumIdentifiers = 4096
    /// The maximum length of an identifier that is pooled, in bytes.
    public static let maximumIdentifierLength = 1024

    /// The index in `pools` of each identifier's pool.
    private(set) var places: [ExactText: Int] = [:]
    private(set) var pools: [Pool] = []
    /// The slots that show an element or are free.
    private(set) var slots: [UInt32: Slot] = [:]
    /// The number of slots that show an element.
    public private(set) var shownCount = 0
    /// The slot number that was assigned last.
    private var last: UInt32
    private let identifierLimit: Int

    /// The slots with one reuse identifier.
    struct Pool: Sendable {
        /// The free slots. The last one is taken next.
        var free: [UInt32] = []
        var shownCount = 0
    }

    /// The state of a slot.
    struct Slot: Sendable {
        /// The index of the slot's pool; `nil` if the slot is not pooled.
        var pool: Int?
        var isShown: Bool
    }

    /// Makes a pool without slots. The first slot will be number 1.
    public init() {
        self.init(after: 0)
    }

    /// Makes a pool whose first slot number is the one after `last`.
    init(after last: UInt32, identifierLimit: Int = maximumIdentifiers) {
        self.last = last
        self.identifierLimit = identifierLimit
    }

    /// The number of slots, used or free, which is also the number of widgets that a client keeps.
    public var count: Int { slots.count }

    /// Takes a slot for an element with a reuse identifier: the slot released last, or else a new slot. Slot 0 is not
    /// used. O(1).
    public mutating func take(_ identifier: String) -> UInt32 {
        let place = findOrAddPool(for: identifier)
        let slot = place.flatMap { pools[$0].free.popLast() } ?? makeSlotNumber()
        slots[slot] = Slot(pool: place, isShown: true)
        if let place { pools[place].shownCount += 1 }
        shownCount += 1
        assertInvariants()
        return slot
    }

    /// Releases a slot. Does nothing if the slot shows no element. O(1).
    ///
    /// - Returns: whether the slot showed an element.
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

    /// Adds a slot in which a viewer already shows an element. Does nothing if the pool already has the slot.
    mutating func insertShown(_ slot: UInt32, identifier: String) {
        guard slot != 0, slots[slot] == nil else { return }
        let place = findOrAddPool(for: identifier)
        slots[slot] = Slot(pool: place, isShown: true)
        if let place { pools[place].shownCount += 1 }
        shownCount += 1
        last = max(last, slot)
        assertInvariants()
    }

    /// Returns the index of an identifier's pool, which is made if there is none; `nil` if the identifier is not pooled.
    private mutating func findOrAddPool(for identifier: String) -> Int? {
        let key = ExactText(identifier)
        if let place = places[key] { return place }
        guard !identifier.isEmpty, identifier.utf8.count <= Self.maximumIdentifierLength,
            pools.count < identifierLimit
        else { return nil }
        places[key] = pools.count
        pools.append(Pool())
        return pools.count - 1
    }

    /// Returns the next slot number. After 2³² numbers, it starts again and skips numbers in use.
    private mutating func makeSlotNumber() -> UInt32 {
        repeat { last &+= 1 } while last == 0 || slots[last] != nil
        return last
    }
}
