// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc

/// Lines on standard output and messages on standard error.
enum Output {
    /// Writes one line.
    static func line(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text unchanged.
    ///
    /// When it cannot be written the program ends with a failure: without a message when the reader has closed the
    /// pipe, as filters do, else with one.
    static func write(_ text: String) {
        do throws(StandardDescriptor.WriteFailure) {
            try StandardDescriptor.output.write(text)
        } catch {
            if error.number != EPIPE { complain("standard output: \(SystemError.text(error.number))") }
            exit(ExitCode.failed.rawValue)
        }
    }

    /// Ends the program when the reader of a pipe closes it, also while there is nothing to write.
    @DBusActor
    static func endWithReader() {
        guard StandardDescriptor.output.hasReader else { return }
        _ = try? EventLoop.shared.watch(StandardDescriptor.output.rawValue, for: .hangUp) { events in
            if !events.isDisjoint(with: [.failed, .hangUp]) { exit(ExitCode.failed.rawValue) }
        }
    }

    /// Writes a JSON object on one line.
    static func json(_ members: [String: DBusValue]) {
        line(JSONLine(.options(members)).text)
    }

    /// Writes a line to standard error, after the program's name; a failure of that cannot be reported.
    ///
    /// The text may quote input, so control characters are escaped. On a terminal no word of it is cut in two.
    static func complain(_ text: String) {
        let text = "listctl: \(DisplayText.harmless(text))"
        let lines = Terminal.columns(of: StandardDescriptor.errors.rawValue).map { folded(text, to: $0) } ?? [text]
        try? StandardDescriptor.errors.write(lines.joined(separator: "\n") + "\n")
    }

    /// Words in lines of so many columns, all but the first indented; a longer word stays whole.
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
