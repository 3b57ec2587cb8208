import Glibc

/// The terminal on standard input and output.
enum Terminal {
    /// Whether a person sits at both ends.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Columns and rows of the screen; 80 × 24 when the terminal does not say.
    static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        // The kernel fills in the size.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
