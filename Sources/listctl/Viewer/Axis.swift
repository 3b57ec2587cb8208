// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The scroll direction of a list. The terminal always scrolls from top to bottom, so the axes of a horizontal list are
/// swapped.
enum Axis: Equatable {
    case vertical
    case horizontal

    /// Returns the offset and size of the viewport in the axes of the list, for a viewport in the axes of the terminal.
    func viewport(y: Double, width: Double, height: Double) -> (x: Double, y: Double, width: Double, height: Double) {
        self == .vertical ? (0, y, width, height) : (y, 0, height, width)
    }

    /// Converts a picture in the axes of the list to the axes of the terminal.
    func terminalPicture(of picture: Picture) -> Picture {
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
            offset: Position(x: picture.offset.y, y: picture.offset.x), shown: shown,
            shift: Position(x: picture.shift.y, y: picture.shift.x), sticky: picture.sticky,
            stickyEdge: picture.stickyEdge)
    }
}
