// SPDX-License-Identifier: Apache-2.0

internal import CPostgres

/// The rows of a statement, used only by the thread that ran the statement.
@safe final class QueryResult {
    /// The number of rows.
    let count: Int
    // Freed with this object.
    private let result: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = unsafe Int(PQntuples(result))
    }

    deinit { unsafe PQclear(result) }

    /// The number of rows that the statement changed.
    var affected: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

    /// Returns the text of a field; `nil` = NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        unsafe bytes(row, column).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The text of the first field of the first row; `nil` = NULL, or there is no row.
    var firstText: String? { count > 0 ? text(0, 0) : nil }

    /// Splits a row in PostgreSQL's text format, `(a,"b,c",)`, into its fields; `nil` = NULL.
    ///
    /// The fields must not contain quotation marks or backslashes; numbers and snapshots do not.
    static func fields(of row: String) -> [String?] {
        var fields: [String?] = [nil]
        var isQuoted = false
        for character in row.dropFirst().dropLast() {
            switch character {
            case "\"":
                isQuoted.toggle()
                fields[fields.count - 1] = fields[fields.count - 1] ?? ""
            case "," where !isQuoted: fields.append(nil)
            default: fields[fields.count - 1] = (fields[fields.count - 1] ?? "") + String(character)
            }
        }
        return fields
    }

    /// Returns the bytes of a field, which are valid as long as this object exists; `nil` = NULL.
    @unsafe func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        return unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}
