// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import CSQLite
internal import Glibc
internal import ListKit
internal import ListSupport

/// An error of SQLite, with its result code.
struct SQLiteFailure: Error {
    let code: Int32
    let message: String

    /// Whether the file is damaged or not a database, rather than inaccessible. Damaged lengths of values are too large.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_TOOBIG].contains(code & 0xFF) }

    /// Returns the error of contents that SQLite reads, and that are not what was written.
    static func corruption(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT, message: message) }

    /// Returns an error of access.
    static func access(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_CANTOPEN, message: message) }

    /// Whether another process has locked the file.
    var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    /// Whether the disk is full.
    var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// The error of SQLite for a full disk.
    static var full: SQLiteFailure {
        unsafe SQLiteFailure(code: SQLITE_FULL, message: String(cString: sqlite3_errstr(SQLITE_FULL)))
    }

    /// The error for the rest of the daemon.
    var listError: ListError { ListError(.storeFailed, "the store reported an error", cause: message) }
}

/// One open database file and its prepared statements; belongs to one thread at a time.
@safe final class SQLiteDatabase {
    fileprivate let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    /// The number of frames in the log after the last transaction of this connection; 0 before the first.
    private(set) var logFrames = 0
    private let path: String
    /// An additional descriptor of the file, opened for ``allocate(from:to:)``. It must be closed after SQLite's own
    /// descriptors, because close(2) of any descriptor releases all locks of the process on the file.
    private var descriptor: Int32 = -1

    /// The file system for ``init(descriptor:)``, registered with the first use; nil if that failed.
    private static let descriptorFiles =
        listd_register_descriptor_files() == SQLITE_OK ? "listd-descriptor" : nil

    /// Opens or creates a file.
    convenience init(path: String) throws(SQLiteFailure) { try self.init(path: path, files: nil) }

    /// Opens the database in an open file, which the caller owns and must not close before this object is gone. The
    /// database has neither locks nor a journal, so nobody else may use the file meanwhile.
    convenience init(descriptor: Int32) throws(SQLiteFailure) {
        guard let files = Self.descriptorFiles else {
            throw SQLiteFailure.access("SQLite cannot write to open files")
        }
        try self.init(path: String(descriptor), files: files)
        try execute("PRAGMA journal_mode = OFF; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL")
    }

    /// - Parameter files: the name of SQLite's file system; nil = the usual one.
    private init(path: String, files: String?) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, files)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let message = unsafe String(cString: sqlite3_errstr(code))
            unsafe sqlite3_close_v2(opened)
            throw SQLiteFailure(code: code, message: files == nil ? "\(path): \(message)" : message)
        }
        unsafe self.handle = unsafe handle
        self.path = path
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(handle)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Allocates disk space for a part of the file, without changing the size of the file. Returns 0 or the value of
    /// `errno`.
    func allocate(from start: Int64, to end: Int64) -> Int32 {
        if descriptor < 0 { descriptor = unsafe open(path, O_RDWR | O_CLOEXEC) }
        return listd_allocate(descriptor, start, end - start, 1) == 0 ? 0 : errno
    }

    /// Sets whether closing the connection keeps the log as it is. By default, closing moves the log into the file and
    /// removes it.
    func setKeepsLog(_ keeps: Bool) { _ = unsafe listd_sqlite_keep_log(handle, keeps ? 1 : 0) }

    /// Counts ``logFrames`` from now on. This disables SQLite's automatic checkpoints.
    func countLogFrames() {
        // SQLite calls the hook only when this connection commits, and the connection is closed in `deinit`.
        unsafe _ = sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<SQLiteDatabase>.fromOpaque(context).takeUnretainedValue().logFrames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Moves the log into the file, and syncs both. The next transaction restarts the log.
    ///
    /// - Parameter truncates: whether the log is truncated, which frees its disk space.
    func checkpoint(truncates: Bool = false) throws(SQLiteFailure) {
        let mode = truncates ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        guard unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK else { throw failure() }
        if truncates { logFrames = 0 }
    }

    /// Executes statements that return no rows.
    func execute(_ sql: String) throws(SQLiteFailure) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// Returns the prepared statement for an SQL text, from a cache, with the values bound to it.
    func statement(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) -> SQLiteStatement {
        let statement: SQLiteStatement
        if let kept = statements[sql] {
            statement = kept
        } else {
            var prepared: OpaquePointer?
            guard
                unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
                    == SQLITE_OK,
                let prepared = unsafe prepared
            else { throw failure() }
            statement = unsafe SQLiteStatement(prepared)
            statements[sql] = statement
        }
        statement.reset()
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        return statement
    }

    /// Executes a statement and ignores its rows.
    func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) {
        let statement = try bound(sql, values)
        while try step(statement) {}
    }

    /// Returns the first column of the first row as a number; nil if there is no row, or for NULL.
    func number(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) -> Int64? {
        let statement = try bound(sql, values)
        defer { statement.reset() }
        return try step(statement) ? statement.number(0) : nil
    }

    private func bound(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteFailure) -> SQLiteStatement {
        let statement = try statement(sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        return statement
    }

    /// Steps to the next row. Returns false after the last row.
    func step(_ statement: SQLiteStatement) throws(SQLiteFailure) -> Bool {
        switch statement.step() {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            statement.reset()
            return false
        default:
            let failure = failure()
            statement.reset()
            throw failure
        }
    }

    fileprivate func failure() -> SQLiteFailure {
        unsafe SQLiteFailure(
            code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// A running backup of a database (SQLite's online backup). It belongs to the thread of both databases.
///
/// Changes that the connection of the source database writes meanwhile are copied, too.
@safe final class SQLiteBackup {
    private let handle: OpaquePointer
    private let source: SQLiteDatabase
    private let target: SQLiteDatabase

    /// Begins a copy to an empty database.
    init(of source: SQLiteDatabase, to target: SQLiteDatabase) throws(SQLiteFailure) {
        guard let handle = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
            throw target.failure()
        }
        unsafe self.handle = handle
        self.source = source
        self.target = target
    }

    deinit { unsafe sqlite3_backup_finish(handle) }

    /// Copies a number of pages. Returns true when all pages are copied.
    func step(pages: Int32) throws(SQLiteFailure) -> Bool {
        switch unsafe sqlite3_backup_step(handle, pages) {
        case SQLITE_DONE: return true
        case SQLITE_OK: return false
        case let code: throw unsafe SQLiteFailure(code: code, message: String(cString: sqlite3_errstr(code)))
        }
    }
}

/// A value that is bound to a parameter of a statement.
enum SQLiteValue {
    case number(Int64)
    case text(String)
    case blob([UInt8])
}

/// A prepared statement; belongs to its database.
@safe final class SQLiteStatement {
    private let handle: OpaquePointer

    @unsafe init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Resets the statement, so that values can be bound and it can be executed again.
    func reset() { unsafe sqlite3_reset(handle) }

    /// Executes the statement up to the next row, and returns SQLite's result code.
    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// Binds a value, which SQLite copies. For a value that is too large, ``step()`` fails.
    func bind(_ value: SQLiteValue, at index: Int32) {
        switch value {
        case .number(let number): _ = unsafe sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            _ = unsafe text.withCString { start in
                unsafe sqlite3_bind_text(handle, index, start, Int32(clamping: text.utf8.count), Self.copied)
            }
        case .blob(let bytes) where bytes.isEmpty: _ = unsafe sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes):
            _ = unsafe bytes.withUnsafeBytes { buffer in
                unsafe sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(clamping: buffer.count), Self.copied)
            }
        }
    }

    /// SQLITE_TRANSIENT, which tells SQLite to copy the value during the call. Swift does not import the macro with
    /// its cast.
    private static var copied: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Returns a column of the present row as a number; nil for a value of another type.
    func number(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(handle, column)
    }

    /// Passes the bytes of a column of the present row to `body`, whether blob or text. For NULL they are empty.
    func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return try body([UInt8]().span) }
        // The pointer is valid until the next step.
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count).bindMemory(to: UInt8.self)
        return try unsafe body(bytes.span)
    }

    /// Returns a column of the present row as bytes; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { [UInt8](copying: $0) }
    }

    /// Returns a column of the present row as bytes; nil for NULL.
    func blob(_ column: Int32) -> [UInt8]? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : bytes(column)
    }

    /// Returns a column of the present row as text; nil if it is not UTF-8.
    func text(_ column: Int32) -> String? { String(validating: bytes(column), as: UTF8.self) }
}
