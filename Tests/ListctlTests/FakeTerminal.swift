/// What a terminal makes of the bytes that the viewer writes: the cells, and the wrap that waits at the end of a line.
///
/// As xterm and ECMA-48 have it: a character in the last column leaves the cursor on it, and what erases from the cursor on
/// takes it away.
struct FakeTerminal {
    private(set) var cells: [[Character]]
    private var (row, column) = (0, 0)

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: "#", count: columns), count: rows)
    }

    var lines: [String] { cells.map { String($0) } }

    mutating func feed(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n": row = min(row + 1, cells.count - 1)
            case "\u{1B}":
                let sequence = rest.prefix { !("@"..."~").contains($0) || $0 == "[" }
                rest = rest.dropFirst(sequence.count)
                control(rest.popFirst())
            default: put(Character(scalar))
            }
        }
    }

    private mutating func control(_ final: UnicodeScalar?) {
        switch final {
        case "H": (row, column) = (0, 0)
        case "K": erase(row, from: min(column, cells[row].count - 1))
        case "J":
            erase(row, from: min(column, cells[row].count - 1))
            for below in cells.indices.dropFirst(row + 1) { erase(below, from: 0) }
        default: break
        }
    }

    private mutating func erase(_ row: Int, from first: Int) {
        for column in first..<cells[row].count { cells[row][column] = " " }
    }

    private mutating func put(_ character: Character) {
        if column == cells[row].count { (row, column) = (min(row + 1, cells.count - 1), 0) }
        cells[row][column] = character
        column += 1
    }
}
