// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import ListSupport

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
