// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// A reader of all stored lists, with one scan for each list.
struct StoreReader {
    let database: SQLiteDatabase
    /// Called before each row; when it returns true, reading stops with an error.
    var isGivenUp: () -> Bool = { false }

    /// Reads all adapters, ordered by name.
    func readAdapters() throws(SQLiteFailure) -> [RestoredAdapter] {
        var found: [(key: Int64, mayLackChanges: Bool, adapter: RestoredAdapter)] = []
        let rows = try database.statement(
            "SELECT key, name, epoch, owner, options, revision, configured, \"limit\", cursor FROM adapter WHERE removed = 0 ORDER BY name"
        )
        while try step(rows) {
            guard let key = rows.number(0), let name = rows.text(1), let epoch = rows.text(2),
                let owner = rows.number(3),
                let user = UInt32(exactly: owner), let number = rows.number(5), let revision = UInt64(exactly: number),
                let last = rows.number(7), let limit = UInt64(exactly: last)
            else { throw Self.corruption("a stored adapter is malformed") }
            let options = try Self.options(in: rows)
            let adapter = StoredAdapter(
                name: name, epoch: epoch, owner: user, isConfigured: rows.number(6) == 1, options: options)
            // Clients may have seen revisions up to the limit, so the next revision must come after it.
            let restored = RestoredAdapter(
                adapter: adapter, revision: max(revision, limit), objects: [], changes: [], cursor: rows.blob(8))
            found.append((key, limit > revision, restored))
        }
        for index in found.indices {
            found[index].adapter.objects = try objects(of: found[index].key)
            if !found[index].mayLackChanges { found[index].adapter.changes = try changes(of: found[index].key) }
        }
        return found.map(\.adapter)
    }

    /// Reads the names of the adapters; stops at the first row that cannot be read.
    func adapterNames() -> [String] {
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
            guard let name = rows.text(1), !name.utf8.contains(0) else {
                throw Self.corruption("a stored object is malformed")
            }
            let type = KnownType(name)
            // Successive objects mostly have the same type.
            repeat {
                do throws(ListError) {
                    objects.append(
                        try rows.withBytes(0) { id throws(ListError) in
                            try rows.withBytes(2) { fields throws(ListError) in
                                try ListObject(id: id, type: type.type, validating: fields)
                            }
                        })
                } catch {
                    throw Self.corruption("a stored object is malformed: \(error.message)")
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
                throw Self.corruption("a stored change is malformed")
            }
            changes.append(StoredChange(revision: revision, bytes: rows.bytes(1)))
        }
        return changes
    }

    private func step(_ rows: SQLiteStatement) throws(SQLiteFailure) -> Bool {
        // SQLITE_INTERRUPT: not a fault of the file.
        guard !isGivenUp() else { throw SQLiteFailure(code: 9, message: "reading the stored lists was cancelled") }
        return try database.step(rows)
    }

    private static func options(in row: SQLiteStatement) throws(SQLiteFailure) -> Fields {
        do throws(ListError) {
            return try row.withBytes(4) { bytes throws(ListError) in try Fields(validating: bytes) }
        } catch {
            throw corruption("stored options are malformed: \(error.message)")
        }
    }

    private static func corruption(_ message: String) -> SQLiteFailure {
        // SQLITE_CORRUPT: the contents are invalid.
        SQLiteFailure(code: 11, message: message)
    }
}

/// An object type that was looked up, and the bytes of its name.
private struct KnownType {
    let type: ObjectType
    private let name: [UInt8]

    init(_ name: String) {
        type = ObjectType.named(name)
        self.name = Array(name.utf8)
    }

    /// Whether bytes are the name of the type.
    func isNamed(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == name.count else { return false }
        for index in bytes.indices where bytes[index] != name[index] { return false }
        return true
    }
}
