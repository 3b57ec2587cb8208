// SPDX-License-Identifier: Apache-2.0

import CNcurses
import Dispatch
import Glibc
import Synchronization

/// The terminal on standard input and output, driven by ncurses.
///
/// ncurses has one global state, which is used on a serial queue of this class only. Drawing and reading run there, so
/// that a terminal whose output nobody reads blocks nothing else. While one screen is being written, only the newest
/// of the screens that follow is kept. `end` restores what the terminal showed before.
final class CursesTerminal: Sendable {
    private let queue = DispatchQueue(label: "org.listd.listctl.terminal")
    /// The next screen to draw; nil when its drawing has begun.
    private let pendingScreen = Mutex<TerminalScreen?>(nil)
    private let savedMode: termios
    private let style: CursesStyle
    private let input: CursesInput

    /// The seconds that the terminal has to accept the remaining output when the viewer ends.
    private static let endTimeout = 2.0

    /// Takes over the terminal.
    ///
    /// The result is nil when TERM names an unknown terminal or one that cannot move its cursor, or when standard input
    /// is no terminal. Install signal handlers before: ncurses installs its own for signals without a handler.
    init?(hasColours: Bool, receiver: @escaping @Sendable (TerminalInput) -> Void) {
        var saved = termios()
        // The C library fills in the mode.
        guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0, let keys = KeyPipe() else { return nil }
        savedMode = saved
        let style = queue.sync { () -> CursesStyle? in
            guard listd_curses_begin(keys.readEnd) else { return nil }
            raw()
            noecho()
            nonl()
            listd_curses_read_keys()
            _ = set_escdelay(0)  // each key arrives whole
            listd_curses_report_mouse()
            _ = curs_set(0)
            return CursesStyle(hasColours: hasColours)
        }
        guard let style else { return nil }
        self.style = style
        input = CursesInput(keys: keys, queue: queue, receiver: receiver)
    }

    /// Queues a screen for drawing. A newer screen replaces it if drawing has not begun by then.
    func draw(_ screen: TerminalScreen) {
        let isDrawScheduled = pendingScreen.withLock { pending in
            var screen = screen
            screen.redrawsEverything = screen.redrawsEverything || pending?.redrawsEverything == true
            defer { pending = screen }
            return pending != nil
        }
        guard !isDrawScheduled else { return }
        queue.async { [self] in
            let newest = pendingScreen.withLock { pending in
                defer { pending = nil }
                return pending
            }
            if let newest { show(newest) }
        }
    }

    /// Restores the terminal. Returns `false` when the terminal did not accept the remaining output in time, because
    /// nobody reads it; that output is lost.
    func end() -> Bool {
        input.cancel()
        pendingScreen.withLock { $0 = nil }
        let ended = DispatchGroup()
        queue.async(group: ended) { _ = endwin() }
        let isWritten = ended.wait(timeout: .now() + Self.endTimeout) == .success
        var mode = savedMode
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
        // TCSANOW does not wait for unfinished output; the C library copies the mode.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        return isWritten
    }

    // MARK: - On the queue

    private func show(_ screen: TerminalScreen) {
        let (columns, rows) = (Int32(clamping: screen.columns), Int32(clamping: screen.lines.count))
        if columns != listd_curses_columns() || rows != listd_curses_rows() { _ = resizeterm(rows, columns) }
        if screen.redrawsEverything { listd_curses_forget() }
        listd_curses_erase()
        for (row, line) in screen.lines.enumerated() { show(line, at: row) }
        if let caret = screen.caret {
            listd_curses_move(Int32(clamping: caret), rows - 1)
        }
        _ = curs_set(screen.caret == nil ? 0 : 1)
        listd_curses_refresh()
    }

    private func show(_ line: StyledLine, at row: Int) {
        listd_curses_move(0, Int32(clamping: row))
        for part in line.parts {
            let appearance = style.appearance(of: part.style)
            listd_curses_style(appearance.attributes, appearance.pair)
            let characters = part.text.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
            // ncurses copies the characters.
            unsafe characters.withUnsafeBufferPointer {
                unsafe listd_curses_add($0.baseAddress, Int32(clamping: $0.count))
            }
        }
        listd_curses_style(0, 0)
    }
}
