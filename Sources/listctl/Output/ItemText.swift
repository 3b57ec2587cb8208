// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The texts of an item: its title, its details, and a line of both.
enum ItemText {
    /// The keys of fields that name an item, in order of preference.
    static let titleKeys = ["title", "name", "label", "text", "subject", "summary", "message"]
    /// The keys of fields that describe an item to people, in order of preference.
    static let explanationKeys = ["detail", "subtitle", "description"]
    /// The keys of fields that say how to draw an item; their values are not shown.
    static let layoutKeys: Set<String> = [
        "reuse", "width", "height", "x", "y", "z", "inset", "line-spacing", "interitem-spacing", "items", "header",
        "footer", "icon", "actions",
    ]

    /// Returns the title of an item: the first non-empty field of `titleKeys`, else the object's id.
    ///
    /// - Parameter limit: the number of columns that the caller needs. The rest of the title may be left out.
    static func title(of content: Content, objectID: String, columns limit: Int = .max) -> String {
        for key in titleKeys {
            if let text = content[key].flatMap(plain), !text.isEmpty {
                return DisplayText.sanitized(text, columns: limit)
            }
        }
        return DisplayText.sanitized(objectID, columns: limit)
    }

    /// Returns the details of an item: the first field of `explanationKeys`, else all fields but the title, as
    /// `key value` pairs in the order of the keys.
    ///
    /// - Parameter limit: the number of columns that the caller needs. The rest of the details may be left out.
    static func details(of content: Content, columns limit: Int = .max) -> String {
        for key in explanationKeys {
            if let text = content[key].flatMap(plain) { return DisplayText.sanitized(text, columns: limit) }
        }
        let title = titleKeys.first { content[$0].flatMap(plain)?.isEmpty == false }
        var result = ""
        for key in content.keys.filter({ $0 != title && !layoutKeys.contains($0) }).sorted() {
            guard let text = content[key].flatMap(plain) else { continue }
            if !result.isEmpty { result += " · " }
            result += DisplayText.sanitized(key, columns: limit) + " " + DisplayText.sanitized(text, columns: limit)
            if limit < .max, DisplayText.columns(of: result) > limit { break }
        }
        return result
    }

    /// Returns a line of exactly `width` columns, with the title on the left and, if there is room, the details on the
    /// right.
    static func line(_ item: Picture.Shown, width: Int) -> String {
        let title = title(of: item.content, objectID: item.objectID, columns: width)
        let room = width - DisplayText.columns(of: title) - 2
        let details = details(of: item.content, columns: max(0, room))
        guard room >= 8, !details.isEmpty else { return DisplayText.fitted(title, to: width) }
        let shown = min(room, DisplayText.columns(of: details))
        return DisplayText.fitted(title, to: width - shown) + DisplayText.fitted(details, to: shown)
    }

    /// Returns the names of the actions that an item offers: the texts of its field `actions`.
    static func actions(of content: Content) -> [String] {
        guard case .array(_, let values)? = content["actions"]?.unwrapped else { return [] }
        return values.compactMap { value in
            if case .string(let name) = value.unwrapped, !name.isEmpty { name } else { nil }
        }
    }

    /// Returns the text of a basic value; nil for containers and file descriptors.
    static func plain(_ value: DBusValue) -> String? {
        switch value {
        case .string(let text): text
        case .objectPath(let path): path.description
        case .signature(let signature): signature.description
        case .boolean(let flag): flag ? "yes" : "no"
        case .byte(let number): String(number)
        case .int16(let number): String(number)
        case .uint16(let number): String(number)
        case .int32(let number): String(number)
        case .uint32(let number): String(number)
        case .int64(let number): String(number)
        case .uint64(let number): String(number)
        case .double(let number): String(number)
        case .variant(let inner): plain(inner)
        case .fileDescriptor, .array, .dictionary, .structure: nil
        }
    }
}
