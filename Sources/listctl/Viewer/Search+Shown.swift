// SPDX-License-Identifier: Apache-2.0

import ListClient

extension Search {
    /// Returns the headers and footers of a picture that contain a text. listd reports headers and footers only in
    /// pictures.
    static func headersAndFooters(with text: String, in picture: Picture) -> [Hit] {
        let wanted = text.lowercased()
        return picture.shown.values.compactMap { shown in
            guard let position = Position(of: shown), !position.isItem else { return nil }
            let title = ItemText.title(of: shown.content, objectID: shown.objectID)
            guard
                title.lowercased().contains(wanted)
                    || shown.content.values.contains(where: { contains(wanted, in: $0) })
            else { return nil }
            return Hit(objectID: shown.objectID, position: position)
        }
    }

    /// Returns the hit that comes first in the direction of the search, wrapping around at the ends of the list.
    static func first(of hits: [Hit], for query: Query) -> Hit? {
        func isAhead(_ hit: Hit) -> Bool {
            guard let start = query.start else { return true }
            if hit.position == start { return query.includesStart }
            return query.isBackwards ? hit.position < start : hit.position > start
        }
        func precedes(_ a: Hit, _ b: Hit) -> Bool {
            query.isBackwards ? a.position > b.position : a.position < b.position
        }
        return hits.min { a, b in isAhead(a) == isAhead(b) ? precedes(a, b) : isAhead(a) }
    }
}

extension Search.Position {
    /// The position of a shown item in the list; nil for the element that stands in for an empty list.
    init?(of shown: Picture.Shown) {
        switch shown.kind {
        case "header": self.init(section: Int(shown.section), part: .header)
        case "cell": self.init(section: Int(shown.section), part: .item(shown.item))
        case "footer": self.init(section: Int(shown.section), part: .footer)
        default: return nil
        }
    }

    fileprivate var isItem: Bool { if case .item = part { true } else { false } }
}
