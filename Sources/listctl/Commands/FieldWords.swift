// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The parser of fields that are written as `KEY=VALUE` words.
enum FieldWords {
    /// Returns the fields that the words describe. A value that is valid JSON is read as JSON; any other value is text.
    ///
    /// - Throws: a `UsageError` for a word without a key, and for a value that is null.
    static func content(of words: [String]) throws(UsageError) -> Content {
        var fields: [Content.Element] = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw UsageError(message: "“\(word)” is not KEY=VALUE")
            }
            let (key, text) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
            guard let value = value(of: text) else {
                throw UsageError(
                    message: "“\(word)”: a field cannot be null; leave it out, or use patch --unset \(key)")
            }
            fields.append((key: key, value: value))
        }
        return Content(fields)
    }

    /// The paragraph about fields for the help of commands that take them.
    static let discussion =
        "A VALUE that is valid JSON, such as 5, true, [1,2] or \"5\", is that JSON value; any other VALUE is text, "
        + "as in subject=Hello."

    private static func value(of text: String) -> DBusValue? {
        // JSON allows blanks around a value, but a value with blanks at its start or end is meant as text.
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else { return .string(text) }
        var reader = JSONReader(text.utf8)
        do throws(JSONReader.Fault) {
            let value = try reader.readValue()
            return reader.isAtEnd ? value : .string(text)
        } catch {
            return .string(text)
        }
    }
}
