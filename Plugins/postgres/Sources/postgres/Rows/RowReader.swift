// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Converts rows to objects, and records the rows and fields that are left out.
struct RowReader {
    private let description: ListDescription
    private let largest: Int
    private(set) var losses = RowLosses()

    /// - Parameter largest: The maximum number of bytes of an object's fields.
    init(_ description: ListDescription, largest: Int) {
        self.description = description
        self.largest = largest
    }

    /// The number of columns of a row.
    var columnCount: Int { 2 + (description.hasType ? 1 : 0) + description.columns.count }

    /// Converts a row to an object. Returns `nil` for a row that cannot be in the list, and records it.
    ///
    /// - Parameter field: Returns the bytes of a column, which stay valid during this call; `nil` = NULL.
    /// - Throws: ``ListFault`` for an id that is not UTF-8.
    mutating func readObject(_ field: (Int) -> UnsafeRawBufferPointer?) throws -> ListObject? {
        guard let isRow = unsafe field(0)?.first, isRow != 0 else {
            unsafe recordAbsence(of: field(1))
            return nil
        }
        guard let id = unsafe field(1)?.validText else {
            throw ListFault("\(description.relation): an id is not UTF-8 text")
        }
        var (type, next) = ("", 2)
        if description.hasType {
            type = unsafe field(next)?.validText ?? ""
            next += 1
        }
        var size = 0
        var values: [String: Value] = [:]
        for index in description.columns.indices {
            guard let bytes = unsafe field(next + index) else { continue }
            size += bytes.count
            guard size <= largest else { continue }
            if let value = unsafe description.columns[index].kind.value(of: bytes) {
                values[description.columns[index].name] = value
            } else {
                recordLoss(of: description.columns[index], in: id)
            }
        }
        return try makeObject(id, type, values, isTooLarge: size > largest)
    }

    private mutating func makeObject(
        _ id: String, _ type: String, _ values: [String: Value], isTooLarge: Bool
    ) throws -> ListObject {
        var fields = Fields()
        if !isTooLarge {
            do { fields = try Fields(values) } catch {
                // One of the values is invalid, for example nested too deeply: the others are kept.
                for (key, value) in values {
                    if let one = try? Fields([key: value]) {
                        fields = fields.merging(one)
                    } else {
                        losses.addField(of: id, "\(place(key, id)) has a value that a field cannot have")
                    }
                }
            }
        }
        if isTooLarge || fields.byteCount > largest {
            losses.addLargeRow(id, "the row \(id.quoted) of \(description.relation) has more than \(largest) bytes")
            fields = Fields()
        }
        return try ListObject(id: id, type: type, fields: fields)
    }

    private func place(_ column: String, _ id: String) -> String {
        "the column \(column.quoted) of the row \(id.quoted) of \(description.relation)"
    }

    private mutating func recordLoss(of column: ListDescription.Column, in id: String) {
        let reason =
            switch column.kind {
            case .json: "has JSON that a field cannot have: null in an array, a number beyond 64 bits, or 64 levels"
            case .text: "has text that is not UTF-8"
            case .integer, .boolean, .double, .time, .bytes: "has a value that a field cannot have"
            }
        losses.addField(of: id, "\(place(column.name, id)) \(reason)")
    }

    /// Records a row without a usable id, or with NULL in a column that determines the order.
    private mutating func recordAbsence(of id: UnsafeRawBufferPointer?) {
        let relation = description.relation
        guard let id = unsafe id else { return losses.addRow(nil, "a row of \(relation) has no id") }
        let text = unsafe String(decoding: id, as: UTF8.self)
        if text.isEmpty { return losses.addRow(text, "a row of \(relation) has an empty id") }
        guard id.count <= ListDescription.maximumIDLength else {
            return losses.addRow(
                text,
                "the row \(text.quoted) of \(relation) has an id of \(id.count) bytes, "
                    + "more than \(ListDescription.maximumIDLength)")
        }
        let order = description.ordering.dropLast().joined(separator: ", ")
        losses.addRow(text, "the row \(text.quoted) of \(relation) has NULL in its order (\(order))")
    }
}

/// Locates the fields in the rows of a `COPY … (FORMAT binary)`.
struct CopyReader {
    /// The length of the header: 11 bytes of signature, 4 of flags, and 4 with the length of an extension.
    private static let headerLength = 19

    private var hasSeenHeader = false
    private var ranges: [Range<Int>?] = []

    /// Locates the fields in one chunk. Returns `false` for the trailer after the last row.
    mutating func read(_ chunk: UnsafeRawBufferPointer) throws -> Bool {
        var position = 0
        if !hasSeenHeader {
            hasSeenHeader = true
            position = Self.headerLength
        }
        ranges.removeAll(keepingCapacity: true)
        guard let count = unsafe chunk.integer(at: position, bytes: 2) else { throw Self.damage }
        guard count != 0xFFFF else { return false }
        position += 2
        for _ in 0..<count {
            guard let length = unsafe chunk.integer(at: position, bytes: 4) else { throw Self.damage }
            position += 4
            if length == 0xFFFF_FFFF {
                ranges.append(nil)
            } else {
                guard position + length <= chunk.count else { throw Self.damage }
                ranges.append(position..<position + length)
                position += length
            }
        }
        return true
    }

    /// Returns the bytes of a field, which are a part of the chunk; `nil` = NULL.
    func field(_ index: Int, of chunk: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard index < ranges.count, let range = ranges[index] else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: chunk[range])
    }

    private static let damage = PostgresError(kind: .connection, message: "the server sent malformed rows")
}

extension UnsafeRawBufferPointer {
    fileprivate func integer(at position: Int, bytes: Int) -> Int? {
        guard position + bytes <= count else { return nil }
        return unsafe self[position..<position + bytes].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The rows and fields of a table that its list cannot have.
///
/// They are known by the row's id, so that a changed row replaces what was known of it. Beyond ``maximumKnown`` rows, and
/// for rows without an id, there are only numbers, which stay until the whole list is read again.
struct RowLosses: Sendable, Hashable {
    /// What the list lacks of one row.
    private struct Loss: Sendable, Hashable {
        var counts = Counts()
        /// The part of the row and the reason.
        var text: String
        /// Increases from row to row, so that the first one can be found.
        var order: Int
    }

    private struct Counts: Sendable, Hashable {
        var rows = 0
        /// Fields with values that a field cannot have.
        var fields = 0
        /// Rows whose fields have too many bytes together.
        var largeRows = 0

        static func += (sum: inout Counts, more: Counts) { sum.add(more, 1) }
        static func -= (sum: inout Counts, less: Counts) { sum.add(less, -1) }

        private mutating func add(_ other: Counts, _ sign: Int) {
            rows += sign * other.rows
            fields += sign * other.fields
            largeRows += sign * other.largeRows
        }
    }

    private static let maximumKnown = 1000

    private var known: [String: Loss] = [:]
    private var counts = Counts()
    private var next = 0
    /// The first loss without an id.
    private var anonymous: String?

    var isEmpty: Bool { counts == Counts() }

    /// Records a row that cannot be in the list.
    mutating func addRow(_ id: String?, _ text: String) { add(id, text, Counts(rows: 1)) }

    /// Records fields of a row that have values which a field cannot have.
    mutating func addField(of id: String, _ text: String, count: Int = 1) { add(id, text, Counts(fields: count)) }

    /// Records a row whose fields have too many bytes.
    mutating func addLargeRow(_ id: String, _ text: String) { add(id, text, Counts(largeRows: 1)) }

    private mutating func add(_ id: String?, _ text: String, _ more: Counts) {
        counts += more
        guard let id else {
            if anonymous == nil { anonymous = text }
            return
        }
        guard known[id] != nil || known.count < Self.maximumKnown else { return }
        known[id, default: Loss(text: text, order: next)].counts += more
        next += 1
    }

    /// Replaces what was known of changed rows.
    mutating func replace(_ ids: Set<String>, with losses: RowLosses) {
        for id in ids {
            guard let old = known.removeValue(forKey: id) else { continue }
            counts -= old.counts
        }
        for (id, loss) in losses.known.sorted(by: { $0.value.order < $1.value.order }) {
            add(id, loss.text, loss.counts)
        }
    }

    /// The losses on one line; `nil` = there are none.
    var text: String? {
        guard !isEmpty else { return nil }
        var parts: [String] = []
        if counts.rows > 0 { parts.append(counts.rows == 1 ? "1 row is left out" : "\(counts.rows) rows are left out") }
        if counts.fields > 0 {
            parts.append(counts.fields == 1 ? "1 field is left out" : "\(counts.fields) fields are left out")
        }
        if counts.largeRows > 0 {
            let rows = counts.largeRows == 1 ? "1 row, which is" : "\(counts.largeRows) rows, which are"
            parts.append("the fields of \(rows) too large, are left out")
        }
        let first = known.values.min { $0.order < $1.order }?.text ?? anonymous
        return parts.joined(separator: ", ") + (first.map { "; the first: \($0)" } ?? "")
    }
}
