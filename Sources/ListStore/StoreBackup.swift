// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
@_spi(Daemon) package import ListKit
internal import ListSupport

// Backups, and the restoring of them. Both go through an open file of the caller, whose path may mean nothing to listd.

extension SQLiteStore {
    /// The number of pages that one step of a backup copies. Between two steps, the store writes changes.
    private static let pagesAtOnce: Int32 = 512

    /// Writes a backup of the whole store to an open file, which is truncated first, including changes that are written
    /// meanwhile, and verifies it.
    ///
    /// The backup has no mark and no losses: the store that is restored from it gives all lists new epochs, as clients
    /// may know revisions that are later than the backup.
    ///
    /// - Throws: `invalidArguments` if the descriptor is not a regular file or not open for reading and writing;
    ///   `storeFailed` if the file cannot be written, the store is damaged, or another backup is in progress. The
    ///   contents of the file are undefined then.
    package func backUp(toDescriptor descriptor: Int32) async throws(ListError) {
        try Self.checkFile(descriptor, modes: [O_RDWR], wanted: "open for reading and writing")
        guard fcntl(descriptor, F_GETFL) & O_APPEND == 0 else {
            throw ListError(
                .invalidArguments, "file: the descriptor is open for appending, so it cannot be overwritten")
        }
        try await onQueue { [owned] connection throws(SQLiteFailure) in
            guard owned.backup == nil else { throw SQLiteFailure(code: 5, message: "another backup is in progress") }
            guard ftruncate(descriptor, 0) == 0 else {
                throw .access("file: the file cannot be truncated: \(SystemError.text(errno))")
            }
            owned.begin(try SQLiteBackup(of: connection.database, to: try SQLiteDatabase(descriptor: descriptor)))
        }
        while try await !copySomePages() {}
        try await Self.aside { () throws(ListError) in
            do throws(SQLiteFailure) {
                try StoreCopy.makePlain(descriptor)
                let copy = try SQLiteDatabase(descriptor: descriptor)
                try copy.execute("UPDATE run SET mark = ''; DELETE FROM loss")
                try StoreCopy.verify(copy)
            } catch {
                throw ListError(
                    .storeFailed,
                    error.isDamage
                        ? "the store is damaged, so the backup is not usable; listctl check names the faults"
                        : "file: the backup cannot be written to this file", cause: error.message)
            }
            guard fsync(descriptor) == 0 else {
                throw ListError(
                    .storeFailed, "file: the backup cannot be synced to the disk", cause: SystemError.text(errno))
            }
        }
    }

    /// Copies the next pages of the backup in progress; returns `true` when all pages are copied.
    private func copySomePages() async throws(ListError) -> Bool {
        try await onQueue { [owned] _ throws(SQLiteFailure) in
            guard let backup = owned.backup else {
                throw SQLiteFailure(code: 4, message: "the backup was cancelled, as the store was closed")
            }
            do throws(SQLiteFailure) {
                let isDone = try backup.step(pages: Self.pagesAtOnce)
                if isDone { owned.endBackup() }
                return isDone
            } catch {
                owned.endBackup()
                throw error
            }
        }
    }

    /// Verifies a backup, and puts it aside as the pending replacement of the store: the next start takes it.
    ///
    /// - Parameter losses: the losses that nobody has acknowledged; they stay in sight.
    /// - Throws: `invalidArguments` if the file is not a readable regular file, not a backup of listd, damaged, or of a
    ///   newer listd; `storeFailed` if it cannot be read or copied. Nothing has changed then.
    package func prepareRestoring(fromDescriptor descriptor: Int32, losses: [Loss]) async throws(ListError) {
        try Self.checkFile(descriptor, modes: [O_RDONLY, O_RDWR], wanted: "open for reading")
        try await Self.aside { [path] () throws(ListError) in
            let new = "\(path).restore-\(UInt64.random(in: 0...(.max)))"
            do throws(ListError) {
                try StoreCopy.copyBackup(descriptor, to: new, losses: losses)
                do throws(SQLiteFailure) {
                    try StoreReplacement.announce(new, for: path)
                } catch {
                    throw error.listError
                }
            } catch {
                for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(new + suffix) }
                throw error
            }
        }
    }

    private static func checkFile(_ descriptor: Int32, modes: [Int32], wanted: String) throws(ListError) {
        var state = listd_file_state()
        guard unsafe listd_state_of(descriptor, &state) == 0, state.is_regular != 0 else {
            throw ListError(.invalidArguments, "file: the descriptor is not a regular file")
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, modes.contains(flags & O_ACCMODE) else {
            throw ListError(.invalidArguments, "file: the descriptor is not \(wanted)")
        }
    }

    /// Runs slow work on files outside of the store's queue.
    private static func aside(_ body: @escaping @Sendable () throws(ListError) -> Void) async throws(ListError) {
        let failure: ListError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(ListError) {
                    try body()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }
}

/// Copies of a store, outside of the state directory or on their way into it.
private enum StoreCopy {
    /// Marks a copied database as one without a write-ahead log (bytes 18 and 19 of its header), so that it is one file.
    static func makePlain(_ descriptor: Int32) throws(SQLiteFailure) {
        let versions: [UInt8] = [1, 1]
        guard unsafe pwrite(descriptor, versions, versions.count, 18) == versions.count else {
            throw .access("the file cannot be written: \(SystemError.text(errno))")
        }
    }

    /// Throws `corruption` if the copy lacks anything.
    static func verify(_ copy: SQLiteDatabase) throws(SQLiteFailure) {
        let rows = try copy.statement("PRAGMA integrity_check(1)")
        defer { rows.reset() }
        if try copy.step(rows), let text = rows.text(0), text != "ok" { throw .corruption(text) }
        _ = try StoreReader(database: copy).readLists()
    }

    /// Copies a backup to a new file, verifies it, and adapts it to this listd.
    static func copyBackup(_ descriptor: Int32, to new: String, losses: [Loss]) throws(ListError) {
        let file = unsafe open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw ListError(.storeFailed, "\(new) cannot be made", cause: SystemError.text(errno))
        }
        defer { close(file) }
        guard FileCopy.send(descriptor, to: file) else {
            // A descriptor that only names a file.
            if errno == EBADF { throw ListError(.invalidArguments, "file: the descriptor is not open for reading") }
            throw ListError(.storeFailed, "file: the backup cannot be copied to \(new)", cause: SystemError.text(errno))
        }
        let version = try version(of: file)
        do throws(SQLiteFailure) {
            try makePlain(file)
            let copy = try SQLiteDatabase(descriptor: file)
            if version < StoreSchema.version { try StoreVersion.migrate(copy, from: version) }
            try verify(copy)
            try copy.execute("UPDATE run SET mark = ''; DELETE FROM loss")
            let writer = StoreWriter(database: copy, number: 0)
            for loss in losses { try writer.write(loss) }
            try copy.execute("UPDATE loss SET logged = 1")
        } catch {
            guard error.isDamage || error.code & 0xFF == 1 else { throw error.listError }
            throw ListError(.invalidArguments, "file: the backup is damaged: \(error.message.quoted)")
        }
        guard fsync(file) == 0 else {
            throw ListError(.storeFailed, "\(new) cannot be synced to the disk", cause: SystemError.text(errno))
        }
    }

    /// Returns the version of a copied backup.
    ///
    /// - Throws: `invalidArguments` if it is not a database of listd, or of a newer listd.
    private static func version(of file: Int32) throws(ListError) -> Int64 {
        guard let version = StoreVersion.header(of: file) else {
            throw ListError(.invalidArguments, "file: the file is not a backup of listd")
        }
        guard version <= StoreSchema.version else {
            throw ListError(
                .invalidArguments,
                "file: the backup is from a newer listd: it has version \(version), and this listd knows versions up to "
                    + "\(StoreSchema.version)")
        }
        return version
    }
}

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
