// SPDX-License-Identifier: Apache-2.0

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
        /// Rows that are not in the list.
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
