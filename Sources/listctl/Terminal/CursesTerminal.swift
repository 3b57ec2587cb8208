// SPDX-License-Identifier: Apache-2.0

import CNcurses
import Dispatch
import Glibc
import Synchronization

/// The terminal on standard input and output, driven by ncurses.
///
/// ncurses has one state for the process, which belongs to the serial queue made here: it draws and reads there, so that
/// a terminal that nobody reads holds up nothing else. Of the screens that were drawn while one is being written only the
/// newest is written next. `end` brings back what was there before.
final class CursesTerminal: Sendable {
    private let queue = DispatchQueue(label: "org.listd.listctl.terminal")
    /// The screen that is drawn next, when none of it is drawn yet.
    private let waiting = Mutex<TerminalScreen?>(nil)
    private let saved: termios
    private let style: CursesStyle
    private let input: CursesInput

    /// How long a terminal may take to show what it has got when the viewer ends.
    private static let patience = 2.0

    /// Takes over the terminal; nil when its kind (TERM) is not known or has no cursor to put anywhere, or standard input is
    /// none.
    ///
    /// What signals do must be settled before: ncurses takes those that nobody has.
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
            _ = set_escdelay(0)  // keys come whole
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

    /// Gives the terminal back; answers whether it took what was written. When it did not, what is left is lost with the
    /// process: nobody looks.
    func end() -> Bool {
        input.cancel()
        waiting.withLock { $0 = nil }
        let taken = DispatchGroup()
        queue.async(group: taken) { _ = endwin() }
        let isRead = taken.wait(timeout: .now() + Self.patience) == .success
        var mode = saved
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
        // Never waits for what is being written; the mode is copied.
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
