// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The content of a list's signal as text for people.
enum SignalText {
    /// Returns the text of a signal; `nil` for an unknown signal, or one with unexpected arguments.
    static func text(of member: String, _ arguments: [DBusValue]) -> String? {
        guard arguments.count == counts[member] else { return nil }
        var values = SignalArguments(arguments)
        switch member {
        case "Updated": return updateText(&values)
        case "DisplayChanged":
            guard let view = values.nextView(), let revision = values.nextNumber() else { return nil }
            let parts = [
                ("shows", values.nextIDs(at: 1)), ("no longer shows", values.nextIDs(at: 1)),
                ("shows items of", values.nextIDs(at: 1)), ("no longer shows items of", values.nextIDs(at: 1)),
            ]
            return "revision \(revision), view \(view) " + phrase(parts)
        case "WorkingRangeChanged":
            guard let view = values.nextView(), let revision = values.nextNumber() else { return nil }
            let sections = [("prepares", values.nextIDs(at: 1)), ("gives up", values.nextIDs(at: 1))]
            let details = values.nextDetails()
            let items = [
                ("prepares items", runs(of: details["items-will-enter"])),
                ("gives up items", runs(of: details["items-did-exit"])),
            ]
            return "revision \(revision), view \(view) " + phrase(sections + items)
        case "SelectionChanged":
            guard let revision = values.nextNumber() else { return nil }
            return "revision \(revision), "
                + phrase([("selected", values.nextIDs(at: 0)), ("no longer selected", values.nextIDs(at: 0))])
        case "NearEnd":
            guard let view = values.nextView(), case .double(let distance)? = values.next() else { return nil }
            return "view \(view) has \(FieldHint.decimal(distance)) left to the end"
        case "Invoked":
            guard let id = values.nextText(), let item = values.nextNumber(), let action = values.nextText(),
                let parameters = values.next(), let user = values.nextNumber()
            else { return nil }
            let name = UInt32(exactly: user).map(FieldHint.userName) ?? "\(user)"
            return "\(name) asks for \(action) on item \(item) of \(id) with \(JSONLine(parameters).text)"
        default: return nil
        }
    }

    /// The number of arguments of each signal.
    private static let counts = [
        "Updated": 10, "DisplayChanged": 7, "WorkingRangeChanged": 5, "SelectionChanged": 4, "NearEnd": 3, "Invoked": 6,
    ]

    private static func updateText(_ values: inout SignalArguments) -> String? {
        guard values.nextText() != nil, let base = values.nextNumber(), let revision = values.nextNumber(),
            let kind = values.nextText(),
            values.next() != nil, let sections = values.nextNumber(), let items = values.nextNumber(),
            case .structure(let changes)? = values.next(), changes.count == 4
        else { return nil }
        let words = ["removed", "inserted", "moved", "changed"]
        // Each change is a run of a start and a length, except a move, which is a pair of positions.
        let counts = zip(words, changes).compactMap { word, runs -> String? in
            let count = word == "moved" ? elements(runs).count : elements(runs).reduce(0) { $0 + length($1) }
            return count > 0 ? "\(count) \(word)" : nil
        }
        let what = counts.isEmpty ? kind : counts.joined(separator: ", ")
        return "revision \(revision) after \(base): \(what); \(sections) sections, \(items) items"
    }

    private static func elements(_ value: DBusValue) -> [DBusValue] {
        guard case .array(_, let elements) = value else { return [] }
        return elements
    }

    private static func length(_ run: DBusValue) -> Int {
        guard case .structure(let members) = run, members.count == 2, case .uint32(let length) = members[1] else {
            return 0
        }
        return Int(length)
    }

    /// Returns the items of an array of (section, object id, item) as runs of neighbours, such as `3–7 of a`. Of more
    /// than 8 runs, it returns the first 7 and the number of the others.
    private static func runs(of value: DBusValue?) -> [String] {
        var runs: [(id: String, items: ClosedRange<UInt32>)] = []
        for element in value.map(elements) ?? [] {
            guard case .structure(let members) = element, members.count == 3, case .string(let id) = members[1],
                case .uint32(let item) = members[2]
            else { continue }
            if let last = runs.last, last.id == id, last.items.upperBound &+ 1 == item {
                runs[runs.count - 1].items = last.items.lowerBound...item
            } else {
                runs.append((id, item...item))
            }
        }
        let texts = runs.map { id, items in
            (items.count == 1 ? "\(items.lowerBound)" : "\(items.lowerBound)–\(items.upperBound)") + " of \(id)"
        }
        return texts.count <= 8 ? texts : Array(texts.prefix(7)) + ["and \(texts.count - 7) more"]
    }

    private static func phrase(_ parts: [(verb: String, names: [String])]) -> String {
        let some = parts.filter { !$0.names.isEmpty }
        return some.map { "\($0.verb) \($0.names.joined(separator: ", "))" }.joined(separator: "; ")
    }

    /// The arguments of a signal, read one after the other.
    private struct SignalArguments {
        private var rest: ArraySlice<DBusValue>

        init(_ values: [DBusValue]) { rest = values[...] }

        mutating func next() -> DBusValue? { rest.popFirst() }

        mutating func nextNumber() -> UInt64? {
            switch next() {
            case .uint64(let number): number
            case .uint32(let number): UInt64(number)
            default: nil
            }
        }

        mutating func nextText() -> String? {
            guard case .string(let text)? = next() else { return nil }
            return text
        }

        /// Reads the path of a view; returns the last part of it.
        mutating func nextView() -> String? {
            guard case .objectPath(let path)? = next() else { return nil }
            return path.lastElement.description
        }

        /// Reads the details at the end of a signal.
        mutating func nextDetails() -> [String: DBusValue] {
            guard case .dictionary(_, _, let entries)? = next() else { return [:] }
            var details: [String: DBusValue] = [:]
            for entry in entries { if case .string(let key) = entry.key { details[key] = entry.value.unwrapped } }
            return details
        }

        /// Reads an array of structures, and returns the object id in the field `index` of each. Of more than 8 ids,
        /// it returns the first 7 and the number of the others.
        mutating func nextIDs(at index: Int) -> [String] {
            guard let value = next() else { return [] }
            let names = elements(value).compactMap { element -> String? in
                guard case .structure(let members) = element, members.indices.contains(index),
                    case .string(let id) = members[index]
                else { return nil }
                return id
            }
            return names.count <= 8 ? names : Array(names.prefix(7)) + ["and \(names.count - 7) more"]
        }
    }
}

// The text and JSON of a list's changes, as `watch` prints them.

extension MirroredObject {
    /// The object as one line of text: its id, then its content.
    fileprivate var text: String {
        let title = ItemText.title(of: fields, objectID: id)
        let details = ItemText.details(of: fields)
        let id = DisplayText.sanitized(id)
        let head = title == id ? id : "\(id)  \(title)"
        return details.isEmpty ? head : "\(head)  \(details)"
    }

    /// Returns the members of the JSON object for the object at a position in its list.
    fileprivate func members(section: Int) -> [String: DBusValue] {
        ["section": .int64(Int64(section)), "id": .string(id), "type": .string(type), "fields": fields.value]
    }
}

extension MirrorChange {
    /// The change as one line of text, such as `inserted at 3  ID  TITLE  DETAILS`. Positions count from 0.
    var text: String {
        switch self {
        case .replaced(let count): "read anew, \(count) object\(count == 1 ? "" : "s")"
        case .inserted(let section, let object): "inserted at \(section)  \(object.text)"
        case .deleted(let section, let object): "removed from \(section)  \(object?.text ?? "")"
        case .moved(let from, let to, let object): "moved \(from) to \(to)  \(object.text)"
        case .updated(let section, let object): "changed at \(section)  \(object.text)"
        }
    }

    /// The members of the JSON object for the change.
    var members: [String: DBusValue] {
        func named(_ change: String, _ members: [String: DBusValue]) -> [String: DBusValue] {
            members.merging(["change": .string(change)]) { $1 }
        }
        return switch self {
        case .replaced(let count): named("replace", ["count": .int64(Int64(count))])
        case .inserted(let section, let object): named("insert", object.members(section: section))
        case .deleted(let section, let object):
            named("delete", object?.members(section: section) ?? ["section": .int64(Int64(section))])
        case .moved(let from, let to, let object):
            named("move", object.members(section: to).merging(["from": .int64(Int64(from))]) { $1 })
        case .updated(let section, let object): named("update", object.members(section: section))
        }
    }
}
