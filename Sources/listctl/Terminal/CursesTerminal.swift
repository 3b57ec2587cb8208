// SPDX-License-Identifier: Apache-2.0

import CLinux
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

/// A reader of the terminal's bytes, which reports keys and mouse events.
///
/// `KeyAssembler` joins the bytes to whole keys. Each key goes through a pipe to ncurses, which decodes it. All
/// methods except `cancel` run on the queue of `CursesTerminal`.
final class CursesInput: @unchecked Sendable {
    // Constant; a dispatch source may be cancelled from any thread. All other state is used on the queue only.
    private let source: any DispatchSourceRead
    private let queue: DispatchQueue
    private let keys: KeyPipe
    private let receiver: @Sendable (TerminalInput) -> Void
    private var assembler = KeyAssembler()
    /// The number of reads so far. A timeout compares it to learn whether another byte arrived in the meantime.
    private var readCount = 0

    /// Starts reading on `queue`, until `cancel` is called.
    init(keys: KeyPipe, queue: DispatchQueue, receiver: @escaping @Sendable (TerminalInput) -> Void) {
        (self.keys, self.queue, self.receiver) = (keys, queue, receiver)
        // A file cannot be watched by epoll, but Dispatch reads it as one that is always readable.
        let readiness = listd_readiness(STDIN_FILENO)
        source = DispatchSource.makeReadSource(
            fileDescriptor: readiness < 0 ? STDIN_FILENO : readiness, queue: queue)
        source.setCancelHandler { if readiness >= 0 { close(readiness) } }
        source.setEventHandler { [weak self] in self?.read() }
        source.activate()
    }

    /// Stops reading.
    func cancel() { source.cancel() }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 1024)
        while Self.canRead {
            // The C library fills in the bytes.
            let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return receiver(.hungUp)
            }
            readCount += 1
            for byte in bytes.prefix(count) { decode(assembler.consume(byte)) }
        }
        scheduleTimeout()
    }

    private func scheduleTimeout() {
        guard let timeout = assembler.timeout else { return }
        let count = readCount
        queue.asyncAfter(deadline: .now() + .milliseconds(timeout)) { [weak self] in
            guard let self, readCount == count, !source.isCancelled else { return }
            // The byte may have arrived while the queue was busy drawing.
            guard !Self.canRead else { return read() }
            decode(assembler.handleTimeout())
            scheduleTimeout()
        }
    }

    private func decode(_ key: [UInt8]) {
        guard !key.isEmpty else { return }
        keys.write(key)
        readKeys(isSequence: key.count > 2 && key[0] == 0x1B)
    }

    private static var canRead: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // The C library fills in the events.
        return unsafe poll(&descriptor, 1, 0) > 0
    }
}

/// The pipe that ncurses reads instead of the terminal.
///
/// Writing never blocks: a key is much shorter than a pipe's capacity, and ncurses reads it at once.
struct KeyPipe: Sendable {
    /// The end that ncurses reads. It stays open until the process ends.
    let readEnd: Int32
    private let writeEnd: Int32

    /// Creates the pipe; nil when the process can open no more descriptors.
    init?() {
        var ends: [Int32] = [0, 0]
        // The C library fills in both ends.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func write(_ key: [UInt8]) {
        // The kernel copies the bytes.
        _ = unsafe Glibc.write(writeEnd, key, key.count)
    }
}

extension CursesInput {
    /// Reads all keys and mouse events that ncurses has received, and passes them to the receiver.
    ///
    /// - Parameter isSequence: whether the received bytes are an escape sequence. If ncurses does not know the
    ///   sequence, its bytes are ignored, so that its letters do not act as commands.
    private func readKeys(isSequence: Bool) {
        var number: UInt32 = 0
        while true {
            // The C function fills in the number.
            switch unsafe listd_curses_key(&number) {
            case OK where isSequence: break
            case OK:
                if let key = Self.key(forCharacter: number) { receiver(.key(key)) }
            case KEY_CODE_YES where Int32(bitPattern: number) == KEY_MOUSE:
                for input in Self.mouseEvents() { receiver(input) }
            case KEY_CODE_YES:
                if let key = Self.key(forCode: Int32(bitPattern: number)) { receiver(.key(key)) }
            default: return
            }
        }
    }

    private static func key(forCharacter number: UInt32) -> Key? {
        switch number {
        case 0x03, 0x04: .interrupt
        case 0x0C: .redraw
        case 0x0A, 0x0D: .enter
        case 0x15: .deleteLine
        case 0x1B: .escape
        case 0x7F, 0x08: .backspace
        case 0x02: .pageUp
        case 0x06: .pageDown
        case 0x0E: .down
        case 0x10: .up
        case 0..<0x20: nil
        default: Unicode.Scalar(number).map { .character(Character($0)) }
        }
    }

    private static func key(forCode code: Int32) -> Key? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE: .pageUp
        case KEY_NPAGE: .pageDown
        case KEY_HOME, KEY_A1: .home
        case KEY_END, KEY_C1: .end
        case KEY_ENTER: .enter
        case KEY_BACKSPACE, KEY_DC: .backspace
        default: nil
        }
    }

    /// Returns the pending mouse events, oldest first. ncurses reports a single `KEY_MOUSE` for all events that
    /// arrived together.
    private static func mouseEvents() -> [TerminalInput] {
        var (column, row): (Int32, Int32) = (0, 0)
        var inputs: [TerminalInput] = []
        while true {
            // The C function fills in the position.
            let event = unsafe listd_curses_mouse(&column, &row)
            let click = TerminalInput.click(column: Int(column), row: Int(row))
            switch event {
            case listd_mouse_click: inputs.append(click)
            case listd_mouse_double_click: inputs += [click, click]
            case listd_mouse_wheel_up: inputs.append(.wheel(-1))
            case listd_mouse_wheel_down: inputs.append(.wheel(1))
            case listd_mouse_other: break
            default: return inputs.reversed()
            }
        }
    }
}

/// The mapping of styles to attributes and colours of the terminal.
///
/// It uses the terminal's eight colours on the terminal's own background, which suits light and dark terminals. On a
/// terminal without colours, and with NO_COLOR, it uses attributes instead.
struct CursesStyle: Sendable {
    struct Appearance: Equatable {
        var attributes: UInt32 = 0
        var pair: Int16 = 0
    }

    /// The numbers of the colour pairs. The pairs of all accents follow from `firstAccent` on.
    private enum Pair: Int16 {
        case cursor = 1, hit, warning, status, key, firstAccent
    }

    let hasColours: Bool

    /// Initialises ncurses' colours. Call it once, on the terminal's queue.
    init(hasColours wanted: Bool) {
        hasColours = wanted && has_colors() && start_color() == OK
        guard hasColours else { return }
        let background: Int16 = use_default_colors() == OK ? -1 : Int16(COLOR_BLACK)
        let foreground: Int16 = background < 0 ? -1 : Int16(COLOR_WHITE)
        _ = init_pair(Pair.cursor.rawValue, Int16(COLOR_BLACK), Int16(COLOR_CYAN))
        _ = init_pair(Pair.hit.rawValue, Int16(COLOR_BLACK), Int16(COLOR_YELLOW))
        _ = init_pair(Pair.warning.rawValue, Int16(COLOR_RED), background)
        _ = init_pair(Pair.status.rawValue, foreground, background)
        _ = init_pair(Pair.key.rawValue, Int16(COLOR_CYAN), background)
        for accent in Style.Accent.allCases {
            _ = init_pair(Pair.firstAccent.rawValue + Int16(accent.rawValue), Self.colour(of: accent), background)
        }
    }

    func appearance(of style: Style) -> Appearance {
        var appearance = hasColours ? coloured(style.role) : plain(style.role)
        if style.isBold { appearance.attributes |= listd_attribute_bold }
        return appearance
    }

    private func coloured(_ role: Style.ScreenRole) -> Appearance {
        switch role {
        case .plain: Appearance()
        case .dim: Appearance(attributes: listd_attribute_dim)
        case .heading: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status: Appearance(attributes: listd_attribute_reverse)
        case .key: Appearance(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Appearance(attributes: listd_attribute_bold, pair: Pair.warning.rawValue)
        case .cursor: Appearance(pair: Pair.cursor.rawValue)
        case .hit: Appearance(pair: Pair.hit.rawValue)
        case .hitAtCursor:
            Appearance(attributes: listd_attribute_underline | listd_attribute_bold, pair: Pair.hit.rawValue)
        case .accent(let accent): Appearance(pair: Pair.firstAccent.rawValue + Int16(accent.rawValue))
        }
    }

    private func plain(_ role: Style.ScreenRole) -> Appearance {
        switch role {
        case .plain, .accent: Appearance()
        case .dim: Appearance(attributes: listd_attribute_dim)
        case .heading: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .status, .cursor: Appearance(attributes: listd_attribute_reverse)
        case .key: Appearance(attributes: listd_attribute_reverse | listd_attribute_bold)
        case .warning: Appearance(attributes: listd_attribute_bold)
        case .hit: Appearance(attributes: listd_attribute_bold | listd_attribute_underline)
        case .hitAtCursor:
            Appearance(attributes: listd_attribute_reverse | listd_attribute_bold | listd_attribute_underline)
        }
    }

    private static func colour(of accent: Style.Accent) -> Int16 {
        switch accent {
        case .blue: Int16(COLOR_BLUE)
        case .green: Int16(COLOR_GREEN)
        case .cyan: Int16(COLOR_CYAN)
        case .magenta: Int16(COLOR_MAGENTA)
        case .yellow: Int16(COLOR_YELLOW)
        case .red: Int16(COLOR_RED)
        }
    }
}
