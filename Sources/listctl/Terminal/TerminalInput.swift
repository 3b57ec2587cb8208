// SPDX-License-Identifier: Apache-2.0

/// A key that the user pressed, or a typed character.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, interrupt, redraw
    /// Control-U, which deletes the typed text.
    case deleteLine
    case character(Character)
}

/// One event of the terminal: a key, a mouse event, or a hangup.
enum TerminalInput: Sendable, Equatable {
    case key(Key)
    /// A click with the first mouse button at a column and row of the terminal.
    case click(column: Int, row: Int)
    /// A turn of the mouse wheel by a number of notches; negative numbers are up.
    case wheel(Int)
    /// The terminal has hung up.
    case hungUp
}
