import Glibc

/// The terminal on standard input and output, switched to single keys and the second screen while it lives.
///
/// The one owner of the terminal's mode: `restore` brings back what was there, also when called twice.
struct Terminal: ~Copyable {
    private var saved = termios()
    private var isRaw = false

    /// Whether a person sits at both ends.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Switches the terminal; does nothing when standard input is none. The C library copies the modes.
    init() {
        guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else { return }
        var single = Self.singleKeys(saved)
        isRaw = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &single) == 0
        if isRaw { Self.write("\u{1B}[?1049h\u{1B}[?25l") }
    }

    /// Brings back the mode and the screen from before.
    mutating func restore() {
        guard isRaw else { return }
        isRaw = false
        Self.write("\u{1B}[?25h\u{1B}[?1049l")
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
    }

    /// Columns and rows of the screen; 80 × 24 when the terminal does not say.
    static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Draws on the screen; a terminal that has gone also ends standard input, which is how its loss is noticed.
    static func write(_ text: String) {
        try? StandardDescriptor.output.write(text)
    }

    /// Single keys without echo; output processing stays, so that a newline still returns the carriage.
    private static func singleKeys(_ mode: termios) -> termios {
        var mode = mode
        mode.c_iflag &= ~tcflag_t(ICRNL | IXON | BRKINT | INPCK | ISTRIP)
        mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        return mode
    }
}
