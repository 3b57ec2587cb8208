// SPDX-License-Identifier: Apache-2.0

import ListClient

/// An item, header or footer of an object: what the cursor stands on and what is searched for, wherever it is on the screen.
struct Place: Equatable, Sendable {
    let objectID: String
    let part: Search.Position.Part

    /// The item that listd can be asked to scroll to.
    var item: UInt32 { if case .item(let item) = part { item } else { 0 } }

    init(objectID: String, part: Search.Position.Part) {
        self.objectID = objectID
        self.part = part
    }

    /// The place of something that is shown; nil for what is no part of a section.
    init?(of shown: Picture.Shown) {
        guard let position = Search.Position(of: shown), !shown.objectID.isEmpty else { return nil }
        self.init(objectID: shown.objectID, part: position.part)
    }

    func isPlace(of shown: Picture.Shown) -> Bool { Place(of: shown) == self }

    // Canonically equivalent ids are different ones.
    static func == (a: Place, b: Place) -> Bool {
        a.part == b.part && a.objectID.utf8.elementsEqual(b.objectID.utf8)
    }
}
