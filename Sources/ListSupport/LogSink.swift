// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc
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

/// A sink that sends entries with their fields to systemd's journal. Entries that the journal rejects go to standard
/// error.
package struct JournalSink: LogSink {
    private let fallback = StandardErrorSink(prefixed: true)

    /// Makes a sink.
    package init() {}

    package var isInJournal: Bool { true }

    /// Returns the sink for a process with this environment: the journal if standard error is connected to the
    /// journal and its socket is writable; lines with priorities if only standard error is connected; otherwise plain
    /// lines.
    package static func suitable(environment: [String: String]) -> any LogSink {
        guard isConnectedToJournal(environment: environment) else { return StandardErrorSink(prefixed: false) }
        // Without a socket, sd_journal_sendv(3) silently drops entries (in a container that inherited the stream, for
        // example).
        let reachable = unsafe access("/run/systemd/journal/socket", W_OK) == 0
        return reachable ? JournalSink() : StandardErrorSink(prefixed: true)
    }

    /// Returns whether standard error is connected to the journal: `$JOURNAL_STREAM` then names the device and inode of
    /// standard error (systemd.exec(5)).
    package static func isConnectedToJournal(
        environment: [String: String], descriptor: Int32 = STDERR_FILENO
    ) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"] else { return false }
        let numbers = stream.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        var status = stat()
        guard numbers.count == 2, unsafe fstat(descriptor, &status) == 0 else { return false }
        return numbers[0] == UInt64(status.st_dev) && numbers[1] == UInt64(status.st_ino)
    }

    /// Sends an entry to the journal as one datagram (sd_journal_sendv(3)).
    package func write(_ entry: LogEntry) {
        var lines = ["MESSAGE=\(entry.message)", "PRIORITY=\(entry.level.rawValue)"]
        if let event = entry.event { lines.append("MESSAGE_ID=\(event.rawValue)") }
        lines += entry.fields.map { "\($0.name)=\($0.value)" }
        if !Self.send(lines) { fallback.write(entry) }
    }

    /// Sends lines of the form `FIELD=value` as one entry; returns `false` if the journal did not accept it.
    private static func send(_ lines: [String]) -> Bool {
        // The buffer holds all lines and outlives the call. The journal copies its input.
        var bytes = lines.flatMap { Array($0.utf8) }
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            var start = 0
            var vectors: [iovec] = unsafe []
            for line in lines {
                let length = line.utf8.count
                unsafe vectors.append(iovec(iov_base: buffer.baseAddress?.advanced(by: start), iov_len: length))
                start += length
            }
            return unsafe sd_journal_sendv(vectors, Int32(clamping: vectors.count))
        }
        return result >= 0
    }
}

/// A sink that writes one line per entry to a file descriptor: to standard error, except in tests.
package struct StandardErrorSink: LogSink {
    private let prefixed: Bool
    private let descriptor: Int32

    /// Makes a sink.
    ///
    /// - Parameter prefixed: whether a line starts with its priority as `<n>`, as systemd reads it (sd-daemon(3)).
    package init(prefixed: Bool, descriptor: Int32 = STDERR_FILENO) {
        self.prefixed = prefixed
        self.descriptor = descriptor
    }

    /// Lines with priorities are for systemd, which passes them to the journal.
    package var isInJournal: Bool { prefixed }

    /// Writes the line with a single call, so that lines from several threads do not interleave.
    package func write(_ entry: LogEntry) {
        var line = prefixed ? "<\(entry.level.rawValue)>" : ""
        line += entry.message
        if !entry.fields.isEmpty {
            line += " (" + entry.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ") + ")"
        }
        line += "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, rest.count > 0 {
                let written = unsafe Glibc.write(descriptor, start, rest.count)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return }
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
    }
}
