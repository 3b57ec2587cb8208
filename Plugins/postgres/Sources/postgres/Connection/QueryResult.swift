// SPDX-License-Identifier: Apache-2.0

internal import CPostgres

/// The rows of a statement, for the thread that ran it.
@safe final class QueryResult {
    /// How many rows there are.
    let count: Int
    // Freed with this object.
    private let result: OpaquePointer

    /// Takes ownership of a result of libpq.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = unsafe Int(PQntuples(result))
    }

    deinit { unsafe PQclear(result) }

    /// How many rows the statement changed.
    var affected: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

    /// The text of a field; nil = NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        unsafe bytes(row, column).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The first field of the first row; nil = NULL, or there is no row.
    var firstText: String? { count > 0 ? text(0, 0) : nil }

    /// The fields of a row in the text form of PostgreSQL, `(a,"b,c",)`; nil = NULL.
    ///
    /// Only for fields without quotation marks and backslashes, as numbers and names of transactions are.
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

    /// The bytes of a field, which libpq keeps as long as this object lives; nil = NULL.
    @unsafe func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(result, row, column) == 0 else { return nil }
        return unsafe UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}
