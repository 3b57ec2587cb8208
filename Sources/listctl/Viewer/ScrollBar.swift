// SPDX-License-Identifier: Apache-2.0

/// The scroll bar in the right margin, which shows the visible part of the list and the working range. It makes no
/// calls.
enum ScrollBar {
    enum Mark: Equatable { case none, track, workingRange, thumb }

    /// Returns the mark on each row; all marks are `none` when the whole list is on the screen.
    ///
    /// - Parameters:
    ///   - visible: the visible part of the content, as fractions from 0 to 1.
    ///   - workingRange: the working range as fractions from 0 to 1; nil while unknown.
    static func marks(rows: Int, visible: ClosedRange<Double>, workingRange: ClosedRange<Double>?) -> [Mark] {
        guard rows > 0, visible.lowerBound > 0 || visible.upperBound < 1 else {
            return Array(repeating: .none, count: max(0, rows))
        }
        var marks = [Mark](repeating: .track, count: rows)
        if let workingRange { for row in range(workingRange, in: rows) { marks[row] = .workingRange } }
        for row in range(visible, in: rows) { marks[row] = .thumb }
        return marks
    }

    /// Returns the fraction of the list, from 0 to 1, to which a click on a row of the scroll bar scrolls.
    static func fraction(ofRow row: Int, rows: Int) -> Double {
        rows > 1 ? min(1, max(0, Double(row) / Double(rows - 1))) : 0
    }

    private static func range(_ part: ClosedRange<Double>, in rows: Int) -> Range<Int> {
        let first = min(rows - 1, max(0, Int((part.lowerBound * Double(rows)).rounded(.down))))
        let end = min(rows, max(first + 1, Int((part.upperBound * Double(rows)).rounded())))
        // The thumb touches an end of the scroll bar only if the screen shows that end of the list.
        if part.lowerBound > 0, first == 0, rows > 2, end < rows { return 1..<max(2, end) }
        if part.upperBound < 1, end == rows, rows > 2, first > 0 { return min(first, rows - 2)..<(rows - 1) }
        return first..<end
    }
}
