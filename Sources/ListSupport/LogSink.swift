// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// One message on its way out.
package struct LogEntry: Sendable, Equatable {
    /// How important it is.
    package let level: Log.Level
    /// One line of text without control and format characters.
    package let message: String
    /// Facts about it.
    package let fields: [Log.Field]
    /// The kind of event, for important ones.
    package let event: Log.Event?

    /// Makes an entry; control and format characters of the message and of the fields become `\xNN`.
    package init(level: Log.Level, message: String, fields: [Log.Field], event: Log.Event?) {
        self.level = level
        self.message = Self.printable(message)
        self.fields = fields.map { Log.Field(name: $0.name, value: Self.printable($0.value)) }
        self.event = event
    }

    /// A client must not be able to forge a line or to steer a terminal: controls, separators of lines, directional and
    /// other format characters are escaped, as in error messages.
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

/// A place that log entries go to, from any thread.
package protocol LogSink: Sendable {
    /// Writes one entry; a failure to do so is not an error of the daemon.
    func write(_ entry: LogEntry)
}
