// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Identifies a version of a file by its attributes, without reading it.
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

/// The content of a file that was read as a whole.
struct WholeFile {
    /// The maximum size in bytes, larger than the status file of any machine.
    static let maximumSize = 256 << 20

    let version: FileVersion
    let bytes: [UInt8]

    /// Reads a file.
    ///
    /// - Returns: `nil` if the file still has the version `known`.
    /// - Throws: The error of a system call; `EFBIG` if the file is too large, `EINVAL` if it is not a regular
    ///   file.
    init?(path: String, unlessVersion known: FileVersion?) throws(SystemError) {
        // The path outlives the call. Without O_NONBLOCK, opening a FIFO would block.
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
            guard bytes.count + count <= Self.maximumSize else { throw SystemError(path: path, code: EFBIG) }
            bytes += buffer.prefix(count)
        }
        self.bytes = bytes
    }
}
