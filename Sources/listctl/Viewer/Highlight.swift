// SPDX-License-Identifier: Apache-2.0

/// The marking of a searched text in lines. Case is ignored.
struct Highlight {
    private let wanted: [String]

    /// Creates a highlight of a text; nil when the text is empty.
    init?(_ text: String, in encoding: TextEncoding) {
        let cells = PrintableText(text, in: encoding).cells
        guard !cells.isEmpty else { return nil }
        wanted = cells.map { $0.character.lowercased() }
    }

    /// Returns the line with all hits marked, except hits that extend over two parts of the line.
    func marked(_ line: StyledLine) -> StyledLine {
        var result = StyledLine()
        for part in line.parts {
            let cells = part.text.cells
            var done = 0
            for hit in hits(in: cells.map { $0.character.lowercased() }) {
                result.append(part.text[done..<hit], part.style)
                done = hit + wanted.count
                let role: Style.Role = part.style.role == .cursor ? .hitAtCursor : .hit
                result.append(part.text[hit..<done], .role(role))
            }
            result.append(part.text[done..<cells.count], part.style)
        }
        return result
    }

    /// Returns the positions at which hits start. Hits do not overlap.
    private func hits(in characters: [String]) -> [Int] {
        guard let first = wanted.first, characters.count >= wanted.count else { return [] }
        var (hits, place) = ([Int](), 0)
        while place + wanted.count <= characters.count {
            if characters[place] == first, characters[place..<(place + wanted.count)].elementsEqual(wanted) {
                hits.append(place)
                place += wanted.count
            } else {
                place += 1
            }
        }
        return hits
    }
}
