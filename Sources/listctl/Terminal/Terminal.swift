// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The terminal on standard input and output, and its size.
enum Terminal {
    /// Whether standard input and standard output are terminals.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Returns the number of columns and rows of the terminal; 80 × 24 when the terminal does not report its size.
    static func size() -> (columns: Int, rows: Int) { size(of: STDOUT_FILENO) ?? (80, 24) }

    /// Returns the width of the terminal at a descriptor; nil when the descriptor is no terminal, or the terminal does
    /// not report its size.
    static func columns(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        // The kernel fills in the size.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
