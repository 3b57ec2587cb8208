// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The fields of an object or item as text for people, those within fields by names with points, as `owner.name`.
struct FieldTexts {
    private let hints: [String: FieldHint]

    /// - Parameter hints: how people want to see fields; empty shows the values as they are.
    init(hints: [String: FieldHint]) { self.hints = hints }

    /// Whether values of a field stand below each other by their ends; nil without a hint.
    func isRightAligned(_ name: String) -> Bool? { hints[name]?.isRightAligned }

    /// Where people look for a field with a hint; nil without one.
    func rank(of name: String) -> Int? { hints[name]?.rank }

    /// All fields that hold no further ones, in the order of their names.
    func texts(of content: Content) -> [(name: String, text: String)] {
        content.flatMap { texts(of: $0.value, named: $0.key, depth: 0) }
    }

    /// A value as text; what holds others as JSON.
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
