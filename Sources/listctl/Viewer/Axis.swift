// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The scroll direction of a list. A terminal shows it from top to bottom: a horizontal list is turned.
enum Axis: Equatable {
    case vertical
    case horizontal

    /// The viewport's offset and size in the list's own axes, from those on a screen from top to bottom.
    func viewport(y: Double, width: Double, height: Double) -> (x: Double, y: Double, width: Double, height: Double) {
        self == .vertical ? (0, y, width, height) : (y, 0, height, width)
    }

    /// The picture, turned for a terminal.
    func turned(_ picture: Picture) -> Picture {
        guard self == .horizontal else { return picture }
        let shown = picture.shown.values.map { item in
            var item = item
            let frame = item.frame
            item.frame = Frame(x: frame.y, y: frame.x, width: frame.height, height: frame.width)
            return item
        }
        return Picture(
            sequence: picture.sequence, revision: picture.revision,
            contentSize: Extent(width: picture.contentSize.height, height: picture.contentSize.width),
            offset: Position(x: picture.offset.y, y: picture.offset.x), shown: shown)
    }
}
