// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// Reads everything that is stored, list by list in one scan each.
struct StoreReader {
    let database: SQLiteDatabase
    /// Asked before each row; nothing is read any more once it says yes.
    var isGivenUp: () -> Bool = { false }

    /// All adapters in order of name.
    func restore() throws(SQLiteFailure) -> [RestoredAdapter] {
        var found: [(key: Int64, hasGivenMore: Bool, adapter: RestoredAdapter)] = []
        let rows = try database.statement(
            "SELECT key, name, epoch, owner, options, revision, configured, \"limit\", cursor FROM adapter WHERE removed = 0 ORDER BY name"
        )
        while try step(rows) {
            guard let key = rows.number(0), let name = rows.text(1), let epoch = rows.text(2),
                let owner = rows.number(3),
                let user = UInt32(exactly: owner), let number = rows.number(5), let revision = UInt64(exactly: number),
                let last = rows.number(7), let limit = UInt64(exactly: last)
            else { throw Self.damaged("an adapter") }
            let options = try Self.options(in: rows)
            let adapter = StoredAdapter(
                name: name, epoch: epoch, owner: user, isConfigured: rows.number(6) == 1, options: options)
            // Revisions of an open block may have been given: the next one comes after all of them.
            let restored = RestoredAdapter(
                adapter: adapter, revision: max(revision, limit), objects: [], changes: [], cursor: rows.blob(8))
            found.append((key, limit > revision, restored))
        }
        for index in found.indices {
            found[index].adapter.objects = try objects(of: found[index].key)
            if !found[index].hasGivenMore { found[index].adapter.changes = try changes(of: found[index].key) }
        }
        return found.map(\.adapter)
    }

    /// The names of the adapters, as far as they can be read.
    func names() -> [String] {
        var names: [String] = []
        try? { () throws(SQLiteFailure) in
            let rows = try database.statement("SELECT name FROM adapter ORDER BY name")
            while try database.step(rows) {
                if let name = rows.text(0), !StoreWriter.isNameOfRemoved(name) { names.append(name) }
            }
        }()
        return names
    }

    private func objects(of key: Int64) throws(SQLiteFailure) -> [ListObject] {
        var objects: [ListObject] = []
        let rows = try database.statement(
            "SELECT id, type, fields FROM object WHERE adapter = ? ORDER BY position", .number(key))
        var isMore = try step(rows)
        while isMore {
            guard let name = rows.text(1), !name.utf8.contains(0) else { throw Self.damaged("an object") }
            let type = KnownType(name)
            // Neighbours have the same type, mostly.
            repeat {
                do throws(ListError) {
                    objects.append(
                        try rows.withBytes(0) { id throws(ListError) in
                            try rows.withBytes(2) { fields throws(ListError) in
                                try ListObject(id: id, type: type.type, validating: fields)
                            }
                        })
                } catch {
                    throw Self.damaged("an object: \(error.message)")
                }
                isMore = try step(rows)
            } while isMore && rows.withBytes(1) { type.isNamed($0) }
        }
        return objects
    }

    private func changes(of key: Int64) throws(SQLiteFailure) -> [StoredChange] {
        var changes: [StoredChange] = []
        let rows = try database.statement(
            "SELECT revision, bytes FROM change WHERE adapter = ? ORDER BY revision", .number(key))
        while try step(rows) {
            guard let number = rows.number(0), let revision = UInt64(exactly: number) else {
                throw Self.damaged("a change")
            }
            changes.append(StoredChange(revision: revision, bytes: rows.bytes(1)))
        }
        return changes
    }

    private func step(_ rows: SQLiteStatement) throws(SQLiteFailure) -> Bool {
        // SQLITE_INTERRUPT: no fault of the file.
        guard !isGivenUp() else { throw SQLiteFailure(code: 9, message: "given up") }
        return try database.step(rows)
    }

    private static func options(in row: SQLiteStatement) throws(SQLiteFailure) -> Fields {
        do throws(ListError) {
            return try row.withBytes(4) { bytes throws(ListError) in try Fields(validating: bytes) }
        } catch {
            throw damaged("options: \(error.message)")
        }
    }

    private static func damaged(_ what: String) -> SQLiteFailure {
        // SQLITE_CORRUPT: what is read makes no sense.
        SQLiteFailure(code: 11, message: "malformed: \(what)")
    }
}

/// A type that was looked up, and the bytes of its name.
private struct KnownType {
    let type: ObjectType
    private let name: [UInt8]

    init(_ name: String) {
        type = ObjectType.named(name)
        self.name = Array(name.utf8)
    }

    /// Whether bytes are its name.
    func isNamed(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == name.count else { return false }
        for index in bytes.indices where bytes[index] != name[index] { return false }
        return true
    }
}
