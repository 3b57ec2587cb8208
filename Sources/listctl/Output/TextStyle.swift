// SPDX-License-Identifier: Apache-2.0

import Glibc

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
    enum Role: Sendable {
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
    func painted(_ text: String, _ role: Role) -> String {
        guard isColored, let code = role.code, !text.isEmpty else { return text }
        let shown = text.trimmingTrailingBlanks
        return "\u{1B}[\(code)m\(shown)\u{1B}[0m" + text.dropFirst(shown.count)
    }
}
