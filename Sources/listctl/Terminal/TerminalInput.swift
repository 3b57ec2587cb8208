// SPDX-License-Identifier: Apache-2.0

/// What a person typed.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt, redraw
    /// Control-U, which takes away what was typed.
    case deleteLine
    case character(Character)
}

/// What comes from the terminal.
enum TerminalInput: Sendable, Equatable {
    case key(Key)
    /// The first mouse button, at a column and row of the terminal.
    case click(column: Int, row: Int)
    /// The mouse wheel, so many notches down; negative is up.
    case wheel(Int)
    /// Nobody is at the other end any more.
    case hungUp
}
