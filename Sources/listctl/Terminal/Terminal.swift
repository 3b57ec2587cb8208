import Glibc

/// The terminal on standard input and output, switched to single keys and the second screen while it lives.
///
/// The one owner of the terminal's mode: `restore` brings back what was there, also when called twice.
struct Terminal: ~Copyable {
    private var saved = termios()
    private var isRaw = false
    private let output: TerminalOutput

    /// Whether a person sits at both ends.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// How long a terminal may take to show what it has got when the viewer ends.
    private static let patience = 2.0

    /// Switches the terminal; does nothing when standard input is none. The C library copies the modes.
    init(_ output: TerminalOutput) {
        self.output = output
        guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else { return }
        isRaw = Self.set(Self.singleKeys(saved))
        if isRaw { output.write("\u{1B}[?1049h\u{1B}[?25l") }
    }

    /// Brings back the mode and the screen from before; answers whether the terminal takes what is written.
    mutating func restore() -> Bool {
        guard isRaw else { return true }
        isRaw = false
        let isRead = output.end(with: "\u{1B}[?25h\u{1B}[?1049l", within: Self.patience)
        _ = Self.set(saved)
        return isRead
    }

    /// Sets the mode and forgets what was typed before; never waits for what is being written.
    private static func set(_ mode: termios) -> Bool {
        var mode = mode
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
        return unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0
    }

    /// Columns and rows of the screen; 80 × 24 when the terminal does not say.
    static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Single keys without echo; output processing stays, so that a newline still returns the carriage.
    private static func singleKeys(_ mode: termios) -> termios {
        var mode = mode
        mode.c_iflag &= ~tcflag_t(ICRNL | IXON | BRKINT | INPCK | ISTRIP)
        mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        return mode
    }
}
