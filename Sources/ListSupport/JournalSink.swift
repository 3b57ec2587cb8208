// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

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
