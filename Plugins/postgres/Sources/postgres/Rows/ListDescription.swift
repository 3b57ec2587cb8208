// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// The description of a list of a database: its table or view, and the kind of each column.
struct ListDescription: Sendable, Hashable {
    /// A column that becomes a field.
    struct Column: Sendable, Hashable {
        let name: String
        let kind: ColumnKind
        /// The SQL type.
        let type: String
        /// Whether the column can be written.
        let isWritable: Bool
    }

    let name: String
    let number: Int
    /// The table or view, as an SQL name.
    let relation: String
    /// The columns that determine the order, as SQL identifiers. The last one is `id`.
    let ordering: [String]
    /// The SQL type of each column in ``ordering``.
    let orderingTypes: [String]
    let idType: String
    let hasType: Bool
    /// Whether a new row must name its type, as the column accepts no NULL and has no default.
    let needsType: Bool
    /// Whether a unique index ensures that ids are unique.
    let isUnique: Bool
    let columns: [Column]
    /// The tables that contain the rows, as SQL names.
    let origins: [String]
    /// A digest of columns, view and triggers. When it changes, the whole list is read again.
    let fingerprint: String
    /// The OIDs of the relation and of the tables that contain its rows.
    let relationIDs: [String]

    // MARK: Statements

    /// The maximum length of a row's id, in bytes. Rows with longer ids are left out.
    static let maximumIDLength = 4096

    private static func idCondition(_ id: String) -> String {
        "octet_length(\(id)::text) BETWEEN 1 AND \(maximumIDLength)"
    }

    /// The SQL expressions of a row: whether it can be in the list, its id as text, its type and its fields.
    private var rowExpressions: String {
        let orderCondition = ordering.map { "t.\($0) IS NOT NULL" }.joined(separator: " AND ")
        let parts =
            ["coalesce(\(orderCondition) AND \(Self.idCondition("t.id")), false)", "t.id::text"]
            + (hasType ? ["t.type::text"] : [])
            + columns.map { $0.kind.castExpression(of: "t.\($0.name.asIdentifier)") }
        return parts.joined(separator: ", ")
    }

    /// The statement that returns all rows in order, in binary format.
    var snapshotStatement: String {
        let order = ordering.map { "t.\($0)" }.joined(separator: ", ")
        return "COPY (SELECT \(rowExpressions) FROM \(relation) t ORDER BY \(order)) TO STDOUT (FORMAT binary)"
    }

    /// The statement that returns an id that occurs more than once.
    var duplicateStatement: String {
        "SELECT id::text FROM \(relation) GROUP BY id HAVING count(*) > 1 AND id IS NOT NULL LIMIT 1"
    }

    /// The number of columns of ``changesStatement`` before those of the row.
    static let changeColumns = 4

    /// The statement that returns the changes since a snapshot: the new snapshot, the generation, the changed id,
    /// the id of the preceding row, the row. The generation is NULL if the log was pruned past the snapshot.
    /// Parameters: the number of the list, the snapshot.
    var changesStatement: String {
        let order = ordering.map { "t.\($0)" }.joined(separator: ", ")
        let before = ordering.map { "b.\($0)" }
        return """
            SELECT (SELECT pg_current_snapshot()::text),
                (SELECT listd.generation() FROM listd.pruned WHERE xid <= pg_snapshot_xmin($2::pg_snapshot)), k.id, p.id, \(rowExpressions)
            FROM (SELECT DISTINCT s.id FROM listd.since($1::int4, $2::pg_snapshot) AS s(id)) k
            LEFT JOIN \(relation) t ON t.id = k.id::\(idType)
            LEFT JOIN LATERAL (
                SELECT b.id::text AS id FROM \(relation) b
                WHERE (\(before.joined(separator: ", "))) < (\(order)) AND \(Self.idCondition("b.id"))
                ORDER BY \(before.map { "\($0) DESC" }.joined(separator: ", ")) LIMIT 1
            ) p ON true
            ORDER BY \(order)
            """
    }

    // MARK: Fetching

    /// The statement that returns the columns, triggers and tables of some lists, one row for each column.
    /// Parameter: the names of the lists.
    private static let statement = """
        SELECT w.name, l.number, quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname, b.typname, b.typtype = 'e',
            CASE a.atttypid WHEN 'bpchar'::regtype THEN 'bpchar' ELSE format_type(a.atttypid, NULL) END,
            array_position(l.ordering, a.attname::text), cardinality(l.ordering),
            a.attgenerated = '' AND a.attidentity <> 'a',
            EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid
                AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum),
            o.missing, o.tables, o.state, r.state, has_table_privilege(c.oid, 'SELECT'), concat_ws(' ', c.oid, o.ids),
            a.attnotnull AND NOT a.atthasdef
        FROM unnest($1::text[]) AS w(name)
        LEFT JOIN listd.list l ON l.name = w.name
        LEFT JOIN pg_class c ON c.oid = l.relation
        LEFT JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN LATERAL (
            WITH RECURSIVE base AS (
                SELECT t.* FROM pg_type t WHERE t.oid = a.atttypid
                UNION ALL SELECT t.* FROM base d JOIN pg_type t ON t.oid = d.typbasetype WHERE d.typtype = 'd')
            SELECT base.typname, base.typtype FROM base WHERE base.typtype <> 'd'
        ) b ON true
        LEFT JOIN LATERAL (
            SELECT string_agg(CASE WHEN t.count IS DISTINCT FROM o.triggers THEN o.relation::text END, ', ') AS missing,
                string_agg(o.relation::text, E'\\n' ORDER BY o.relation) AS tables,
                string_agg(o.relation::oid::text, ' ' ORDER BY o.relation) AS ids,
                string_agg(o.relation::oid || ' ' || coalesce(t.state, ''), ',' ORDER BY o.relation) AS state
            FROM listd.origin o LEFT JOIN LATERAL (
                SELECT count(*), string_agg(g.oid || ':' || g.xmin, ' ' ORDER BY g.oid) AS state FROM pg_trigger g
                WHERE g.tgrelid = o.relation AND g.tgname LIKE 'listd\\_' || l.number || '\\_%'
                    AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A')
            ) t ON true
            WHERE o.list = l.number
        ) o ON true
        LEFT JOIN LATERAL (
            SELECT string_agg(r.oid || ':' || r.xmin, ' ' ORDER BY r.oid) AS state FROM pg_rewrite r WHERE r.ev_class = c.oid
        ) r ON true
        ORDER BY w.name, a.attnum
        """

    /// The statement that returns one text for some relations, which changes whenever the description of one of them
    /// may have changed: the versions of the relations' rows in the system catalogue. The statement costs the server
    /// a quarter of ``statement``. Parameter: the OIDs of the relations.
    private static let versionStatement = """
        SELECT concat_ws('/',
            (SELECT string_agg(a.xmin::text, ' ' ORDER BY a.attrelid, a.attnum) FROM pg_attribute a
                WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0),
            (SELECT string_agg(g.oid || ':' || g.xmin, ' ' ORDER BY g.oid) FROM pg_trigger g WHERE g.tgrelid = ANY ($1::oid[])),
            (SELECT string_agg(r.oid || ':' || r.xmin, ' ' ORDER BY r.oid) FROM pg_rewrite r WHERE r.ev_class = ANY ($1::oid[])),
            (SELECT string_agg(i.indexrelid || ':' || i.xmin, ' ' ORDER BY i.indexrelid) FROM pg_index i WHERE i.indrelid = ANY ($1::oid[])),
            (SELECT string_agg(c.oid || c.relname || c.relnamespace || coalesce(c.relacl::text, ''), ' ' ORDER BY c.oid) FROM pg_class c
                WHERE c.oid = ANY ($1::oid[])),
            (SELECT string_agg(l.xmin::text, ' ' ORDER BY l.number) FROM listd.list l),
            (SELECT string_agg(o.xmin::text, ' ' ORDER BY o.list, o.relation) FROM listd.origin o))
        """

    /// Fetches one text for some relations, which changes whenever the description of one of them may have changed.
    static func fetchVersion(
        on connection: Connection, of relationIDs: [String], within limit: Duration
    ) throws(PostgresError) -> String {
        try connection.query(versionStatement, [relationIDs.asArrayLiteral], within: limit).firstText ?? ""
    }

    /// Fetches the descriptions of some lists, or the error of each.
    static func fetch(
        on connection: Connection, for names: Set<String>, within limit: Duration = Connection.responseTimeout
    ) throws(PostgresError) -> [String: Result<ListDescription, ListFault>] {
        let rows = try connection.query(statement, [names.asArrayLiteral], within: limit)
        var rowsOf: [String: [Int]] = [:]
        for row in 0..<rows.count { rowsOf[rows.text(row, 0) ?? "", default: []].append(row) }
        var descriptions: [String: Result<ListDescription, ListFault>] = [:]
        for (name, numbers) in rowsOf {
            descriptions[name] = Result { () throws(ListFault) in try ListDescription(name, rows, numbers) }
        }
        return descriptions
    }

    private init(_ name: String, _ rows: QueryResult, _ numbers: [Int]) throws(ListFault) {
        guard let first = numbers.first, let number = rows.text(first, 1).flatMap({ Int($0) }) else {
            throw ListFault("the database has no list \(name.quoted): create it with listd.watch(…)")
        }
        guard let relation = rows.text(first, 2) else {
            throw ListFault("the table or view of the list \(name.quoted) is gone")
        }
        guard rows.text(first, 15) == "t" else { throw ListFault("permission denied for \(relation)") }
        if let missing = rows.text(first, 11) {
            throw ListFault(
                "a trigger on \(missing) is missing or disabled, so changes would be lost: call listd.watch again")
        }
        guard let tables = rows.text(first, 12) else {
            throw ListFault("no table is watched for the list \(name.quoted): call listd.watch again")
        }
        self.name = name
        self.number = number
        self.relation = relation
        origins = tables.split(separator: "\n").map(String.init)
        relationIDs = (rows.text(first, 16) ?? "").split(separator: " ").map(String.init)
        var columns: [Column] = []
        var order: [Int: (column: String, type: String)] = [:]
        var (idType, hasType, needsType, isUnique): (String?, Bool, Bool, Bool) = (nil, false, false, false)
        var digest = Digest()
        for part in [2, 12, 13, 14] { digest.append(rows.text(first, part) ?? "") }
        for row in numbers {
            let (column, typeName) = (rows.text(row, 3) ?? "", rows.text(row, 4) ?? "")
            let (type, place) = (rows.text(row, 6) ?? "", rows.text(row, 7))
            for part in [column, type, place ?? ""] { digest.append(part) }
            if let place = place.flatMap({ Int($0) }) { order[place] = (column.asIdentifier, type) }
            if column == "id" {
                (idType, isUnique) = (type, rows.text(row, 10) == "t")
            } else if column == "type" {
                (hasType, needsType) = (true, rows.text(row, 17) == "t")
            } else if place == nil {
                guard let kind = ColumnKind(typeName: typeName, isEnumeration: rows.text(row, 5) == "t") else {
                    throw ListFault(
                        "\(relation): the column \(column.quoted) has the type \(type), which a field cannot have: "
                            + "cast it in a view, for example to text, or leave it out")
                }
                columns.append(Column(name: column, kind: kind, type: type, isWritable: rows.text(row, 9) == "t"))
            }
        }
        guard let idType else { throw ListFault("\(relation) has no column \("id".quoted)") }
        guard order.count == rows.text(first, 8).flatMap({ Int($0) }) else {
            throw ListFault("\(relation) lacks a column that orders the list \(name.quoted): call listd.watch again")
        }
        let places = order.sorted { $0.key < $1.key }.map(\.value)
        ordering = places.map(\.column)
        orderingTypes = places.map(\.type)
        (self.idType, self.hasType, self.needsType) = (idType, hasType, needsType)
        (self.isUnique, self.columns) = (isUnique, columns)
        fingerprint = digest.text
    }
}

/// A 64-bit FNV-1a hash of texts.
struct Digest {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func append(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01b3
    }

    var text: String { String(hash, radix: 36) }
}

extension Sequence<String> {
    /// The texts as an array literal in PostgreSQL's text format.
    var asArrayLiteral: String {
        let elements = map { element in
            "\"" + element.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        return "{\(elements.joined(separator: ","))}"
    }
}
