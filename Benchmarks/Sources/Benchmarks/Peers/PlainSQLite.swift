// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Foundation

/// A program that writes and reads listd's rows with plain SQLite, to compare listd's store with. It uses one
/// connection, one thread, and statements that are prepared once.
final class PlainSQLite {
    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    private let path: String
    private var revision: Int64 = 1_000_000

    /// Copies a store and opens the copy.
    convenience init(copyOf directory: String, to copy: String) {
        PlainSQLite.copyStore(directory, to: copy)
        self.init(at: copy)
    }

    /// Opens a store that nobody else uses, with listd's journal mode and settings.
    init(at directory: String) {
        path = directory + "/listd.db"
        guard sqlite3_open(path, &handle) == SQLITE_OK else { fatalError("\(path): no database") }
        execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    }

    /// Copies the files of a store.
    static func copyStore(_ directory: String, to copy: String) {
        do {
            try FileManager.default.copyItem(atPath: directory, toPath: copy)
        } catch {
            fatalError("\(copy): \(error)")
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    /// Writes the rows that listd writes when objects of its lists change one after the other, each in a transaction
    /// of its own or all in one. Returns `count`.
    func writeChanges(_ count: Int, together: Bool = false) -> Int {
        guard count > 0 else { return 0 }
        if together { run("BEGIN IMMEDIATE") }
        for index in 0..<count {
            revision += 1
            if !together { run("BEGIN IMMEDIATE") }
            writeChange(
                of: "object-\(1_000_000_000 + index / 8 % 1000)", in: Int64(index % 8 + 1),
                fields: Array("\u{5}title\u{1}s\u{9}step \(revision)".utf8), change: [UInt8](repeating: 1, count: 80))
            if !together { run("COMMIT") }
        }
        if together { run("COMMIT") }
        return count
    }

    private func writeChange(of id: String, in list: Int64, fields: [UInt8], change: [UInt8]) {
        run("UPDATE adapter SET revision = ? WHERE key = ?", [.number(revision), .number(list)])
        run(
            "UPDATE object SET type = 'row', fields = ? WHERE adapter = ? AND id = ?",
            [.blob(fields), .number(list), .blob(Array(id.utf8))])
        run(
            "INSERT OR REPLACE INTO change (adapter, revision, bytes, digest) VALUES (?, ?, ?, ?)",
            [.number(list), .number(revision), .blob(change), .number(revision)])
        run("DELETE FROM change WHERE adapter = ? AND revision < ?", [.number(list), .number(revision - 256)])
    }

    /// Reads all objects in their order. Returns the number of bytes that were read.
    func readObjects() -> Int {
        var count = 0
        let rows = statement("SELECT id, type, fields FROM object ORDER BY adapter, position", binding: [])
        while sqlite3_step(rows) == SQLITE_ROW {
            for column in Int32(0)..<3 {
                let bytes = UnsafeRawBufferPointer(
                    start: sqlite3_column_blob(rows, column), count: Int(sqlite3_column_bytes(rows, column)))
                count += bytes.count + Int(bytes.first ?? 0)
            }
        }
        sqlite3_reset(rows)
        return count
    }

    private enum Value {
        case number(Int64)
        case blob([UInt8])
    }

    private func run(_ sql: String, _ values: [Value] = []) {
        let statement = statement(sql, binding: values)
        guard sqlite3_step(statement) == SQLITE_DONE else {
            fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
        }
        sqlite3_reset(statement)
    }

    private func execute(_ sql: String) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { fatalError("\(path): \(sql)") }
    }

    private func statement(_ sql: String, binding values: [Value]) -> OpaquePointer? {
        if statements[sql] == nil {
            var prepared: OpaquePointer?
            guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
                fatalError("\(sql): \(String(cString: sqlite3_errmsg(handle)))")
            }
            statements[sql] = prepared
        }
        let statement = statements[sql]
        for (index, value) in values.enumerated() {
            switch value {
            case .number(let number): sqlite3_bind_int64(statement, Int32(index + 1), number)
            case .blob(let bytes):
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_bind_blob(statement, Int32(index + 1), bytes, Int32(bytes.count), transient)
            }
        }
        return statement
    }
}
