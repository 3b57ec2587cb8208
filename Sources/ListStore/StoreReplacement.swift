// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ListSupport

/// A database that takes the place of the present one at the next start, in a file `listd.db.next…`: a restored backup,
/// or what could be read of a damaged database. Whenever listd ends, one of the two is whole.
enum StoreReplacement {
    /// The rest of the name of a pending replacement, after the name of the database. What follows is the rest of the
    /// name under which the present database is kept.
    private static let suffix = ".next"

    /// Removes files that a killed process left unfinished. A pending replacement is finished.
    static func removeLeftovers(beside path: String) {
        let directory = StoreFiles.directory(of: path)
        let prefixes = [".backup-", ".restore-", ".salvage-"].map { SQLiteStore.fileName + $0 }
        for name in StoreFiles.names(in: directory)
        where prefixes.contains(where: { name.hasPrefix($0) })
            || (name.hasPrefix(SQLiteStore.fileName + ".version-") && name.hasSuffix(".new"))
        {
            unsafe unlink(directory + "/" + name)
        }
    }

    /// Returns the path of the pending replacement of a database; nil = there is none.
    static func pending(for path: String) -> String? {
        let directory = StoreFiles.directory(of: path)
        let prefix = SQLiteStore.fileName + suffix
        return StoreFiles.names(in: directory).filter {
            $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-journal")
        }.max().map { directory + "/" + $0 }
    }

    /// Makes a finished database the pending replacement.
    ///
    /// - Parameter kept: the path under which the present database is to be kept; nil = decided when it is replaced.
    static func announce(_ file: String, for path: String, kept: String? = nil) throws(SQLiteFailure) {
        let rest = kept.map { String($0.dropFirst(path.count)) } ?? ""
        guard unsafe rename(file, path + suffix + rest) == 0 else {
            throw .access("\(file) cannot be renamed: \(SystemError.text(errno))")
        }
        StoreFiles.syncDirectory(of: path)
    }

    /// Puts the pending replacement in the place of the database, which is kept under another name with its log.
    ///
    /// - Returns: the path of the replaced database, empty if there was none; nil = no replacement was pending.
    static func take(path: String, now: Int64) throws(SQLiteFailure) -> String? {
        guard let new = pending(for: path) else { return nil }
        let rest = new.dropFirst(path.count + suffix.count)
        var kept = rest.isEmpty ? unusedPath(of: path, "replaced", now: now) : path + rest
        if StoreFiles.state(kept) != nil { kept = unusedPath(of: path, "replaced", now: now) }
        let hasDatabase = StoreFiles.state(path) != nil
        // The log of the old database must be gone before the new one is there, as SQLite would apply it.
        for suffix in ["", "-wal", "-shm", "-journal"] where unsafe rename(path + suffix, kept + suffix) != 0 {
            guard errno == ENOENT else {
                throw .access("\(path)\(suffix) cannot be set aside: \(SystemError.text(errno))")
            }
        }
        guard unsafe rename(new, path) == 0 else {
            throw .access("\(new) cannot be renamed: \(SystemError.text(errno))")
        }
        StoreFiles.syncDirectory(of: path)
        return hasDatabase ? kept : ""
    }

    /// Returns a path for a file that is set aside: `listd.db.KIND-TIME`.
    static func unusedPath(of path: String, _ kind: String, now: Int64) -> String {
        var name = "\(path).\(kind)-\(now)"
        while unsafe access(name, F_OK) == 0 || access(name + "-wal", F_OK) == 0 { name += "+" }
        return name
    }
}
