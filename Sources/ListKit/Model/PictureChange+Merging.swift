// SPDX-License-Identifier: Apache-2.0

extension PictureChange {
    /// Returns the change that has the effect of this one and then of the next one, with the sequence of this one and
    /// everything else of the next one.
    ///
    /// - Complexity: O(slots in both changes).
    @_spi(Daemon) public func merged(with next: PictureChange) -> PictureChange {
        var merged = PictureChange(
            view: view, sequence: sequence, revision: next.revision, contentSize: next.contentSize, offset: next.offset)
        let fresh = Set(shown.map(\.slot))
        let gone = Set(next.released)
        // A slot that this change fills and the next one releases stays as it was, or is released by this change.
        merged.released = released + next.released.filter { !fresh.contains($0) }
        let places = Dictionary(next.placed.map { ($0.slot, $0) }) { $1 }
        let contents = Dictionary(next.rebound.map { ($0.slot, $0.content) }) { $1 }
        for item in shown where !gone.contains(item.slot) {
            var item = item
            if let place = places[item.slot] {
                (item.section, item.item, item.frame, item.z) = (place.section, place.item, place.frame, place.z)
            }
            if let content = contents[item.slot] { item.content = content }
            merged.shown.append(item)
        }
        merged.shown += next.shown
        merged.placed =
            placed.filter { !gone.contains($0.slot) && places[$0.slot] == nil }
            + next.placed.filter { !fresh.contains($0.slot) || gone.contains($0.slot) }
        merged.rebound =
            rebound.filter { !gone.contains($0.slot) && contents[$0.slot] == nil }
            + next.rebound.filter { !fresh.contains($0.slot) || gone.contains($0.slot) }
        merged.transitions = next.transitions
        merged.shift = shift + next.shift
        switch (isAnimated, next.isAnimated) {
        case (let first?, let second?): merged.isAnimated = first && second
        case (let flag, nil), (nil, let flag): merged.isAnimated = flag
        }
        merged.setCauses(of: self, next)
        let news = Set(next.sticky.map(\.slot))
        merged.sticky = sticky.filter { !gone.contains($0.slot) && !news.contains($0.slot) } + next.sticky
        merged.stickyEdge = next.stickyEdge
        return merged
    }

    /// Returns the change in exactly `count` pieces with successive sequences. The picture is complete after the last
    /// piece that has elements; the pieces after it are empty.
    @_spi(Daemon) public func pieces(count: Int) -> [PictureChange] {
        var limit = SignalLimits.bytes
        var pieces = split(maximumBytes: limit)
        while pieces.count > count {
            limit *= 2
            pieces = split(maximumBytes: limit)
        }
        for _ in pieces.count..<max(count, pieces.count) {
            var empty = PictureChange(
                view: view, sequence: sequence + UInt64(pieces.count), revision: revision, contentSize: contentSize,
                offset: offset)
            empty.stickyEdge = stickyEdge
            pieces.append(empty)
        }
        return pieces
    }
}

extension PictureChange {
    /// Splits the change into pieces of a maximum size. The picture is complete only after the last piece.
    func split(maximumBytes: Int) -> [PictureChange] {
        var first = self
        (first.shown, first.placed, first.rebound, first.transitions) = ([], [], [], [])
        (first.causes, first.sticky) = ([], [])
        // The shift stands in the first piece only.
        var pieces = SignalPieces(first, maximumBytes: maximumBytes) { [self] last in
            var piece = PictureChange(
                view: view, sequence: last.sequence + 1, revision: revision, contentSize: contentSize, offset: offset)
            (piece.isAnimated, piece.stickyEdge) = (isAnimated, stickyEdge)
            return piece
        }
        pieces.append(shown, to: \.shown) { $0.byteCount }
        pieces.append(placed, to: \.placed) { _ in Placement.byteCount }
        pieces.append(rebound, to: \.rebound) { $0.byteCount }
        var all = pieces.all
        distributeCauses(to: &all)
        distributeSticky(to: &all)
        all[all.count - 1].transitions = transitions
        return all
    }

    /// Gives each piece the causes of its own slots. The pieces have the elements in the order of the change.
    private func distributeCauses(to pieces: inout [PictureChange]) {
        guard !causes.isEmpty else { return }
        let all = reasons
        var (released, shown, placed) = (all.released[...], all.shown[...], all.placed[...])
        for index in pieces.indices {
            var own = pieces[index].reasons
            own.released = Array(released.prefix(own.released.count))
            own.shown = Array(shown.prefix(own.shown.count))
            own.placed = Array(placed.prefix(own.placed.count))
            released = released.dropFirst(own.released.count)
            shown = shown.dropFirst(own.shown.count)
            placed = placed.dropFirst(own.placed.count)
            pieces[index].setCauses(own)
        }
    }

    /// Gives each piece the ways of the sticky slots that it shows or places, and the first one the others.
    private func distributeSticky(to pieces: inout [PictureChange]) {
        guard !sticky.isEmpty else { return }
        guard pieces.count > 1 else { return pieces[0].sticky = sticky }
        var places: [SlotNumber: Int] = [:]
        for (index, piece) in pieces.enumerated() {
            for item in piece.shown { places[item.slot] = index }
            for place in piece.placed { places[place.slot] = index }
        }
        for way in sticky { pieces[places[way.slot] ?? 0].sticky.append(way) }
    }
}

// The approximate number of bytes of each element in a message. Even a picture without content must not exceed the size
// limit of the bus.

extension PictureItem {
    fileprivate var byteCount: Int {
        content.byteCount + objectID.utf8.count + reuseIdentifier.utf8.count + PictureItem.overhead
    }

    /// The number of bytes besides content, object identifier and reuse identifier.
    static let overhead = 136
}

extension PictureChange.Placement {
    static let byteCount = 96
}

extension PictureChange.Rebinding {
    fileprivate var byteCount: Int { content.byteCount + PictureChange.Rebinding.overhead }

    /// The number of bytes besides the content.
    static let overhead = 16
}

extension PictureChange {
    /// The reason of each element of ``released``, ``shown`` and ``placed``.
    struct Reasons {
        var released: [Reason]
        var shown: [Reason]
        var placed: [Reason]

        /// Makes the reasons of elements that only scrolled.
        init(released: Int, shown: Int, placed: Int) {
            self.released = Array(repeating: .scrolled, count: released)
            self.shown = Array(repeating: .scrolled, count: shown)
            self.placed = Array(repeating: .scrolled, count: placed)
        }

        /// Makes the reasons of a change from its causes.
        fileprivate init(_ change: PictureChange) {
            var waiting = Dictionary(grouping: change.causes.reversed(), by: \.slot)
            func next(_ slot: SlotNumber) -> Reason { waiting[slot]?.popLast()?.reason ?? .scrolled }
            released = change.released.map(next)
            shown = change.shown.map { next($0.slot) }
            placed = change.placed.map { next($0.slot) }
        }
    }

    /// The reasons that ``causes`` give.
    var reasons: Reasons { Reasons(self) }

    /// Sets the causes from the reasons of all elements. A slot that is released and shown again has two entries or none.
    mutating func setCauses(_ reasons: Reasons) {
        causes = []
        let known = Set(zip(released, reasons.released).compactMap { $1 == .scrolled ? nil : $0 })
            .union(zip(shown, reasons.shown).compactMap { $1 == .scrolled ? nil : $0.slot })
        for (slot, reason) in zip(released, reasons.released) where known.contains(slot) {
            causes.append(Cause(slot: slot, reason: reason))
        }
        for (item, reason) in zip(shown, reasons.shown) where known.contains(item.slot) {
            causes.append(Cause(slot: item.slot, reason: reason))
        }
        for (place, reason) in zip(placed, reasons.placed) where reason != .scrolled {
            causes.append(Cause(slot: place.slot, reason: reason))
        }
    }

    /// Adds the causes of a change and of the next one, which this change joins.
    mutating func setCauses(of first: PictureChange, _ next: PictureChange) {
        guard !first.causes.isEmpty || !next.causes.isEmpty else { return }
        var released: [SlotNumber: Reason] = [:]
        var (shown, placed) = (released, released)
        let (early, late) = (first.reasons, next.reasons)
        for (slot, reason) in zip(first.released, early.released) { released[slot] = reason }
        for (item, reason) in zip(first.shown, early.shown) { shown[item.slot] = reason }
        for (place, reason) in zip(first.placed, early.placed) { placed[place.slot] = reason }
        for (slot, reason) in zip(next.released, late.released) where shown.removeValue(forKey: slot) == nil {
            released[slot] = reason == .scrolled ? placed[slot] ?? .scrolled : reason
        }
        for (place, reason) in zip(next.placed, late.placed) where reason != .scrolled {
            if shown[place.slot] == .scrolled { shown[place.slot] = reason }
            placed[place.slot] = reason
        }
        for (item, reason) in zip(next.shown, late.shown) { shown[item.slot] = reason }
        var reasons = Reasons(self)
        reasons.released = self.released.map { released[$0] ?? .scrolled }
        reasons.shown = self.shown.map { shown[$0.slot] ?? .scrolled }
        reasons.placed = self.placed.map { placed[$0.slot] ?? .scrolled }
        setCauses(reasons)
    }
}

/// Splits the elements of a signal into pieces that fit into a message, in the order in which they are appended.
@_spi(Daemon) public struct SignalPieces<Change> {
    private let maximumBytes: Int
    private let follow: (Change) -> Change
    private var finished: [Change] = []
    private var current: Change
    private var byteCount = 0

    /// Makes pieces, the first of which has no elements yet.
    ///
    /// - Parameter follow: makes the next piece, without elements, from the previous piece.
    public init(
        _ first: Change, maximumBytes: Int = SignalLimits.bytes, following follow: @escaping (Change) -> Change
    ) {
        self.maximumBytes = maximumBytes
        self.follow = follow
        current = first
    }

    /// Appends elements to one of the pieces' arrays. An element that is larger than a piece gets a piece of its own.
    ///
    /// - Parameter size: returns the approximate number of bytes that an element takes in the message.
    /// - Complexity: O(elements)
    public mutating func append<Element>(
        _ elements: [Element], to list: WritableKeyPath<Change, [Element]>, size: (Element) -> Int
    ) {
        var start = 0
        for index in elements.indices {
            let bytes = size(elements[index])
            if byteCount > 0, byteCount + bytes > maximumBytes {
                current[keyPath: list] += elements[start..<index]
                finished.append(current)
                (current, byteCount, start) = (follow(current), 0, index)
            }
            byteCount += bytes
        }
        if start == 0, current[keyPath: list].isEmpty {
            // The array is shared with the caller, which saves a copy.
            current[keyPath: list] = elements
        } else {
            current[keyPath: list] += elements[start...]
        }
    }

    /// All pieces, at least one.
    public var all: [Change] { finished + [current] }
}

/// The limits for the size of signals.
@_spi(Daemon) public enum SignalLimits {
    /// The approximate maximum number of bytes of all elements of one signal.
    public static let bytes = 1 << 18
}
