// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The identity of an item, header or footer of an object, wherever it is on the screen. Cursor and hits use it.
struct Place: Equatable, Sendable {
    let objectID: String
    let part: Search.Position.Part

    /// The item index for `ScrollTo`; 0 for a header or footer.
    var item: UInt32 { if case .item(let item) = part { item } else { 0 } }

    init(objectID: String, part: Search.Position.Part) {
        self.objectID = objectID
        self.part = part
    }

    /// The place of a shown item; nil for the element that stands in for an empty list.
    init?(of shown: Picture.Shown) {
        guard let position = Search.Position(of: shown), !shown.objectID.isEmpty else { return nil }
        self.init(objectID: shown.objectID, part: position.part)
    }

    func matches(_ shown: Picture.Shown) -> Bool { Place(of: shown) == self }

    // Ids are compared as bytes, because canonically equivalent ids are different.
    static func == (a: Place, b: Place) -> Bool {
        a.part == b.part && a.objectID.utf8.elementsEqual(b.objectID.utf8)
    }
}
