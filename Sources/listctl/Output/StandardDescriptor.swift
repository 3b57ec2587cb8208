// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Standard input, output or error.
enum StandardDescriptor: Int32 {
    case output = 1
    case errors = 2

    /// The system's error when bytes could not be written.
    struct WriteFailure: Error, Equatable {
        let number: Int32
    }

    /// Writes all of a text, however long the reader takes; on a terminal without UTF-8 with the nearest letters that
    /// it has.
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

    /// Files and programs get UTF-8, a terminal its own characters.
    private var hasUnicode: Bool {
        isatty(rawValue) == 0 || TextEncoding(environment: ProcessInfo.processInfo.environment) == .unicode
    }

    /// Whether the descriptor has another end that can close: files and devices have none.
    var hasReader: Bool {
        var status = stat()
        guard unsafe fstat(rawValue, &status) == 0 else { return false }
        return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// Another process may have made the shared terminal non-blocking.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&descriptor, 1, -1)
    }

    /// Makes a closed pipe an error of `write`, instead of ending the program by SIGPIPE.
    ///
    /// A handler, since started programs would inherit an ignored signal, but not a handler.
    static func surviveReaders() {
        signal(SIGPIPE) { _ in }
    }

    /// Opens the standard descriptors that are closed, so that no socket gets one of their numbers: writing then fails
    /// instead of going to the bus.
    static func keepNumbers() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (output.rawValue, O_RDONLY), (errors.rawValue, O_RDONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // The path is a constant; the lowest free number is this one.
            _ = unsafe open("/dev/null", mode)
        }
    }
}
