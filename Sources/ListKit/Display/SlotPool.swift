/// The slots of one view: numbers for the widgets that a client keeps and fills again and again (LazyScrollView).
///
/// A slot belongs to one reuse identifier for ever. Left free, it waits in the pool of its identifier and the last one
/// released is the first one taken, as its widget is the likeliest to be warm. So the slots of an identifier are never more
/// than its elements shown at once, provided that a step releases what leaves before it takes slots for what comes.
///
/// An empty identifier is never pooled: each element gets a number of its own and its release ends it. Past
/// ``maximumIdentifiers`` further ones are treated alike, so that a list with an identifier for each object does not grow
/// the pool for ever.
public struct SlotPool: Sendable {
    /// The most identifiers that have a pool.
    public static let maximumIdentifiers = 1 << 16

    /// The pool of each identifier, as a place in `pools`.
    private(set) var places: [ReuseIdentifier: Int] = [:]
    private(set) var pools: [Pool] = []
    /// The slots that are shown or wait in a pool.
    private(set) var slots: [UInt32: Slot] = [:]
    /// The number that was given out last.
    private var last: UInt32

    /// The slots of one identifier.
    struct Pool: Sendable {
        /// Slots that show nothing; the last one is taken next.
        var free: [UInt32] = []
        var shown = 0
    }

    /// An identifier by its bytes: clients compare bytes, Swift's strings would compare canonical equivalence.
    struct ReuseIdentifier: Hashable, Sendable {
        let text: String

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
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
    init(after last: UInt32) {
        self.last = last
    }

    /// How many slots show an element.
    public private(set) var shownCount = 0

    /// How many slots there are, shown or waiting: the widgets that a client keeps.
    public var count: Int { slots.count }

    /// A slot for an element with a reuse identifier: the one released last, else a new number. O(1).
    public mutating func take(_ identifier: String) -> UInt32 {
        shownCount += 1
        guard let place = place(of: identifier) else {
            let slot = newNumber()
            slots[slot] = Slot(pool: nil, isShown: true)
            return slot
        }
        pools[place].shown += 1
        let slot = pools[place].free.popLast() ?? newNumber()
        slots[slot] = Slot(pool: place, isShown: true)
        return slot
    }

    /// Gives a slot back; answers false, and does nothing, if it shows no element. O(1).
    @discardableResult
    public mutating func release(_ slot: UInt32) -> Bool {
        guard let known = slots[slot], known.isShown else { return false }
        shownCount -= 1
        if let place = known.pool {
            pools[place].shown -= 1
            pools[place].free.append(slot)
            slots[slot] = Slot(pool: place, isShown: false)
        } else {
            slots[slot] = nil
        }
        return true
    }

    private mutating func place(of identifier: String) -> Int? {
        let key = ReuseIdentifier(text: identifier)
        if let place = places[key] { return place }
        guard !identifier.isEmpty, pools.count < Self.maximumIdentifiers else { return nil }
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
