// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// One line of text for an item: the title first, then the rest of its content.
enum ItemText {
    /// Keys that name an item, in order of preference.
    static let titles = ["title", "name", "label", "text", "subject", "summary", "message"]
    /// Keys that explain it to people, in order of preference.
    static let explanations = ["detail", "subtitle", "description"]
    /// Keys that tell how to draw an item, which are left out.
    static let drawing: Set<String> = [
        "reuse", "width", "height", "x", "y", "z", "inset", "line-spacing", "interitem-spacing", "items", "header",
        "footer", "icon",
    ]

    /// The title: the first existing naming key, else the object's id.
    ///
    /// - Parameter limit: how many columns of it are needed; the rest is left out.
    static func title(of content: Content, objectID: String, columns limit: Int = .max) -> String {
        for key in titles {
            if let text = content[key].flatMap(plain), !text.isEmpty {
                return DisplayText.harmless(text, columns: limit)
            }
        }
        return DisplayText.harmless(objectID, columns: limit)
    }

    /// The text that explains it to people, else the other fields, as `key value` pairs in order of the keys.
    ///
    /// - Parameter limit: how many columns of it are needed; the rest is left out.
    static func details(of content: Content, columns limit: Int = .max) -> String {
        for key in explanations {
            if let text = content[key].flatMap(plain) { return DisplayText.harmless(text, columns: limit) }
        }
        let title = titles.first { content[$0].flatMap(plain)?.isEmpty == false }
        var result = ""
        for key in content.keys.filter({ $0 != title && !drawing.contains($0) }).sorted() {
            guard let text = content[key].flatMap(plain) else { continue }
            if !result.isEmpty { result += " · " }
            result += DisplayText.harmless(key, columns: limit) + " " + DisplayText.harmless(text, columns: limit)
            if limit < .max, DisplayText.columns(of: result) > limit { break }
        }
        return result
    }

    /// A line of exactly `width` columns: the title on the left, the details on the right if there is room.
    static func line(_ item: Picture.Shown, width: Int) -> String {
        let title = title(of: item.content, objectID: item.objectID, columns: width)
        let room = width - DisplayText.columns(of: title) - 2
        let details = details(of: item.content, columns: max(0, room))
        guard room >= 8, !details.isEmpty else { return DisplayText.fitted(title, to: width) }
        let shown = min(room, DisplayText.columns(of: details))
        return DisplayText.fitted(title, to: width - shown) + DisplayText.fitted(details, to: shown)
    }

    /// A basic value as text; nil for containers.
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
