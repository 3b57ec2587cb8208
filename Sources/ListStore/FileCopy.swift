// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Functions that copy files.
enum FileCopy {
    private static let chunkSize = 1 << 18

    /// Copies a file with its permissions to a path that does not exist. Returns false and sets `errno` on failure.
    static func copy(_ path: String, to other: String) -> Bool {
        let from = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else { return false }
        defer { close(from) }
        var status = stat()
        guard unsafe fstat(from, &status) == 0 else { return false }
        let target = unsafe open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o777)
        guard target >= 0 else { return false }
        let isCopied = send(from, to: target)
        let error = errno
        close(target)
        if !isCopied {
            unsafe unlink(other)
            errno = error
        }
        return isCopied
    }

    /// Copies an open file, from its beginning, into another open file. Returns false and sets `errno` on failure.
    static func send(_ source: Int32, to target: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        var offset: off_t = 0
        while true {
            // Both calls stay within the array.
            let count = unsafe pread(source, &chunk, chunk.count, offset)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            guard unsafe chunk.withUnsafeBytes({ unsafe write($0.prefix(count), to: target) }) else { return false }
            offset += off_t(count)
        }
    }

    /// Returns the bytes of a file; nil if it cannot be read.
    static func bytes(of path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: chunkSize))
        while true {
            // The call stays within the array.
            let count = unsafe read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
    }

    /// Writes all bytes. Returns false and sets `errno` on failure.
    static func write(_ bytes: Slice<UnsafeRawBufferPointer>, to target: Int32) -> Bool {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(target, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            unsafe rest = rest.dropFirst(count)
        }
        return true
    }
}
