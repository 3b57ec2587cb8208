// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc

/// Functions that write lines to standard output and messages to standard error.
enum Output {
    /// Writes one line to standard output.
    static func writeLine(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text to standard output, without a line feed.
    ///
    /// If writing fails, the program exits with a failure. It prints a message, except when the reader has closed the
    /// pipe, as filters such as head(1) do.
    static func write(_ text: String) {
        do throws(POSIXError) {
            try StandardDescriptor.output.write(text)
        } catch {
            if error.code != .EPIPE { printMessage("standard output: \(SystemError.text(error.code.rawValue))") }
            exit(ExitCode.failed.rawValue)
        }
    }

    /// Makes the program exit as soon as the reader of standard output closes the pipe, also while there is nothing to
    /// write.
    @DBusActor
    static func exitWhenReaderCloses() {
        guard StandardDescriptor.output.isPipeOrSocket else { return }
        _ = try? EventLoop.shared.watch(StandardDescriptor.output.rawValue, for: .hangUp) { events in
            if !events.isDisjoint(with: [.failed, .hangUp]) { exit(ExitCode.failed.rawValue) }
        }
    }

    /// Writes a JSON object to standard output, on one line.
    static func writeJSON(_ members: [String: DBusValue]) {
        writeLine(JSONLine(.options(members)).text)
    }

    /// Writes a message to standard error, after the program's name. A failure to write it is ignored.
    ///
    /// Control characters are replaced, because the text may quote input. On a terminal, lines are broken between
    /// words.
    static func printMessage(_ text: String) {
        let text = "listctl: \(DisplayText.sanitized(text))"
        let lines = Terminal.columns(of: StandardDescriptor.errors.rawValue).map { folded(text, to: $0) } ?? [text]
        try? StandardDescriptor.errors.write(lines.joined(separator: "\n") + "\n")
    }

    /// Returns the lines of a text that is broken between words at `width` columns. All lines but the first are
    /// indented. A word that is longer than a line stays whole.
    private static func folded(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if let last = lines.last, DisplayText.columns(of: last) + 1 + DisplayText.columns(of: String(word)) <= width
            {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(lines.isEmpty ? String(word) : "  \(word)")
            }
        }
        return lines
    }
}

/// Standard output or standard error.
enum StandardDescriptor: Int32 {
    case output = 1
    case errors = 2

    /// Writes a whole text, however long the reader takes. A terminal without UTF-8 gets the nearest ASCII characters.
    func write(_ text: String) throws(POSIXError) {
        let text = hasUnicode ? text : PrintableText.asciiOnly(text)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // The buffer belongs to `bytes` and lives for the call.
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case let number: throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
            }
        }
    }

    /// Whether UTF-8 may be written, which is always so unless the descriptor is a terminal.
    private var hasUnicode: Bool {
        isatty(rawValue) == 0 || TextEncoding(environment: ProcessInfo.processInfo.environment) == .unicode
    }

    /// Whether the descriptor is a pipe or socket, whose other end can close.
    var isPipeOrSocket: Bool {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Blocks until the descriptor is writable. Writing can fail with `EAGAIN` because another process that shares the
    /// terminal may have made it non-blocking.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&descriptor, 1, -1)
    }

    /// Makes writing to a closed pipe fail with `EPIPE`, instead of ending the program by SIGPIPE.
    ///
    /// It installs an empty handler. Programs that this one starts would inherit an ignored signal, but do not
    /// inherit a handler.
    static func catchBrokenPipeSignal() {
        signal(SIGPIPE) { _ in }
    }

    /// Opens those standard descriptors that are closed, so that no socket gets their numbers. Otherwise, output could
    /// be written to the connection to the bus. Reading and writing of these descriptors fails.
    static func openMissing() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (output.rawValue, O_RDONLY), (errors.rawValue, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // The path is a constant. The system uses the lowest free number, which is `number`.
            _ = unsafe open("/dev/null", mode)
        }
    }
}

/// The style of text for people: whether it is coloured, and the maximum width of a line.
struct TextStyle: Equatable, Sendable {
    /// The values of the option `--color`.
    enum Choice: Equatable, Sendable {
        case automatic, always, never

        init(_ text: String) throws(UsageError) {
            switch text {
            case "auto": self = .automatic
            case "always": self = .always
            case "never": self = .never
            default: throw UsageError(message: "--color takes auto, always or never, not \(text)")
            }
        }
    }

    /// The meaning of a text, which decides its style.
    enum TextRole: Sendable {
        case plain
        /// The heading of a table.
        case heading
        /// The cell that identifies a row.
        case name
        /// A good state, one that may become good, and a bad one.
        case good, doubtful, bad
        /// The least important text.
        case faint

        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .heading: "4"
            case .name: "1"
            case .good: "32"
            case .doubtful: "33"
            case .bad: "1;31"
            case .faint: "2"
            }
        }
    }

    /// Whether escape sequences for colours and attributes are written.
    let isColored: Bool
    /// The maximum number of columns of a line; `nil` = no limit.
    let columns: Int?

    init(isColored: Bool, columns: Int?) {
        self.isColored = isColored
        self.columns = columns
    }

    /// The style for standard output. `NO_COLOR` is obeyed as no-color.org demands.
    init(_ choice: Choice) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        // The variables are read at once, before another thread could change the environment.
        let refuses = unsafe getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false
        let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) == "dumb" } ?? true
        let columns = isTerminal ? Terminal.size().columns : nil
        switch choice {
        case .automatic: self.init(isColored: isTerminal && !refuses && !isDumb, columns: columns)
        case .always: self.init(isColored: true, columns: columns)
        case .never: self.init(isColored: false, columns: columns)
        }
    }

    /// Returns the text with the escape sequences of its style. Blanks at the end of the text are not styled.
    func painted(_ text: String, _ role: TextRole) -> String {
        guard isColored, let code = role.code, !text.isEmpty else { return text }
        let shown = text.trimmingTrailingBlanks
        return "\u{1B}[\(code)m\(shown)\u{1B}[0m" + text.dropFirst(shown.count)
    }
}

/// A progress message on the last line of the terminal at standard error. It appears after one second.
final class Progress {
    private let what: String
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    init(_ what: String, total: Int) {
        self.what = what
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Shows how many of the `total` are done. The line is written at most five times a second.
    func show(_ done: Int) {
        let now = ContinuousClock.now
        guard isShown, now - start > .seconds(1), last.map({ now - $0 > .milliseconds(200) }) ?? true else { return }
        last = now
        try? StandardDescriptor.errors.write("\r\(done) of \(total) \(what)\u{1B}[K")
    }

    /// Erases the line.
    func end() {
        if last != nil { try? StandardDescriptor.errors.write("\r\u{1B}[K") }
    }
}
