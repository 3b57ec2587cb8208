// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Sends entries to systemd's journal with their fields; what the journal does not take goes to standard error.
package struct JournalSink: LogSink {
    private let fallback = StandardErrorSink(prefixed: true)

    /// Makes a sink.
    package init() {}

    /// The sink for a process with this environment: the journal if standard error is the journal's and its socket can
    /// be reached, lines with priorities if only the former, plain lines otherwise.
    package static func suitable(environment: [String: String]) -> any LogSink {
        guard isListening(environment: environment) else { return StandardErrorSink(prefixed: false) }
        // sd_journal_sendv(3) drops entries in silence where there is no socket (a container that inherited the stream).
        let reachable = unsafe access("/run/systemd/journal/socket", W_OK) == 0
        return reachable ? JournalSink() : StandardErrorSink(prefixed: true)
    }

    /// Whether standard error is the journal's: `$JOURNAL_STREAM` names its device and inode (systemd.exec(5)).
    package static func isListening(environment: [String: String], descriptor: Int32 = STDERR_FILENO) -> Bool {
        guard let stream = environment["JOURNAL_STREAM"] else { return false }
        let numbers = stream.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        var status = stat()
        guard numbers.count == 2, unsafe fstat(descriptor, &status) == 0 else { return false }
        return numbers[0] == UInt64(status.st_dev) && numbers[1] == UInt64(status.st_ino)
    }

    /// Sends one datagram (sd_journal_sendv(3)).
    package func write(_ entry: LogEntry) {
        var lines = ["MESSAGE=\(entry.message)", "PRIORITY=\(entry.level.rawValue)"]
        if let event = entry.event { lines.append("MESSAGE_ID=\(event.rawValue)") }
        lines += entry.fields.map { "\($0.name)=\($0.value)" }
        if !Self.send(lines) { fallback.write(entry) }
    }

    private static func send(_ lines: [String]) -> Bool {
        // One buffer holds every line; it outlives the call, and the journal copies what it is given.
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
