// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// A stored list without its contents, as its row has it.
struct StoredRow {
    /// The sums of the digests of a list's objects, of their places, and of its log of changes.
    struct Sums: Equatable {
        var contents: UInt64 = 0
        var places: UInt64 = 0
        var log: UInt64 = 0

        init() {}

        /// Reads the columns of a row.
        init(_ row: SQLiteStatement) {
            func sum(_ column: Int32) -> UInt64 { UInt64(bitPattern: row.number(column) ?? 0) }
            (contents, places, log) = (sum(11), sum(12), sum(13))
        }

        static func &+= (sums: inout Sums, other: Sums) {
            sums.contents &+= other.contents
            sums.places &+= other.places
            sums.log &+= other.log
        }
    }

    /// The columns in the order in which ``init(_:checksDigest:)`` reads them.
    static let columns = """
        key, name, epoch, owner, options, revision, configured, "limit", cursor, removed, written, contents, places, log,
        digest
        """
    /// The columns of version 3, which had no digests.
    static let columnsWithoutDigests = """
        key, name, epoch, owner, options, revision, configured, "limit", cursor, removed, 0, 0, 0, 0, 0
        """

    let key: Int64
    let name: String
    let revision: UInt64
    let isRemoved: Bool
    /// The number of the list's last change.
    let written: Int64
    let sums: Sums
    /// The list as clients see it, without objects; nil for a removed one.
    private(set) var adapter: RestoredAdapter?
    /// Whether clients may have seen revisions that were not stored.
    let mayLackChanges: Bool

    /// Reads a row.
    ///
    /// - Throws: `corruption` when it is not the row that was written.
    init(_ row: SQLiteStatement, checksDigest: Bool) throws(SQLiteFailure) {
        guard let key = row.number(0), let name = row.text(1), let epoch = row.text(2), let owner = row.number(3),
            let user = UInt32(exactly: owner), let number = row.number(5), let revision = UInt64(exactly: number),
            let last = row.number(7), let limit = UInt64(exactly: last), let written = row.number(10)
        else { throw .corruption("a stored list is malformed") }
        sums = Sums(row)
        if checksDigest, row.number(14) != Self.digest(of: row, key: key, written, sums) {
            throw .corruption("the row of the list \(name.quoted) is damaged")
        }
        (self.key, self.name, self.revision, self.written) = (key, name, revision, written)
        isRemoved = row.number(9) != 0
        mayLackChanges = limit > revision
        guard !isRemoved else { return }
        let adapter = StoredAdapter(
            name: name, epoch: epoch, owner: user, isConfigured: row.number(6) == 1, options: try Self.options(in: row))
        // Clients may have seen revisions up to the limit, so the next revision must come after it.
        self.adapter = RestoredAdapter(
            adapter: adapter, revision: max(revision, limit), objects: [], changes: [], cursor: row.blob(8))
    }

    /// Returns the digest of a row with new values of its last columns.
    static func digest(
        of row: SQLiteStatement, key: Int64, _ written: Int64, _ sums: Sums
    ) -> Int64 {
        var digest = StoreDigest.list(key)
        for column in [1, 2, 4, 8] as [Int32] { row.withBytes(column) { digest.add($0) } }
        digest.add(row.blob(8) == nil ? 0 : 1)
        for column in [3, 5, 6, 7, 9] as [Int32] { digest.add(row.number(column) ?? -1) }
        digest.add(written)
        for sum in [sums.contents, sums.places, sums.log] { digest.add(Int64(bitPattern: sum)) }
        return digest.stored
    }

    private static func options(in row: SQLiteStatement) throws(SQLiteFailure) -> Fields {
        do throws(ListError) {
            return try row.withBytes(4) { bytes throws(ListError) in try Fields(validating: bytes) }
        } catch {
            throw .corruption("stored options are malformed: \(error.message)")
        }
    }
}

/// A reader of stored lists, with one scan for each list.
struct StoreReader {
    let database: SQLiteDatabase
    /// Called before each row; when it returns true, reading stops with an error.
    var isGivenUp: () -> Bool = { false }
    /// Whether the rows have digests (version 4).
    var checksDigests = true

    /// Reads the rows of all lists, ordered by name, and of removed ones.
    func readRows() throws(SQLiteFailure) -> [StoredRow] {
        var found: [StoredRow] = []
        let rows = try database.statement("SELECT \(columns) FROM adapter ORDER BY name")
        while try step(rows) { found.append(try StoredRow(rows, checksDigest: checksDigests)) }
        return found
    }

    /// Reads the row of a list; nil = there is none.
    func readRow(_ key: Int64) throws(SQLiteFailure) -> StoredRow? {
        let rows = try database.statement("SELECT \(columns) FROM adapter WHERE key = ?", .number(key))
        defer { rows.reset() }
        return try step(rows) ? try StoredRow(rows, checksDigest: checksDigests) : nil
    }

    /// Reads the contents of a list that is not removed.
    ///
    /// - Parameter isSalvaged: whether the list is going to be written anew, without its index and its log of changes,
    ///   which are not read then.
    /// - Throws: `corruption` when not all of its rows are those that were written.
    func readList(_ row: StoredRow, isSalvaged: Bool = false) throws(SQLiteFailure) -> RestoredAdapter {
        guard var list = row.adapter else { throw .corruption("a removed list has no contents") }
        list.objects = try objects(of: row, checksIndex: !isSalvaged)
        if !isSalvaged, !row.mayLackChanges { list.changes = try changes(of: row) }
        return list
    }

    /// Reads all lists, ordered by name.
    func readLists() throws(SQLiteFailure) -> [RestoredAdapter] {
        var lists: [RestoredAdapter] = []
        for row in try readRows() where !row.isRemoved { lists.append(try readList(row)) }
        return lists
    }

    private var columns: String { checksDigests ? StoredRow.columns : StoredRow.columnsWithoutDigests }

    private func objects(of row: StoredRow, checksIndex: Bool) throws(SQLiteFailure) -> [ListObject] {
        var objects: [ListObject] = []
        var (contents, places): (UInt64, UInt64) = (0, 0)
        let rows = try database.statement(
            "SELECT id, type, fields, position FROM object WHERE adapter = ? ORDER BY position", .number(row.key))
        var isMore = try step(rows)
        while isMore {
            guard let name = rows.text(1), !name.utf8.contains(0) else {
                throw .corruption("a stored object is malformed")
            }
            let type = KnownType(name)
            // Successive objects mostly have the same type.
            repeat {
                do throws(ListError) {
                    objects.append(
                        try rows.withBytes(0) { id throws(ListError) in
                            try rows.withBytes(2) { fields throws(ListError) in
                                if checksDigests {
                                    contents &+= rows.withBytes(1) {
                                        StoreDigest.object(id: id, type: $0, fields: fields)
                                    }
                                    places &+= StoreDigest.place(rows.number(3) ?? 0, id: id)
                                }
                                return try ListObject(id: id, type: type.type, validating: fields)
                            }
                        })
                } catch {
                    throw .corruption("a stored object is malformed: \(error.message)")
                }
                isMore = try step(rows)
            } while isMore && rows.withBytes(1) { type.isNamed($0) }
        }
        guard checksDigests else { return objects }
        let placesInIndex = checksIndex ? try placesInIndex(of: row.key) : places
        guard contents == row.sums.contents, places == row.sums.places, placesInIndex == places else {
            throw .corruption("the objects of the list \(row.name.quoted) are not those that were stored")
        }
        return objects
    }

    /// Returns the digest of the objects' places according to the index, by which objects are changed.
    private func placesInIndex(of key: Int64) throws(SQLiteFailure) -> UInt64 {
        var places: UInt64 = 0
        let rows = try database.statement(
            "SELECT id, position FROM object INDEXED BY object_by_id WHERE adapter = ? ORDER BY id", .number(key))
        while try step(rows) {
            places &+= rows.withBytes(0) { StoreDigest.place(rows.number(1) ?? 0, id: $0) }
        }
        return places
    }

    private func changes(of row: StoredRow) throws(SQLiteFailure) -> [StoredChange] {
        var changes: [StoredChange] = []
        var log: UInt64 = 0
        let rows = try database.statement(
            "SELECT revision, bytes FROM change WHERE adapter = ? ORDER BY revision", .number(row.key))
        while try step(rows) {
            guard let number = rows.number(0), let revision = UInt64(exactly: number) else {
                throw .corruption("a stored change is malformed")
            }
            log &+= rows.withBytes(1) { StoreDigest.change(revision: number, bytes: $0) }
            changes.append(StoredChange(revision: revision, bytes: rows.bytes(1)))
        }
        guard !checksDigests || log == row.sums.log else {
            throw .corruption("the changes of the list \(row.name.quoted) are not those that were stored")
        }
        return changes
    }

    private func step(_ rows: SQLiteStatement) throws(SQLiteFailure) -> Bool {
        // SQLITE_INTERRUPT: not a fault of the file.
        guard !isGivenUp() else { throw SQLiteFailure(code: 9, message: "reading the stored lists was cancelled") }
        return try database.step(rows)
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

    func isNamed(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == name.count else { return false }
        for index in bytes.indices where bytes[index] != name[index] { return false }
        return true
    }
}
