// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The terminal on standard input and output.
enum Terminal {
    /// Whether input and output are terminals.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Columns and rows of the screen; 80 × 24 when the terminal does not tell.
    static func size() -> (columns: Int, rows: Int) { size(of: STDOUT_FILENO) ?? (80, 24) }

    /// The width of a descriptor's terminal; nil when it is none, or does not tell.
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
