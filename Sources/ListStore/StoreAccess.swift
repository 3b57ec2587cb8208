// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import ListKit
internal import ListSupport

/// Who may access the files of a store, and why listd may not.
package enum StoreAccess {
    /// Makes all files of a store readable by their owner only, whatever mode an earlier umask gave them.
    ///
    /// - Returns: what an administrator has to correct, one sentence each; empty if nobody else can read the files.
    package static func restrict(directory: String) -> [String] {
        var findings: [String] = []
        for name in StoreFiles.names(in: directory) where name.hasPrefix(SQLiteStore.fileName) {
            let path = "\(directory)/\(name)"
            guard let mode = mode(of: path), mode & 0o077 != 0 else { continue }
            if unsafe chmod(path, mode & 0o700) != 0 {
                findings.append(
                    "\(path) can be read by other users (mode \(octal(mode))), and listd cannot change that: "
                        + "\(SystemError.text(errno)); run chmod 600 \(path)")
            }
        }
        if let mode = mode(of: directory), mode & 0o011 != 0 {
            findings.append(
                "the state directory \(directory) can be entered by other users (mode \(octal(mode))); "
                    + "run chmod 700 \(directory)")
        }
        return findings
    }

    /// Returns the error for a failure of SQLite, whose own messages do not tell a read-only file system or a wrong
    /// owner from a broken disk. The cause says which file or file system is at fault, and what to do.
    static func error(for failure: SQLiteFailure, at path: String) -> ListError {
        guard failure.isOfAccess, let reason = obstacle(to: path) else { return failure.listError }
        return ListError(.storeFailed, "the store cannot be written, and nothing is lost", cause: reason)
    }

    /// Returns what prevents this process from writing a store's files: the first obstacle; nil if there is none.
    static func obstacle(to path: String) -> String? {
        let directory = StoreFiles.directory(of: path)
        let names = StoreFiles.names(in: directory).filter { $0.hasPrefix(SQLiteStore.fileName) }
        for path in [directory, path] + names.map({ "\(directory)/\($0)" }) {
            let isDirectory = path == directory
            guard unsafe access(path, isDirectory ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 else { continue }
            switch errno {
            case ENOENT: continue
            case EROFS: return "\(SystemError.text(EROFS)): \(mountPoint(of: directory)), which has \(path)"
            case EACCES: return "\(SystemError.text(EACCES)): \(path)\(ownership(of: path, isDirectory: isDirectory))"
            case let number: return "\(SystemError.text(number)): \(path)"
            }
        }
        return nil
    }

    /// Returns the owner and mode of a file that this process cannot access, and the command that corrects them.
    private static func ownership(of path: String, isDirectory: Bool) -> String {
        var status = stat()
        let user = UnixGroups.name(ofUser: geteuid()) ?? String(geteuid())
        guard unsafe stat(path, &status) == 0 else { return "; listd runs as \(user)" }
        let mode = isDirectory ? "700" : "600"
        guard status.st_uid == geteuid() else {
            let owner = UnixGroups.name(ofUser: status.st_uid) ?? String(status.st_uid)
            return " belongs to \(owner), and listd runs as \(user); run chown \(user): \(path)"
        }
        return " has mode \(octal(status.st_mode & 0o7777)); run chmod \(mode) \(path)"
    }

    /// Returns the place where the file system of a directory is mounted.
    private static func mountPoint(of directory: String) -> String {
        let resolved = unsafe realpath(directory, nil)
        defer { unsafe free(resolved) }
        let path = unsafe resolved.map { unsafe String(cString: $0) } ?? directory
        let points = (KernelFile.text("/proc/self/mountinfo") ?? "").split(separator: "\n").compactMap { line in
            line.split(separator: " ").dropFirst(4).first.map(String.init)
        }
        let around = points.filter { $0 == "/" || path == $0 || path.hasPrefix($0 + "/") }
        return around.max { $0.utf8.count < $1.utf8.count } ?? "the file system"
    }

    private static func mode(of path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK ? status.st_mode & 0o7777 : nil
    }

    private static func octal(_ mode: UInt32) -> String { String(mode, radix: 8) }
}

extension SQLiteFailure {
    /// Whether the files could not be accessed, as far as SQLite knows (SQLITE_PERM, READONLY, IOERR, CANTOPEN).
    fileprivate var isOfAccess: Bool { [3, 8, 10, 14].contains(code & 0xFF) }
}
