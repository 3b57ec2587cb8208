// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
