// SPDX-License-Identifier: Apache-2.0

import CNcurses
import Dispatch
import Glibc
import Synchronization

/// The terminal on standard input and output, driven by ncurses.
///
/// ncurses has one state for the process, which belongs to the serial queue made here: drawing and reading happen
/// there, so that a terminal whose output is not read blocks nothing else. While a screen is being written, only the
/// newest of later ones is kept. `end` restores the former screen.
final class CursesTerminal: Sendable {
    private let queue = DispatchQueue(label: "org.listd.listctl.terminal")
    /// The screen that is drawn next, unless its drawing has begun.
    private let waiting = Mutex<TerminalScreen?>(nil)
    private let saved: termios
    private let style: CursesStyle
    private let input: CursesInput

    /// How long a terminal may take to accept the remaining output when the viewer ends.
    private static let patience = 2.0

    /// Takes over the terminal; nil when its kind (TERM) is unknown or cannot move its cursor, or standard input is no
    /// terminal.
    ///
    /// Install signal handlers before: ncurses handles signals that have none.
    init?(hasColours: Bool, receiver: @escaping @Sendable (TerminalInput) -> Void) {
        var saved = termios()
        // The C library fills in the mode.
        guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0, let keys = KeyPipe() else { return nil }
        self.saved = saved
        let began = queue.sync { () -> CursesStyle? in
            guard listd_curses_begin(keys.reading) else { return nil }
            raw()
            noecho()
            nonl()
            listd_curses_read_keys()
            _ = set_escdelay(0)  // keys arrive whole
            listd_curses_report_mouse()
            _ = curs_set(0)
            return CursesStyle(hasColours: hasColours)
        }
        guard let began else { return nil }
        style = began
        input = CursesInput(keys: keys, queue: queue, receiver: receiver)
    }

    /// Draws a screen, unless a newer one comes before its turn.
    func draw(_ screen: TerminalScreen) {
        let isAwaited = waiting.withLock { waiting in
            var screen = screen
            screen.isFresh = screen.isFresh || waiting?.isFresh == true
            defer { waiting = screen }
            return waiting != nil
        }
        guard !isAwaited else { return }
        queue.async { [self] in
            let newest = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            if let newest { show(newest) }
        }
    }

    /// Restores the terminal; returns whether it accepted the output. If not, the rest is lost with the process, as
    /// nobody reads it.
    func end() -> Bool {
        input.cancel()
        waiting.withLock { $0 = nil }
        let taken = DispatchGroup()
        queue.async(group: taken) { _ = endwin() }
        let isRead = taken.wait(timeout: .now() + Self.patience) == .success
        var mode = saved
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
        // Never waits for unfinished output; the mode is copied.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        return isRead
    }

    // MARK: - On the queue

    private func show(_ screen: TerminalScreen) {
        let (columns, rows) = (Int32(clamping: screen.columns), Int32(clamping: screen.lines.count))
        if columns != listd_curses_columns() || rows != listd_curses_rows() { _ = resizeterm(rows, columns) }
        if screen.isFresh { listd_curses_forget() }
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
            let look = style.look(of: part.style)
            listd_curses_style(look.attributes, look.pair)
            let characters = part.text.text.unicodeScalars.map { wchar_t(bitPattern: $0.value) }
            // ncurses copies the characters.
            unsafe characters.withUnsafeBufferPointer {
                unsafe listd_curses_add($0.baseAddress, Int32(clamping: $0.count))
            }
        }
        listd_curses_style(0, 0)
    }
}
