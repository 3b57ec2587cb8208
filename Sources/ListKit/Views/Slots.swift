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

extension SlotPool {
    /// Stops a debug build after the first operation that breaks an invariant. Does nothing in release builds.
    func assertInvariants() {
        assert(brokenInvariant == nil, brokenInvariant ?? "")
    }

    /// A description of the first broken invariant; `nil` if all invariants hold. O(slots + identifiers).
    var brokenInvariant: String? {
        if slots.values.count(where: \.isShown) != shownCount { return "shownCount is \(shownCount), which is wrong" }
        if slots[0] != nil { return "slot 0 is in use" }
        if places.count != pools.count { return "there are \(places.count) identifiers but \(pools.count) pools" }
        if slots.values.contains(where: { $0.pool == nil && !$0.isShown }) { return "a slot without a pool is free" }
        for (identifier, place) in places {
            let pool = pools[place]
            let own = slots.filter { $0.value.pool == place }
            let free = Set(pool.free)
            if free.count != pool.free.count { return "the pool of \(identifier.text) has a free slot twice" }
            if free != Set(own.filter { !$0.value.isShown }.keys) {
                return "the free slots of the pool of \(identifier.text) differ from its slots that show nothing"
            }
            if own.count - free.count != pool.shownCount {
                return "shownCount of the pool of \(identifier.text) is wrong"
            }
        }
        return nil
    }
}

/// The elements on the screen of one view, by slot. A program that draws a view needs to keep nothing else.
///
/// Apply the events of a list to the mirror, and draw each element in the widget of its slot:
///
///     var mirror = SlotMirror(view: 1)
///     mirror.apply(try adapter.setViewport(view: 1, seen: 0, rect: viewport).effects)
///     for result in adapter.flushNow() { mirror.apply(result.events) }
///     for item in mirror.items { draw(item) }
///
/// After each change, ``items`` are equal to those of ``ListAdapter/resync(view:)``.
public struct SlotMirror: Sendable, Hashable {
    /// The result of applying a change.
    public enum Outcome: Sendable, Hashable {
        /// The change was applied.
        case applied
        /// The change is about another view, or was already applied.
        case ignored
        /// An earlier change is missing, so the mirror was not changed. Pass the result of
        /// ``ListAdapter/resync(view:)`` to ``SlotMirror/replace(with:)``.
        case gap
    }

    /// The identifier of the view.
    public let view: ViewID
    /// The sequence of the last applied change; 0 = no change was applied.
    public private(set) var sequence: UInt64 = 0
    /// The revision of the list that the last applied change shows.
    public private(set) var revision: UInt64 = 0
    /// The size of the whole content.
    public private(set) var contentSize = Size.zero
    /// The origin of the viewport when the last change was made. Later movements that led to no change are not
    /// included.
    public private(set) var offset = Point.zero
    /// How far the list has moved the viewport, in all changes together. A program that scrolls by itself is at the sum of
    /// its own movements and of this distance, whatever ``offset`` is.
    public private(set) var shift = Point.zero
    /// Where the sticky elements travel, by slot.
    public private(set) var sticky: [SlotNumber: PictureChange.Sticky] = [:]
    /// A distance that is added to the edge of the viewport for sticky elements.
    public private(set) var stickyEdge = 0.0
    /// The elements by slot.
    public private(set) var slots: [SlotNumber: PictureItem] = [:]

    /// Makes the mirror of a view that has not been sent a change yet.
    public init(view: ViewID) { self.view = view }

    /// The elements, ordered by section, header first and footer last, as in a ``Picture``.
    ///
    /// - Complexity: O(n log n), where n is the number of elements shown.
    public var items: [PictureItem] { slots.values.sorted { $0.order < $1.order } }

    /// Returns the frame of an element while the viewport is at an origin: a sticky element travels along with the
    /// viewport, so that a program that scrolls by itself need not ask for its place.
    public func frame(of item: PictureItem, at origin: Point, _ direction: ScrollDirection = .vertical) -> Rect {
        guard let way = sticky[item.slot] else { return item.frame }
        let position = way.position(atEdge: direction.along(origin) + stickyEdge)
        return Rect(origin: direction.replacing(position, in: item.frame.origin), size: item.frame.size)
    }

    /// Applies the changes of the mirrored view that are among some events.
    ///
    /// - Returns: ``Outcome/gap`` if a change was missing, else ``Outcome/applied`` if a change was applied, else
    ///   ``Outcome/ignored``.
    @discardableResult
    public mutating func apply(_ events: some Sequence<AdapterEvent>) -> Outcome {
        var outcome = Outcome.ignored
        for case .picture(let change) in events {
            switch apply(change) {
            case .applied: outcome = .applied
            case .ignored: break
            case .gap: return .gap
            }
        }
        return outcome
    }

    /// Applies one change: releases, shows, places and rebinds elements.
    ///
    /// - Complexity: O(1) for each element in the change.
    @discardableResult
    public mutating func apply(_ change: PictureChange) -> Outcome {
        guard change.view == view, change.sequence > sequence else { return .ignored }
        guard change.sequence == sequence + 1 else { return .gap }
        for slot in change.released { (slots[slot], sticky[slot]) = (nil, nil) }
        for item in change.shown { slots[item.slot] = item }
        for place in change.placed { slots[place.slot]?.move(to: place) }
        for rebinding in change.rebound { slots[rebinding.slot]?.content = rebinding.content }
        (sequence, revision) = (change.sequence, change.revision)
        (contentSize, offset) = (change.contentSize, change.offset)
        for way in change.sticky { sticky[way.slot] = way }
        (shift, stickyEdge) = (shift + change.shift, change.stickyEdge)
        return .applied
    }

    /// Replaces all elements with a picture that ``ListAdapter/resync(view:)`` returned.
    public mutating func replace(with picture: Picture) {
        slots = Dictionary(picture.items.map { ($0.slot, $0) }) { $1 }
        (sequence, revision) = (picture.sequence, picture.revision)
        (contentSize, offset) = (picture.contentSize, picture.offset)
        sticky = Dictionary(picture.sticky.map { ($0.slot, $0) }) { $1 }
        (shift, stickyEdge) = (shift + picture.shift, picture.stickyEdge)
    }
}

extension PictureItem {
    /// Moves the element to another section, item index and frame.
    mutating func move(to place: PictureChange.Placement) {
        (section, item) = (place.section, place.item)
        (frame, z) = (place.frame, place.z)
    }
}
