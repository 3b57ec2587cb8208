// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport

/// A decoder of the objects in a writing call that checks their limits.
///
/// An error in the objects does not end the reading of the message. It is reported after the errors that precede it
/// in the contract's order (access, options, ReadOnly, RevisionConflict, objects).
struct ObjectDecoder {
    private let limits: ObjectLimits
    private let payloadBytes: Int
    private var fields = FieldsDecoder()
    private var id: [UInt8] = []
    private var type = ObjectType.unnamed
    private var byteCount = 0
    /// The positions of decoded objects that have no identifier yet.
    private var nameless: [Int] = []

    /// - Parameters:
    ///   - limits: the limits of each object.
    ///   - payloadBytes: the maximum number of bytes of all objects together.
    init(limits: ObjectLimits, payloadBytes: Int) {
        self.limits = limits
        self.payloadBytes = payloadBytes
    }

    /// Reads `a(ssa{sv})`, the list of objects of `PerformUpdates`. The options that follow say what to do with objects
    /// that have no identifier: see ``identified(_:_:)``.
    mutating func objects(from reader: inout MessageReader) throws(DBusError) -> [ListObject] {
        var index = 0
        return try elements(of: "objects", from: &reader) { (decoder, members) throws(DBusError) in
            try decoder.readID(from: &members)
            try decoder.readType(from: &members)
            if decoder.id.isEmpty {
                decoder.nameless.append(index)
                decoder.id = [UInt8(ascii: "-")]
            }
            index += 1
            return try decoder.object(from: &members)
        }
    }

    /// Returns the objects of `objects(from:)` with identifiers for those that have none.
    ///
    /// - Throws: `InvalidObject` if there is one and it may have none.
    func identified(_ objects: [ListObject], _ identify: Identify) throws(DBusError) -> [ListObject] {
        guard let first = nameless.first else { return objects }
        guard identify == .content else {
            throw ListError(.invalidObject, "objects[\(first)]: the identifier of an object is empty").dbusError
        }
        var (objects, names) = (objects, ContentNames())
        for index in nameless {
            let object = objects[index]
            do throws(ListError) {
                objects[index] = try ListObject(
                    id: names.next(type: object.type, fields: object.fields), type: object.type, fields: object.fields)
            } catch {
                throw error.dbusError
            }
        }
        return objects
    }

    /// Reads `a(ssssa{sv})`, the upserts of `ApplyChanges`.
    mutating func upserts(from reader: inout MessageReader) throws(DBusError) -> [UpdateRequest.Upsert] {
        try addToPayload(0)
        return try elements(of: "upserts", from: &reader) { (decoder, members) throws(DBusError) in
            try decoder.readID(from: &members)
            try decoder.readType(from: &members)
            let word = try NameArgument(from: &members).text
            let anchor = members.readIdentifierResult(within: decoder.limits)
            let position = try UpdateRequest.Position(word: word, anchor: anchor)
            return UpdateRequest.Upsert(try decoder.object(from: &members), position: position)
        }
    }

    /// Reads `as`, a list of identifiers; they count towards the payload.
    mutating func identifiers(from reader: inout MessageReader) throws(DBusError) -> [String] {
        let identifiers = try [String](from: &reader)
        for id in identifiers { byteCount += id.utf8.count }
        return identifiers
    }

    /// Reads `a{sv}`, the fields that `PatchObject` sets.
    mutating func fields(from reader: inout MessageReader) throws(DBusError) -> Fields {
        let fields = try fields.fields(from: &reader)
        try addToPayload(fields.byteCount)
        return fields
    }

    private mutating func elements<Element>(
        of argument: String, from reader: inout MessageReader,
        _ read: (inout ObjectDecoder, inout MessageReader) throws(DBusError) -> Element
    ) throws(DBusError) -> [Element] {
        try reader.array { (rows) throws(DBusError) in
            var elements: [Element] = []
            while !rows.atEnd {
                do throws(DBusError) {
                    elements.append(
                        try rows.structure { (members) throws(DBusError) in try read(&self, &members) })
                } catch {
                    throw DBusError(name: error.name, message: "\(argument)[\(elements.count)]: \(error.message)")
                }
            }
            return elements
        }
    }

    private mutating func readID(from reader: inout MessageReader) throws(DBusError) {
        id.removeAll(keepingCapacity: true)
        try reader.readUTF8 { (text) throws(DBusError) in
            do throws(ListError) { try limits.check(idLength: text.count) } catch { throw error.dbusError }
            // The buffer is only read during the call.
            unsafe text.withUnsafeBufferPointer { unsafe id.append(contentsOf: $0) }
        }
    }

    /// Reads the type of an object. Neighbours usually have the same type, which is looked up only when it changes.
    private mutating func readType(from reader: inout MessageReader) throws(DBusError) {
        try reader.readUTF8 { (name) throws(DBusError) in
            do throws(ListError) { try limits.check(typeLength: name.count) } catch { throw error.dbusError }
            if type.hasName(name) { return }
            // The buffer is only read during the call.
            type = ObjectType.named(unsafe name.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
        }
    }

    private mutating func object(from reader: inout MessageReader) throws(DBusError) -> ListObject {
        let id = id
        let object = try fields.object(id: id.span, type: type, from: &reader)
        do throws(ListError) { try limits.checkSize(of: object) } catch { throw error.dbusError }
        try addToPayload(object.byteCount)
        return object
    }

    private mutating func addToPayload(_ bytes: Int) throws(DBusError) {
        byteCount += bytes
        guard byteCount <= payloadBytes else {
            throw ListError.tooLarge("the payload", byteCount, limit: payloadBytes, .payloadBytes).dbusError
        }
    }
}

extension UpdateRequest.Position {
    /// Decodes a position; `anchor` is used only for `before` and `after`.
    init(word: String, anchor: Result<String, DBusError>) throws(DBusError) {
        switch word {
        case "keep": self = .keep
        case "first": self = .first
        case "last": self = .last
        case "before": self = .before(try anchor.get())
        case "after": self = .after(try anchor.get())
        default: throw .invalidArgs("position \(word.quoted) is not one of keep, first, last, before, after")
        }
    }
}
