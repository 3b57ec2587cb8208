// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The text and JSON of a list's changes, as `watch` prints them.
enum ChangeLine {
    /// Returns one line of text for an object: its id, then its content.
    static func text(of object: MirroredObject) -> String {
        let title = ItemText.title(of: object.fields, objectID: object.id)
        let details = ItemText.details(of: object.fields)
        let id = DisplayText.sanitized(object.id)
        let head = title == id ? id : "\(id)  \(title)"
        return details.isEmpty ? head : "\(head)  \(details)"
    }

    /// Returns one line of text for a change, such as `inserted at 3  ID  TITLE  DETAILS`. Positions count from 0.
    static func text(of change: MirrorChange) -> String {
        switch change {
        case .replaced(let count): "read anew, \(count) object\(count == 1 ? "" : "s")"
        case .inserted(let section, let object): "inserted at \(section)  \(text(of: object))"
        case .deleted(let section, let object): "removed from \(section)  \(object.map { text(of: $0) } ?? "")"
        case .moved(let from, let to, let object): "moved \(from) to \(to)  \(text(of: object))"
        case .updated(let section, let object): "changed at \(section)  \(text(of: object))"
        }
    }

    /// Returns the members of the JSON object for a change.
    static func members(of change: MirrorChange) -> [String: DBusValue] {
        switch change {
        case .replaced(let count): ["change": .string("replace"), "count": .int64(Int64(count))]
        case .inserted(let section, let object): named("insert", members(of: object, section: section))
        case .deleted(let section, let object):
            named("delete", object.map { members(of: $0, section: section) } ?? ["section": .int64(Int64(section))])
        case .moved(let from, let to, let object):
            named("move", members(of: object, section: to).merging(["from": .int64(Int64(from))]) { $1 })
        case .updated(let section, let object): named("update", members(of: object, section: section))
        }
    }

    /// Returns the members of the JSON object for an object of the list.
    static func members(of object: MirroredObject, section: Int) -> [String: DBusValue] {
        [
            "section": .int64(Int64(section)), "id": .string(object.id), "type": .string(object.type),
            "fields": object.fields.value,
        ]
    }

    private static func named(_ change: String, _ members: [String: DBusValue]) -> [String: DBusValue] {
        members.merging(["change": .string(change)]) { $1 }
    }
}
