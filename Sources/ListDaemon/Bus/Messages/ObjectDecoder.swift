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

/// The options of a writing call.
struct UpdateOptions {
    /// The names of the options.
    enum Name: String {
        /// `animated` (b): a hint that is passed on to update listeners.
        case animated
        /// `duplicates` (s): with `fail`, repeated identifiers are an error.
        case duplicates
        /// `epoch` (s): the epoch that the list must have; empty = any.
        case epoch
        /// `identify` (s): the identifiers of objects without one; the list's own option if it is not given.
        case identify
    }

    var animated = true
    var duplicates = UpdateRequest.DuplicatePolicy.keepFirst
    /// The epoch that the list must have; empty = any.
    var epoch = ""
    var identify: Identify?

    /// Reads the options, `a{sv}`.
    ///
    /// - Throws: `InvalidArgs` with the name of an option that is unknown or has an invalid type or value.
    init(from reader: inout MessageReader, allowing names: Set<Name>) throws(DBusError) {
        for (key, value) in try Self.readValues(from: &reader).sorted(by: { $0.key < $1.key }) {
            guard let name = Name(rawValue: key), names.contains(name) else {
                throw .invalidArgs("unknown option \(key.quoted)")
            }
            switch (name, value) {
            case (.animated, .flag(let flag)): animated = flag
            case (.epoch, .word(let word)): epoch = word
            case (.duplicates, .word("fail")): duplicates = .fail
            case (.duplicates, .word(let word)):
                throw .invalidArgs("option \("duplicates".quoted): the value must be fail, not \(word.quoted)")
            case (.identify, .word(let word)):
                guard let identify = Identify(rawValue: word) else {
                    throw .invalidArgs(
                        "option \("identify".quoted): the value must be none or content, not \(word.quoted)")
                }
                self.identify = identify
            case (_, .flag): throw .invalidArgs("option \(key.quoted): the value must not have the type “b”")
            case (_, .word): throw .invalidArgs("option \(key.quoted): the value must not have the type “s”")
            case (_, .other(let type)):
                throw .invalidArgs("option \(key.quoted): the value must not have the type \(type.text.quoted)")
            }
        }
    }

    /// The value of an option, if an option can have its type. Values of other types are skipped, however large they
    /// are.
    private enum Given {
        case flag(Bool)
        case word(String)
        case other(Signature)

        init(_ reader: inout MessageReader) throws(DBusError) {
            switch reader.next {
            case .boolean: self = .flag(try reader.readBool())
            case .string: self = .word(try NameArgument(from: &reader).text)
            default: self = .other(reader.nextSignature)
            }
        }
    }

    /// Reads the values of the options by name; if a name is repeated, the last value counts.
    private static func readValues(from reader: inout MessageReader) throws(DBusError) -> [String: Given] {
        try reader.array { (entries) throws(DBusError) in
            var given: [String: Given] = [:]
            while !entries.atEnd {
                try entries.dictionaryEntry { (entry) throws(DBusError) in
                    let name = try NameArgument(from: &entry).text
                    given[name] = try entry.variant { (inside) throws(DBusError) in try Given(&inside) }
                }
            }
            return given
        }
    }
}

extension MessageReader {
    /// Reads the identifier of an object. A string that is too long is refused by its length, without a copy.
    ///
    /// - Throws: `PayloadTooLarge` for a string longer than `IdBytes`.
    mutating func readIdentifier(within limits: ObjectLimits) throws(DBusError) -> String {
        try readUTF8 { (bytes) throws(DBusError) in
            do throws(ListError) { try limits.check(idLength: bytes.count) } catch { throw error.dbusError }
            // The buffer is only read during the call.
            return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads the identifier of an object as a result, for errors that must be reported after others.
    mutating func readIdentifierResult(within limits: ObjectLimits) -> Result<String, DBusError> {
        do throws(DBusError) { return .success(try readIdentifier(within: limits)) } catch { return .failure(error) }
    }
}

extension MessageReader {
    /// Reads a file descriptor argument (`h`).
    ///
    /// - Throws: `InvalidArgs`, naming the argument, if the message has no descriptor.
    mutating func readFileDescriptor(of argument: String) throws(DBusError) -> FileDescriptor {
        do throws(DBusError) {
            return try readFileDescriptor()
        } catch {
            throw DBusError(name: error.name, message: "\(argument): \(error.message)")
        }
    }
}
