// SPDX-License-Identifier: Apache-2.0

extension PictureChange {
    /// Splits the change into pieces of a maximum size. The picture is complete only after the last piece.
    func split(maximumBytes: Int) -> [PictureChange] {
        var first = self
        (first.shown, first.placed, first.rebound, first.transitions) = ([], [], [], [])
        var pieces = SignalPieces(first, maximumBytes: maximumBytes) { [self] last in
            PictureChange(
                view: view, sequence: last.sequence + 1, revision: revision, contentSize: contentSize, offset: offset)
        }
        pieces.append(shown, to: \.shown) { $0.byteCount }
        pieces.append(placed, to: \.placed) { _ in Placement.byteCount }
        pieces.append(rebound, to: \.rebound) { $0.byteCount }
        var all = pieces.all
        all[all.count - 1].transitions = transitions
        return all
    }
}

// The approximate number of bytes of each element in a message. Even a picture without content must not exceed the size
// limit of the bus.

extension PictureItem {
    fileprivate var byteCount: Int {
        content.byteCount + objectID.utf8.count + reuseIdentifier.utf8.count + PictureItem.overhead
    }

    /// The number of bytes besides content, object identifier and reuse identifier.
    static let overhead = 96
}

extension PictureChange.Placement {
    static let byteCount = 56
}

extension PictureChange.Rebinding {
    fileprivate var byteCount: Int { content.byteCount + PictureChange.Rebinding.overhead }

    /// The number of bytes besides the content.
    static let overhead = 16
}
