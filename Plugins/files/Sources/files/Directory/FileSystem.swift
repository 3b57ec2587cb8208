// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that failed, with the kernel's message.
struct FileSystemError: Error, CustomStringConvertible {
    /// The path, or `inotify`, that the call failed for.
    var subject: String
    /// The error number.
    var code: Int32

    var description: String { "\(subject): \(Self.text(of: code))" }

    private static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // The buffer has the passed length, and ends with NUL if the call succeeds.
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An open directory of the listed tree. All entries and their attributes are read through this type.
struct Directory: ~Copyable {
    private let descriptor: Int32
    /// The path of the directory, relative to the listed directory.
    let path: EntryPath
    private let subject: String

    /// Opens the listed directory.
    init(root: String) throws(FileSystemError) {
        // The path outlives the call.
        descriptor = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystemError(subject: root, code: errno) }
        path = .root
        subject = root
    }

    private init(descriptor: Int32, path: EntryPath, subject: String) {
        self.descriptor = descriptor
        self.path = path
        self.subject = subject
    }

    deinit { close(descriptor) }

    /// Opens a directory below this one. Symbolic links in `path` are not followed.
    func openDirectory(at path: EntryPath) throws(FileSystemError) -> Directory {
        var current = dup(descriptor)
        for name in path.components {
            guard current >= 0 else { break }
            // The name's copy ends with NUL and outlives the call.
            let next = unsafe openat(
                current, EntryPath(bytes: name).cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let code = errno
            close(current)
            errno = code
            current = next
        }
        let subject = "\(subject)/\(path.text)"
        guard current >= 0 else { throw FileSystemError(subject: subject, code: errno) }
        return Directory(descriptor: current, path: self.path.child(path), subject: subject)
    }

    /// Returns the names of the entries to list, in no order. Stops after `limit` names.
    func names(upTo limit: Int, where isWanted: (EntryPath) -> Bool) throws(FileSystemError) -> [EntryPath] {
        // The stream owns the duplicate and closes it; readdir's record is copied before the next call.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else {
            let code = errno
            if copy >= 0 { close(copy) }
            throw FileSystemError(subject: subject, code: code)
        }
        defer { unsafe closedir(stream) }
        unsafe rewinddir(stream)
        var names: [EntryPath] = []
        errno = 0
        while names.count < limit, let record = unsafe readdir(stream) {
            let name = unsafe EntryPath(record: record)
            if !name.isDot, isWanted(path.child(name)) { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw FileSystemError(subject: subject, code: errno) }
        return names
    }

    /// Returns the entry with a name and its present attributes; `nil` if it does not exist or may not be read.
    func entry(named name: EntryPath) -> FileEntry? {
        var status = stat()
        // The name's copy ends with NUL and outlives the call; the status is a local.
        guard unsafe fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        let kind = FileKind(mode: status.st_mode)
        return FileEntry(
            path: path.child(name),
            identity: FileEntry.Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            kind: kind,
            size: kind == .directory ? 0 : UInt64(clamping: status.st_size),
            modified: status.st_mtim.microseconds,
            mode: status.st_mode,
            owner: status.st_uid,
            target: kind == .link ? target(of: name) : nil,
            device: DeviceKind(mode: status.st_mode))
    }

    private func target(of name: EntryPath) -> EntryPath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The buffer has the passed length; the name's copy outlives the call.
        let count = unsafe readlinkat(descriptor, name.cString, &buffer, buffer.count)
        return count > 0 ? EntryPath(bytes: buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }

    /// A path that leads to this very directory even after it was renamed.
    var kernelPath: String { "/proc/self/fd/\(descriptor)" }
}

extension EntryPath {
    /// Copies the NUL-terminated name out of a record of readdir(3).
    fileprivate init(record: UnsafeMutablePointer<dirent>) {
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(record).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        let length = unsafe strlen(start)
        unsafe self.init(bytes: UnsafeRawBufferPointer(start: start, count: length))
    }

    /// The name as a NUL-terminated C string.
    fileprivate var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }
}

extension FileKind {
    fileprivate init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .link
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }
}

extension DeviceKind {
    fileprivate init?(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFCHR: self = .character
        case S_IFBLK: self = .block
        default: return nil
        }
    }
}

extension timespec {
    /// The time in microseconds since 1970, clamped to 64 bits.
    fileprivate var microseconds: Int64 {
        let (product, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return tv_sec < 0 ? .min : .max }
        return product + Int64(tv_nsec) / 1_000
    }
}

extension FileSystemError {
    /// Whether the kernel has no inotify instance or watch left for this user.
    var isLackOfWatches: Bool { code == EMFILE || code == ENFILE || code == ENOSPC }

    /// Whether the directory is gone, or is no longer a directory.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

    /// Whether the file system refuses to read this directory, while others can be read.
    var isRefusal: Bool { code == EACCES || code == EPERM || code == EIO || code == ENAMETOOLONG }
}
