// SPDX-License-Identifier: Apache-2.0

/// A typed key.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt, redraw
    /// Control-U, which deletes the typed text.
    case deleteLine
    case character(Character)
}

/// Input of the terminal.
enum TerminalInput: Sendable, Equatable {
    case key(Key)
    /// The first mouse button, at a column and row of the terminal.
    case click(column: Int, row: Int)
    /// The mouse wheel, so many notches down; negative is up.
    case wheel(Int)
    /// The terminal has hung up.
    case hungUp
}
