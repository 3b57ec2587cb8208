// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How text for people is painted.
struct TextStyle: Equatable, Sendable {
    /// Whether colors are wanted.
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

    /// What a text says, which has its own look.
    enum Role: Sendable {
        case plain
        /// The head of a table.
        case heading
        /// What identifies a row.
        case name
        /// Something that is as it should be, something that may become so, and something that is not.
        case good, doubtful, bad
        /// Something that is read last.
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

    /// Whether escape sequences are written at all.
    let isColored: Bool
    /// How many columns a line may have; `nil` when nobody minds.
    let columns: Int?

    init(isColored: Bool, columns: Int?) {
        self.isColored = isColored
        self.columns = columns
    }

    /// The style for standard output, by no-color.org's rule.
    init(_ choice: Choice) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        // The C library's value is read before another thread can change it.
        let refuses = unsafe getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false
        let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) == "dumb" } ?? true
        let columns = isTerminal ? Terminal.size().columns : nil
        switch choice {
        case .automatic: self.init(isColored: isTerminal && !refuses && !isDumb, columns: columns)
        case .always: self.init(isColored: true, columns: columns)
        case .never: self.init(isColored: false, columns: columns)
        }
    }

    /// The text with its look; blanks at its end stay plain.
    func painted(_ text: String, _ role: Role) -> String {
        guard isColored, let code = role.code, !text.isEmpty else { return text }
        let shown = text.trimmingTrailingBlanks
        return "\u{1B}[\(code)m\(shown)\u{1B}[0m" + text.dropFirst(shown.count)
    }
}
