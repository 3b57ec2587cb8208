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
