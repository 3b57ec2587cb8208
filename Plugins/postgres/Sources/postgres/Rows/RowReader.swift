// SPDX-License-Identifier: Apache-2.0

internal import PluginAPI

/// Makes objects of rows, and counts what it has to leave out.
struct RowReader {
    /// What was left out of a list, and of which row the first was.
    struct Losses: Sendable, Hashable {
        /// Rows without an id, or without a value in a column of the order.
        var rows = 0
        /// Fields that are no UTF-8, JSON that no field can have.
        var fields = 0
        /// Rows whose fields are larger than an object may be.
        var largeRows = 0
        var example: String?

        var isEmpty: Bool { rows + fields + largeRows == 0 }

        /// One line for the log.
        var text: String {
            var parts: [String] = []
            if rows > 0 { parts.append("\(rows) rows without an id or a place were left out") }
            if fields > 0 { parts.append("\(fields) fields were left out") }
            if largeRows > 0 { parts.append("the fields of \(largeRows) rows were too large and left out") }
            return parts.joined(separator: ", ") + (example.map { ": \($0)" } ?? "")
        }
    }

    private let description: ListDescription
    private let largest: Int
    private(set) var losses = Losses()

    /// - Parameter largest: the most bytes that the fields of an object may have.
    init(_ description: ListDescription, largest: Int) {
        self.description = description
        self.largest = largest
    }

    /// How many columns a row has.
    var columnCount: Int { 2 + (description.hasType ? 1 : 0) + description.columns.count }

    /// The object of a row; nil = it can be none.
    ///
    /// - Parameter field: lends the bytes of a column to a function, if it is not NULL.
    /// - Throws: a fault of the list: an id that is no UTF-8.
    mutating func object(
        _ field: (Int, (UnsafeRawBufferPointer) -> Value?) -> Value??
    ) throws -> ListObject? {
        guard case .some(.boolean(true)) = unsafe field(0, { unsafe ColumnKind.boolean.value(of: $0) }) else {
            losses.rows += 1
            return nil
        }
        guard case .some(.string(let id)) = unsafe field(1, { unsafe ColumnKind.text.value(of: $0) }) else {
            throw ListFault("\(description.relation): an id is no UTF-8 text")
        }
        var (type, next) = ("", 2)
        if description.hasType {
            if case .some(.string(let text)) = unsafe field(next, { unsafe ColumnKind.text.value(of: $0) }) {
                type = text
            }
            next += 1
        }
        var size = 0
        var values: [String: Value] = [:]
        values.reserveCapacity(description.columns.count)
        for (index, column) in description.columns.enumerated() {
            let value = unsafe field(next + index) { bytes in
                size += bytes.count
                return unsafe size > largest ? nil : column.kind.value(of: bytes)
            }
            switch value {
            case .some(.some(let value)): values[column.name] = value
            case .some(.none): if size <= largest { lose(column, of: id) }
            case .none: break  // NULL
            }
        }
        return try object(id, type, values, isTooLarge: size > largest)
    }

    private mutating func object(
        _ id: String, _ type: String, _ values: [String: Value], isTooLarge: Bool
    ) throws -> ListObject {
        var fields = Fields()
        if !isTooLarge {
            do { fields = try Fields(values) } catch {
                // One of them is nested too deeply, or the like.
                for (key, value) in values {
                    if let one = try? Fields([key: value]) { fields = fields.merging(one) } else { losses.fields += 1 }
                }
            }
        }
        if isTooLarge || fields.byteCount > largest {
            losses.largeRows += 1
            if losses.example == nil { losses.example = "row \(id.quoted) of \(description.relation)" }
            fields = Fields()
        }
        return try ListObject(id: id, type: type, fields: fields)
    }

    private mutating func lose(_ column: ListDescription.Column, of id: String) {
        losses.fields += 1
        if losses.example == nil {
            losses.example = "column \(column.name.quoted) of row \(id.quoted) of \(description.relation)"
        }
    }
}

/// Takes the rows of a `COPY … (FORMAT binary)` apart.
struct CopyReader {
    /// Eleven bytes of signature, flags, and the length of what may follow them.
    private static let headerLength = 19

    private var hasSeenHeader = false
    private var ranges: [Range<Int>?] = []

    /// Finds the fields of one chunk; false at the end of the rows.
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

    /// Lends the bytes of a field; nil = NULL.
    func field<Value>(
        _ index: Int, of chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value? {
        guard index < ranges.count, let range = ranges[index] else { return nil }
        return unsafe body(UnsafeRawBufferPointer(rebasing: chunk[range]))
    }

    private static let damage = PostgresError(kind: .connection, message: "the server sent rows that are none")
}

extension UnsafeRawBufferPointer {
    fileprivate func integer(at position: Int, bytes: Int) -> Int? {
        guard position + bytes <= count else { return nil }
        return unsafe self[position..<position + bytes].reduce(0) { $0 << 8 | Int($1) }
    }
}
