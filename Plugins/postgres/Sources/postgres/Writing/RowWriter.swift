// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Executes a client's write as SQL statements in the open transaction.
struct RowWriter {
    private let connection: Connection
    private let list: ListDescription
    private let columns: [String: ListDescription.Column]

    init(_ connection: Connection, _ list: ListDescription) {
        self.connection = connection
        self.list = list
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
            for id in removed { try connection.query("DELETE FROM \(list.relation) WHERE id = $1", [id]) }
            for upsert in upserts { try put(upsert) }
        case .move(let id, let position): try move(id, to: position)
        case .patch(let id, let set, let unset): try patch(id, set: set, unset: unset)
        @unknown default: throw DataSourceWrite.unsupported
        }
    }

    private func replace(_ objects: [ListObject]) throws {
        try connection.query(
            "DELETE FROM \(list.relation) WHERE id::text <> ALL ($1)", [objects.map(\.id).asArrayLiteral])
        for (index, object) in objects.enumerated() { try put(object, rank: rank == nil ? nil : "\(index + 1)") }
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
        var values = Values()
        if list.hasType { values.add("type", expression: "$", object.type) }
        for column in list.columns where column.isWritable {
            values.add(column, try object.fields[column.name].map { try parameter($0, for: column) })
        }
        if let rank, let place { values.add(rank, expression: "$", place) }
        let id = values.addParameter(object.id)
        if !values.names.isEmpty {
            let changed = try connection.query(
                "UPDATE \(list.relation) SET \(values.assignments) WHERE id = \(id)", values.parameters)
            if changed.affected > 0 { return }
        } else if try exists(object.id) {
            return
        }
        let names = (["id"] + values.names).joined(separator: ", ")
        let expressions = ([id] + values.expressions).joined(separator: ", ")
        try connection.query("INSERT INTO \(list.relation) (\(names)) VALUES (\(expressions))", values.parameters)
    }

    private func patch(_ id: String, set: Fields, unset: [String]) throws {
        var values = Values()
        for (key, value) in set {
            values.add(try writableColumn(named: key), try parameter(value, for: try writableColumn(named: key)))
        }
        for key in unset where set[key] == nil { values.add(try writableColumn(named: key), nil) }
        guard !values.names.isEmpty else {
            guard try exists(id) else { throw noSuchObject(id) }
            return
        }
        let place = values.addParameter(id)
        let changed = try connection.query(
            "UPDATE \(list.relation) SET \(values.assignments) WHERE id = \(place)", values.parameters)
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
        try connection.query("UPDATE \(list.relation) SET \(rank) = $1 WHERE id = $2", [place, id])
    }

    private func exists(_ id: String) throws -> Bool {
        try connection.query("SELECT FROM \(list.relation) WHERE id = $1", [id]).count > 0
    }

    // MARK: Columns

    private func column(named name: String) throws(ListError) -> ListDescription.Column {
        guard let column = columns[name] else {
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
            let last = try connection.query("SELECT floor(coalesce(max(\(rank)), 0)::numeric) + 1 FROM \(relation)")
            return last.firstText ?? "0"
        case .first:
            let first = try connection.query("SELECT ceil(coalesce(min(\(rank)), 2)::numeric) - 1 FROM \(relation)")
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
        let found = try connection.query(
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
            return try connection.query(
                "SELECT \(isBefore ? "ceil($1::numeric) - 1" : "floor($1::numeric) + 1")", [own]
            )
            .firstText ?? "0"
        }
        if found.text(0, 3) == "t" { return found.text(0, 2) ?? "0" }
        // There is no rank between the anchor and its neighbour: the ranks of the rows after the gap are increased
        // by 2.
        let comparison = isBefore ? ">=" : ">"
        try connection.query(
            """
            UPDATE \(relation) b SET \(rank) = b.\(rank) + 2
            WHERE (b.\(rank), b.id) \(comparison) (SELECT \(rank), id FROM \(relation) WHERE id = $1)
            """, [anchor])
        let before = isBefore ? found.text(0, 1) ?? own : own
        return try connection.query("SELECT floor($1::numeric) + 1", [before]).firstText ?? "0"
    }
}

/// The columns to write, with the SQL expressions and parameters of their new values.
private struct Values {
    private(set) var names: [String] = []
    private(set) var expressions: [String] = []
    private(set) var parameters: [String?] = []

    mutating func add(_ column: ListDescription.Column, _ value: String?) {
        add(column.name.asIdentifier, expression: column.kind.assignment("$"), value)
    }

    /// Adds a column, the expression of its value with `$` for the parameter, and the parameter.
    mutating func add(_ name: String, expression: String, _ value: String?) {
        names.append(name)
        expressions.append(expression.replacing("$", with: addParameter(value)))
    }

    /// Adds a parameter and returns its placeholder.
    mutating func addParameter(_ value: String?) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    var assignments: String { zip(names, expressions).map { "\($0) = \($1)" }.joined(separator: ", ") }
}
