// SPDX-License-Identifier: Apache-2.0

extension PictureChange {
    /// The change in pieces of a size; only the last one leads to an equal picture.
    func split(maximumBytes: Int) -> [PictureChange] {
        var pieces: [PictureChange] = []
        var piece = self
        piece.shown = []
        piece.placed = []
        piece.rebound = []
        piece.transitions = []
        var bytes = 0
        func close(for size: Int) {
            guard bytes > 0, bytes + size > maximumBytes else { return }
            pieces.append(piece)
            piece = PictureChange(
                view: view, sequence: piece.sequence + 1, revision: revision, contentSize: contentSize, offset: offset)
            bytes = 0
        }
        for item in shown {
            close(for: item.byteCount)
            piece.shown.append(item)
            bytes += item.byteCount
        }
        for placement in placed {
            close(for: Placement.byteCount)
            piece.placed.append(placement)
            bytes += Placement.byteCount
        }
        for rebinding in rebound {
            close(for: rebinding.byteCount)
            piece.rebound.append(rebinding)
            bytes += rebinding.byteCount
        }
        piece.transitions = transitions
        return pieces + [piece]
    }
}

// About the bytes that each takes in a message: even a picture without content must not outgrow what a bus carries.

extension PictureItem {
    fileprivate var byteCount: Int {
        content.byteCount + objectID.utf8.count + reuseIdentifier.utf8.count + PictureItem.overhead
    }

    /// The bytes besides content and names.
    static let overhead = 96
}

extension PictureChange.Placement {
    static let byteCount = 56
}

extension PictureChange.Rebinding {
    fileprivate var byteCount: Int { content.byteCount + PictureChange.Rebinding.overhead }

    /// The bytes besides the content.
    static let overhead = 16
}
