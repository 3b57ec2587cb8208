// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Fields written as `KEY=VALUE` words.
enum FieldWords {
    /// Reads fields: a value that is JSON is read as JSON (a number, true, false, null, "text", an array, an object),
    /// any other is text.
    /// - Throws: a `UsageError` naming a word without a key.
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

    /// The paragraph about fields in the help of commands that read some.
    static let discussion =
        "A VALUE that is JSON is that value, as 5, true, [1,2] or \"5\"; any other is text, as subject=Hello."

    private static func value(of text: String) -> DBusValue? {
        // A value with blanks at its ends is text.
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else { return .string(text) }
        var reader = JSONReader(text.utf8)
        do throws(JSONReader.Fault) {
            let value = try reader.value()
            return reader.isAtEnd ? value : .string(text)
        } catch {
            return .string(text)
        }
    }
}
