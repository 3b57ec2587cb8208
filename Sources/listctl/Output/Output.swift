// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc

/// Lines on standard output and complaints on standard error.
enum Output {
    /// Writes one line.
    static func line(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text as it is.
    ///
    /// When nobody takes it the program ends: quietly when the reader has gone, as everybody expects of a filter, else
    /// with a complaint. Both are a failure to whoever asks.
    static func write(_ text: String) {
        do throws(StandardDescriptor.WriteFailure) {
            try StandardDescriptor.output.write(text)
        } catch {
            if error.number != EPIPE { complain("standard output: \(SystemError.text(error.number))") }
            exit(ExitCode.failed.rawValue)
        }
    }

    /// Ends the program when the reader of a pipe goes, also while there is nothing to write.
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

    /// Writes a line to standard error, with the program's name in front; nobody can be told when that fails.
    ///
    /// The text may quote anybody, and is made harmless. On a terminal no word of it is cut in two.
    static func complain(_ text: String) {
        let text = "listctl: \(DisplayText.harmless(text))"
        let lines = Terminal.columns(of: StandardDescriptor.errors.rawValue).map { folded(text, to: $0) } ?? [text]
        try? StandardDescriptor.errors.write(lines.joined(separator: "\n") + "\n")
    }

    /// Words in lines of so many columns, all but the first with blanks in front; a word that is longer goes on as it is.
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
