// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// Creates the object of a parsed line.
struct JSONLObjects {
    var limits: ObjectLimits
    /// The identifiers of lines without one; nil = such lines are refused.
    private var names: ContentNames?
    private var fields = JSONFields()
    private var lastType = ObjectType.unnamed

    init(limits: ObjectLimits, identify: Identify) {
        self.limits = limits
        names = identify == .content ? ContentNames() : nil
    }

    /// Begins another list.
    mutating func beginList() { if names != nil { names = ContentNames() } }

    mutating func object(of tape: JSONTape) throws(ListError) -> ListObject {
        let members = try JSONLMembers(tape)
        let type = try objectType(members.type, of: tape)
        if names != nil, members.id.map({ tape.text(at: $0).isEmpty }) ?? true {
            return try namedObject(type: type, fieldsAt: members.fields, of: tape)
        }
        guard let id = members.id else { throw ListError(.invalidObject, "the object has no id") }
        return try tape.withText(at: id) { text throws(ListError) in
            try limits.check(idLength: text.count)
            return try fields.object(id: text, type: type, fieldsAt: members.fields, of: tape)
        }
    }

    /// Returns an object whose identifier is made of its content.
    private mutating func namedObject(
        type: ObjectType, fieldsAt position: Int?, of tape: JSONTape
    ) throws(ListError) -> ListObject {
        // Any identifier will do until the fields are known.
        let object = try fields.object(id: [UInt8(ascii: "-")].span, type: type, fieldsAt: position, of: tape)
        guard let id = names?.next(type: object.type, fields: object.fields) else { return object }
        return try ListObject(id: id, type: object.type, fields: object.fields)
    }

    /// Returns the object type with a name. The last type is kept, as most objects have the type of the object
    /// before.
    private mutating func objectType(_ position: Int?, of tape: JSONTape) throws(ListError) -> ObjectType {
        let name = position.map { tape.text(at: $0) } ?? ""
        if name.utf8.elementsEqual(lastType.name.utf8) { return lastType }
        try limits.check(typeLength: name.utf8.count)
        guard !name.utf8.contains(0) else {
            throw ListError(.invalidObject, "the type \(name.quoted) contains a NUL character")
        }
        lastType = ObjectType.named(name)
        return lastType
    }
}

/// The positions of the members of a line. The last of repeated members counts, and null removes a member.
private struct JSONLMembers {
    private(set) var id: Int?
    private(set) var type: Int?
    private(set) var fields: Int?

    init(_ tape: JSONTape) throws(ListError) {
        guard case .object(let end) = tape.node(at: JSONTape.root) else {
            throw ListError(.invalidObject, "the line is not a JSON object")
        }
        var key = JSONTape.root + 1
        while key < end {
            let value = tape.isNull(at: key + 1) ? nil : key + 1
            switch tape.text(at: key) {
            case "id": id = value
            case "type": type = value
            case "fields": fields = value
            case let other: throw ListError(.invalidObject, "unknown key \(other.quoted)")
            }
            key = tape.position(after: key + 1)
        }
        if let id, case .string = tape.node(at: id) {} else if id != nil { throw Self.wrongType("id", "a string") }
        if let type, case .string = tape.node(at: type) {
        } else if type != nil {
            throw Self.wrongType("type", "a string")
        }
        if let fields, case .object = tape.node(at: fields) {
        } else if fields != nil {
            throw Self.wrongType("fields", "an object")
        }
    }

    private static func wrongType(_ key: String, _ expected: String) -> ListError {
        ListError(.invalidObject, "\(key) is not \(expected)")
    }
}
