// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import ListSupport

/// A value that is put into a statement.
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

    /// Makes it ready for other values.
    func reset() { unsafe sqlite3_reset(handle) }

    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// Puts a value in; SQLite copies it. Values that are too large show themselves as a failure of the step.
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

    /// SQLITE_TRANSIENT, a cast that Swift does not import: SQLite copies during the call.
    private static var copied: sqlite3_destructor_type? { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// A column of the present row as a number.
    func number(_ column: Int32) -> Int64? {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return unsafe sqlite3_column_int64(handle, column)
    }

    /// Lends a column of the present row as bytes, whether blob or text; NULL is empty.
    func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return try body([UInt8]().span) }
        // Valid until the next step.
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count).bindMemory(to: UInt8.self)
        return try unsafe body(bytes.span)
    }

    /// A column of the present row as bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { [UInt8](copying: $0) }
    }

    /// A column of the present row as bytes; nil for NULL.
    func blob(_ column: Int32) -> [UInt8]? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : bytes(column)
    }

    /// A column of the present row as text; nil if it is not UTF-8.
    func text(_ column: Int32) -> String? { String(validating: bytes(column), as: UTF8.self) }
}
