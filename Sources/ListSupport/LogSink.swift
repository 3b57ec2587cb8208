// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// One message of the log with its fields.
package struct LogEntry: Sendable, Equatable {
    /// The importance of the message.
    package let level: Log.Level
    /// One line of text without control and format characters.
    package let message: String
    /// The journal fields of the message.
    package let fields: [Log.Field]
    /// The kind of event, for an important event.
    package let event: Log.Event?

    /// Makes an entry; control and format characters of the message and of the fields become `\xNN`.
    package init(level: Log.Level, message: String, fields: [Log.Field], event: Log.Event?) {
        self.level = level
        self.message = Self.printable(message)
        self.fields = fields.map { Log.Field(name: $0.name, value: Self.printable($0.value)) }
        self.event = event
    }

    /// Escapes control characters, line separators, and directional and other format characters, as error messages
    /// do. Otherwise a client could forge a log line or control a terminal.
    package static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.mustBeEscaped) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.mustBeEscaped {
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + String(repeating: "0", count: max(0, 2 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// A destination of log entries; it is called from any thread.
package protocol LogSink: Sendable {
    /// Writes an entry; failures are ignored.
    func write(_ entry: LogEntry)
    /// Whether entries reach systemd's journal.
    var isInJournal: Bool { get }
}

extension LogSink {
    package var isInJournal: Bool { false }
}
