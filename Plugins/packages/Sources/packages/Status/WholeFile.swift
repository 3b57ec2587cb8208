// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Distinguishes states of a file without reading it.
struct FileVersion: Equatable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int
    private var nanoseconds: Int

    fileprivate init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}

/// A file that is read as a whole.
struct WholeFile {
    /// Larger than the status file of any machine.
    static let greatestSize = 256 << 20

    let version: FileVersion
    let bytes: [UInt8]

    /// Reads a file.
    ///
    /// - Returns: `nil` when the file still has the state `known`.
    /// - Throws: the system's error; `EFBIG` when the file is too large, `EINVAL` when it is not a regular file.
    init?(path: String, unlessStill known: FileVersion?) throws(SystemError) {
        // The path outlives the call; non-blocking, because it may be a pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        // The status is a local variable.
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(path: path, code: EINVAL) }
        version = FileVersion(status)
        if version == known { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            // The buffer has the passed length.
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(path: path, code: errno) }
            if count == 0 { break }
            guard bytes.count + count <= Self.greatestSize else { throw SystemError(path: path, code: EFBIG) }
            bytes += buffer.prefix(count)
        }
        self.bytes = bytes
    }
}
