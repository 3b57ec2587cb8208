// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The conversion of an object's or item's fields to text for people.
///
/// The names of nested fields are joined with points, as in `owner.name`.
struct FieldTexts {
    private let hints: [String: FieldHint]

    /// - Parameter hints: the hints by the names of the fields. A field without a hint shows its value unchanged.
    init(hints: [String: FieldHint]) { self.hints = hints }

    /// Whether the column of a field is aligned to the right; nil when the field has no hint.
    func isRightAligned(_ name: String) -> Bool? { hints[name]?.isRightAligned }

    /// Returns the position of a field among the columns; nil when the field has no hint.
    func rank(of name: String) -> Int? { hints[name]?.rank }

    /// Returns the names and texts of all fields in the order of their names. A nested dictionary is replaced by its
    /// entries.
    func texts(of content: Content) -> [(name: String, text: String)] {
        content.flatMap { texts(of: $0.value, named: $0.key, depth: 0) }
    }

    /// Returns the text of a field's value, by the field's hint. Containers become JSON.
    func text(of value: DBusValue, named name: String) -> String {
        hints[name]?.text(of: value) ?? ItemText.plain(value) ?? JSONLine(value).text
    }

    private func texts(of value: DBusValue, named name: String, depth: Int) -> [(name: String, text: String)] {
        guard depth < 8, case .dictionary("s", _, let entries) = value.unwrapped, !entries.isEmpty else {
            return [(name, text(of: value, named: name))]
        }
        return entries.flatMap { entry in
            guard case .string(let key) = entry.key else { return [(name: String, text: String)]() }
            return texts(of: entry.value, named: "\(name).\(key)", depth: depth + 1)
        }
    }
}
