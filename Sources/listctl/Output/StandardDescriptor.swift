// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Standard output or standard error.
enum StandardDescriptor: Int32 {
    case output = 1
    case errors = 2

    /// The error of a write that failed, with its `errno`.
    struct WriteFailure: Error, Equatable {
        let number: Int32
    }

    /// Writes a whole text, however long the reader takes. A terminal without UTF-8 gets the nearest ASCII characters.
    func write(_ text: String) throws(WriteFailure) {
        let text = hasUnicode ? text : PrintableText.asciiOnly(text)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            // The buffer belongs to `bytes` and lives for the call.
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case let number: throw WriteFailure(number: number)
            }
        }
    }

    /// Whether UTF-8 may be written, which is always so unless the descriptor is a terminal.
    private var hasUnicode: Bool {
        isatty(rawValue) == 0 || TextEncoding(environment: ProcessInfo.processInfo.environment) == .unicode
    }

    /// Whether the descriptor is a pipe or socket, whose other end can close.
    var isPipeOrSocket: Bool {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Blocks until the descriptor is writable. Writing can fail with `EAGAIN` because another process that shares the
    /// terminal may have made it non-blocking.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&descriptor, 1, -1)
    }

    /// Makes writing to a closed pipe fail with `EPIPE`, instead of ending the program by SIGPIPE.
    ///
    /// It installs an empty handler. Programs that this one starts would inherit an ignored signal, but do not
    /// inherit a handler.
    static func catchBrokenPipeSignal() {
        signal(SIGPIPE) { _ in }
    }

    /// Opens those standard descriptors that are closed, so that no socket gets their numbers. Otherwise, output could
    /// be written to the connection to the bus. Reading and writing of these descriptors fails.
    static func openMissing() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (output.rawValue, O_RDONLY), (errors.rawValue, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // The path is a constant. The system uses the lowest free number, which is `number`.
            _ = unsafe open("/dev/null", mode)
        }
    }
}
