// SPDX-License-Identifier: Apache-2.0

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
