// SPDX-License-Identifier: Apache-2.0

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
