// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Executes a client's write as SQL statements in the open transaction.
struct RowWriter {
    private let connection: Connection
    private let list: ListDescription
    private let columns: [String: ListDescription.Column]
    private let deletionLimit: Int
    private let timeout: Duration

    /// - Parameters:
    ///   - deletionLimit: the largest number of rows that an operation may delete; 0 = any.
    ///   - timeout: the time for the answer to each statement.
    init(_ connection: Connection, _ list: ListDescription, deletionLimit: Int, timeout: Duration) {
        self.connection = connection
        self.list = list
        self.deletionLimit = deletionLimit
        self.timeout = timeout
        columns = Dictionary(list.columns.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// Runs the statements of an operation.
    ///
    /// - Throws: A `ListError` for an object or position that the list cannot have; a ``PostgresError`` for a
    ///   failed statement.
    func perform(_ operation: DataSourceWrite.Operation) throws {
        switch operation {
        case .replace(let objects): try replace(objects)
        case .changes(let removed, let upserts):
            if !removed.isEmpty {
                try delete("id = ANY ($1::\(list.idType)[])", removed.asArrayLiteral)
            }
            for upsert in upserts { try put(upsert) }
        case .move(let id, let position): try move(id, to: position)
        case .patch(let id, let set, let unset): try patch(id, set: set, unset: unset)
        @unknown default: throw DataSourceWrite.unsupported
        }
    }

    private func replace(_ objects: [ListObject]) throws {
        try delete(
            "NOT EXISTS (SELECT FROM unnest($1::text[]) AS k(id) WHERE k.id = t.id::text)",
            objects.map(\.id).asArrayLiteral)
        for (index, object) in objects.enumerated() { try put(object, rank: rank == nil ? nil : "\(index + 1)") }
    }

    /// Deletes the rows of `t` that a condition selects, unless they are more than one call may delete.
    private func delete(_ condition: String, _ parameter: String) throws {
        let selected = "FROM \(list.relation) t WHERE \(condition)"
        // Counting first costs less than deleting, and undoing it.
        if deletionLimit > 0 {
            try checkDeletion(of: number("SELECT count(*) \(selected)", [parameter])) {
                try number("SELECT count(*) FROM \(list.relation)")
            }
        }
        let deleted = try query("DELETE \(selected)", [parameter]).affected
        // Other writers may have added rows meanwhile.
        if deletionLimit > 0 {
            try checkDeletion(of: deleted) { try number("SELECT count(*) FROM \(list.relation)") + deleted }
        }
    }

    /// Throws if an operation deletes more than ``deletionLimit`` rows, or more than half of more than ten.
    private func checkDeletion(of count: Int, _ total: () throws -> Int) throws {
        // Of ten rows at most, five or fewer never are more than half of more than ten.
        guard count > min(5, deletionLimit) else { return }
        let total = try total()
        let isMost = total > 10 && count * 2 > total
        guard count > deletionLimit || isMost else { return }
        let reason = count > deletionLimit ? "more than delete-limit=\(deletionLimit)" : "more than half"
        throw ListError(
            .limitsExceeded,
            "the write would delete \(count) of \(total) rows of \(list.relation), \(reason): nothing was written; delete "
                + "fewer in one call, or set delete-limit=0 in the list's source")
    }

    private func number(_ statement: String, _ parameters: [String?] = []) throws -> Int {
        try query(statement, parameters).firstText.flatMap { Int($0) } ?? 0
    }

    @discardableResult
    private func query(_ statement: String, _ parameters: [String?] = []) throws(PostgresError) -> QueryResult {
        try connection.query(statement, parameters, within: timeout)
    }

    /// Runs a statement that writes a row. An error names the row, and the column whose value cannot be stored.
    private func write(_ statement: String, _ values: Values, row id: String) throws -> QueryResult {
        do throws(PostgresError) { return try query(statement, values.parameters) } catch {
            guard case .statement(let state) = error.kind, ["22", "23"].contains(state.prefix(2)) else { throw error }
            let row = "the row \(id.quoted) of \(list.relation)"
            guard state.hasPrefix("22") else { throw ListError(.invalidObject, "\(error.message): \(row)") }
            let column = findUnstorable(in: values) ?? "id"
            throw ListError(.invalidObject, "\(error.message): the column \(column.quoted) of \(row)")
        }
    }

    /// Returns the first column whose value the database cannot convert; `nil` = none of them. Ends the transaction,
    /// which has failed.
    private func findUnstorable(in values: Values) -> String? {
        _ = try? query("ROLLBACK")
        for column in values.columns {
            let conversion = "SELECT (\(column.expression.replacing("$", with: "$1")))::\(column.type)"
            do throws(PostgresError) { try query(conversion, [column.value]) } catch {
                if case .statement = error.kind { return column.name }
            }
        }
        return nil
    }

    private func put(_ upsert: UpdateRequest.Upsert) throws {
        let id = upsert.object.id
        let isKnown = try exists(id)
        guard rank != nil else {
            try checkPositionWithoutRank(upsert.position)
            return try put(upsert.object, rank: nil)
        }
        switch upsert.position {
        case .keep: try put(upsert.object, rank: isKnown ? nil : try newRank(of: id, at: .last))
        case .before(id), .after(id): try put(upsert.object, rank: isKnown ? nil : try newRank(of: id, at: .last))
        case .first, .last, .before, .after: try put(upsert.object, rank: try newRank(of: id, at: upsert.position))
        }
    }

    /// Inserts or updates a row with all its columns, and with its rank unless `place` is `nil`.
    private func put(_ object: ListObject, rank place: String?) throws {
        if !list.hasType, !object.type.isEmpty {
            throw ListError(
                .invalidObject, "object \(object.id.quoted): \(list.relation.quoted) has no column for a type")
        }
        for key in object.fields.keys { _ = try column(named: key) }
        // A row that exists loses the fields that the object lacks. A new row has the defaults of their columns.
        var (changed, new) = (Values(), Values())
        if list.hasType {
            changed.add("type", expression: "$", type: "text", object.type)
            if !object.type.isEmpty || list.needsType { new.add("type", expression: "$", type: "text", object.type) }
        }
        for column in list.columns where column.isWritable {
            let value = try object.fields[column.name].map { try parameter($0, for: column) }
            changed.add(column, value)
            if let value { new.add(column, value) }
        }
        if let rank, let place {
            changed.add(rank, expression: "$", type: list.orderingTypes[0], place)
            new.add(rank, expression: "$", type: list.orderingTypes[0], place)
        }
        if !changed.columns.isEmpty {
            let id = changed.addParameter(object.id)
            let statement = "UPDATE \(list.relation) SET \(changed.assignments) WHERE id = \(id)"
            if try write(statement, changed, row: object.id).affected > 0 { return }
        } else if try exists(object.id) {
            return
        }
        let id = new.addParameter(object.id)
        let names = (["id"] + new.names).joined(separator: ", ")
        let expressions = ([id] + new.expressions).joined(separator: ", ")
        _ = try write("INSERT INTO \(list.relation) (\(names)) VALUES (\(expressions))", new, row: object.id)
    }

    private func patch(_ id: String, set: Fields, unset: [String]) throws {
        var values = Values()
        for (key, value) in set {
            values.add(try writableColumn(named: key), try parameter(value, for: try writableColumn(named: key)))
        }
        for key in unset where set[key] == nil { values.add(try writableColumn(named: key), nil) }
        guard !values.columns.isEmpty else {
            guard try exists(id) else { throw noSuchObject(id) }
            return
        }
        let place = values.addParameter(id)
        let changed = try write(
            "UPDATE \(list.relation) SET \(values.assignments) WHERE id = \(place)", values, row: id)
        guard changed.affected > 0 else { throw noSuchObject(id) }
    }

    private func move(_ id: String, to position: UpdateRequest.Position) throws {
        guard try exists(id) else { throw noSuchObject(id) }
        guard let rank else { return try checkPositionWithoutRank(position) }
        switch position {
        case .keep, .before(id), .after(id): return
        case .first, .last, .before, .after: break
        }
        let place = try newRank(of: id, at: position)
        try query("UPDATE \(list.relation) SET \(rank) = $1 WHERE id = $2", [place, id])
    }

    private func exists(_ id: String) throws -> Bool {
        do throws(PostgresError) {
            return try query("SELECT FROM \(list.relation) WHERE id = $1", [id]).count > 0
        } catch {
            guard case .statement(let state) = error.kind, state.hasPrefix("22") else { throw error }
            throw ListError(
                .invalidObject,
                "\(error.message): the column \("id".quoted) of the row \(id.quoted) of \(list.relation)")
        }
    }

    // MARK: Columns

    private func column(named name: String) throws(ListError) -> ListDescription.Column {
        guard let column = columns[name] else {
            if list.ordering.contains(name.asIdentifier), name != "id" {
                throw ListError(
                    .invalidObject,
                    "field \(name.quoted): the column is part of the order of \(list.relation.quoted), and no field: give "
                        + "the object a position instead")
            }
            throw ListError(.invalidObject, "field \(name.quoted): \(list.relation.quoted) has no such column")
        }
        return column
    }

    private func writableColumn(named name: String) throws(ListError) -> ListDescription.Column {
        let column = try column(named: name)
        guard column.isWritable else {
            throw ListError(.invalidObject, "field \(name.quoted): the column is generated by the database")
        }
        return column
    }

    private func parameter(_ value: Value, for column: ListDescription.Column) throws(ListError) -> String {
        try column.kind.parameter(value, column: column.name)
    }

    private func noSuchObject(_ id: String) -> ListError {
        ListError(.noSuchObject, "the list \(list.name.quoted) has no object \(id.quoted)")
    }

    // MARK: Ranks

    /// The numeric column that determines the order before `id`; `nil` = rows cannot be moved.
    private var rank: String? {
        guard list.ordering.count == 2, list.ordering[1] == "id".asIdentifier,
            ["numeric", "double precision", "real", "integer", "bigint", "smallint"].contains(list.orderingTypes[0])
        else { return nil }
        return list.ordering[0]
    }

    /// Throws for any position but the default, in a list whose rows cannot be moved.
    private func checkPositionWithoutRank(_ position: UpdateRequest.Position) throws(ListError) {
        switch position {
        case .keep, .last: return
        case .first, .before, .after:
            throw ListError(
                .invalidArguments,
                "the list \(list.name.quoted) is ordered by \(list.ordering.joined(separator: ", ")): a position cannot be chosen"
            )
        }
    }

    /// Returns a rank for a position, as text.
    private func newRank(of id: String, at position: UpdateRequest.Position) throws -> String {
        guard let rank else { return "0" }
        let relation = list.relation
        switch position {
        case .keep, .last:
            let last = try query("SELECT floor(coalesce(max(\(rank)), 0)::numeric) + 1 FROM \(relation)")
            return last.firstText ?? "0"
        case .first:
            let first = try query("SELECT ceil(coalesce(min(\(rank)), 2)::numeric) - 1 FROM \(relation)")
            return first.firstText ?? "0"
        case .before(let anchor), .after(let anchor):
            guard try exists(anchor) else { throw noSuchObject(anchor) }
            let isBefore = if case .before = position { true } else { false }
            return try newRank(of: id, beside: anchor, isBefore: isBefore, column: rank)
        }
    }

    private func newRank(of id: String, beside anchor: String, isBefore: Bool, column rank: String) throws -> String {
        let relation = list.relation
        let (order, direction) = isBefore ? ("<", "DESC") : (">", "ASC")
        let isWhole = ["integer", "bigint", "smallint"].contains(list.orderingTypes[0])
        let middle = "(least(a.r, n.r) + greatest(a.r, n.r)) * 0.5"
        let found = try query(
            """
            SELECT a.r, n.r, \(isWhole ? "floor(\(middle))" : middle),
                coalesce(\(isWhole ? "floor(\(middle))" : middle) > least(a.r, n.r)
                    AND \(isWhole ? "floor(\(middle))" : middle) < greatest(a.r, n.r), false)
            FROM (SELECT \(rank)::numeric AS r, \(rank) AS rank, id FROM \(relation) WHERE id = $1) a
            LEFT JOIN LATERAL (
                SELECT b.\(rank)::numeric AS r FROM \(relation) b WHERE (b.\(rank), b.id) \(order) (a.rank, a.id) AND b.id <> $2
                ORDER BY b.\(rank) \(direction), b.id \(direction) LIMIT 1
            ) n ON true
            """, [anchor, id])
        let own = found.text(0, 0) ?? "0"
        // Without a neighbour, the anchor is the first or the last row.
        guard found.text(0, 1) != nil else {
            return try query(
                "SELECT \(isBefore ? "ceil($1::numeric) - 1" : "floor($1::numeric) + 1")", [own]
            )
            .firstText ?? "0"
        }
        if found.text(0, 3) == "t" { return found.text(0, 2) ?? "0" }
        // There is no rank between the anchor and its neighbour: the ranks of the rows after the gap are increased
        // by 2.
        let comparison = isBefore ? ">=" : ">"
        try query(
            """
            UPDATE \(relation) b SET \(rank) = b.\(rank) + 2
            WHERE (b.\(rank), b.id) \(comparison) (SELECT \(rank), id FROM \(relation) WHERE id = $1)
            """, [anchor])
        let before = isBefore ? found.text(0, 1) ?? own : own
        return try query("SELECT floor($1::numeric) + 1", [before]).firstText ?? "0"
    }
}

/// The columns to write, with the SQL expressions and parameters of their new values.
private struct Values {
    struct Column {
        let name: String
        /// The column as an SQL identifier.
        let identifier: String
        /// The SQL expression of the value, with `$` for the parameter.
        let expression: String
        /// The SQL type.
        let type: String
        let value: String?
        let place: String
    }

    private(set) var columns: [Column] = []
    private(set) var parameters: [String?] = []

    mutating func add(_ column: ListDescription.Column, _ value: String?) {
        append(column.name, column.name.asIdentifier, column.kind.assignment("$"), column.type, value)
    }

    /// Adds a column by its SQL identifier, with the expression of its value and `$` for the parameter.
    mutating func add(_ identifier: String, expression: String, type: String, _ value: String?) {
        append(identifier, identifier, expression, type, value)
    }

    private mutating func append(
        _ name: String, _ identifier: String, _ expression: String, _ type: String, _ value: String?
    ) {
        columns.append(
            Column(
                name: name, identifier: identifier, expression: expression, type: type, value: value,
                place: addParameter(value)))
    }

    /// Adds a parameter and returns its placeholder.
    mutating func addParameter(_ value: String?) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    var names: [String] { columns.map(\.identifier) }
    var expressions: [String] { columns.map { $0.expression.replacing("$", with: $0.place) } }
    var assignments: String { zip(names, expressions).map { "\($0) = \($1)" }.joined(separator: ", ") }
}
