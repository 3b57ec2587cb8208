// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The fields of an object or item as text for people, nested ones by names with points, as `owner.name`.
struct FieldTexts {
    private let hints: [String: FieldHint]

    /// - Parameter hints: how to show fields; empty shows the values unchanged.
    init(hints: [String: FieldHint]) { self.hints = hints }

    /// Whether the column of a field is aligned to the right; nil without a hint.
    func isRightAligned(_ name: String) -> Bool? { hints[name]?.isRightAligned }

    /// The place of a field with a hint in the order of columns; nil without one.
    func rank(of name: String) -> Int? { hints[name]?.rank }

    /// All fields without nested ones, in the order of their names.
    func texts(of content: Content) -> [(name: String, text: String)] {
        content.flatMap { texts(of: $0.value, named: $0.key, depth: 0) }
    }

    /// A value as text; containers as JSON.
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
