// SPDX-License-Identifier: Apache-2.0

import DBus
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
        do throws(StandardDescriptor.WriteFailure) {
            try StandardDescriptor.output.write(text)
        } catch {
            if error.number != EPIPE { printMessage("standard output: \(SystemError.text(error.number))") }
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
