// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The direction in which a list goes on. A terminal shows it from top to bottom: what lies on its side is turned.
enum Axis: Equatable {
    case vertical
    case horizontal

    /// The viewport's place and size in the content of the list, for a screen of which they are given top to bottom.
    func viewport(y: Double, width: Double, height: Double) -> (x: Double, y: Double, width: Double, height: Double) {
        self == .vertical ? (0, y, width, height) : (y, 0, height, width)
    }

    /// The picture as a terminal shows it.
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
