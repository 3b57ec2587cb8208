// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit

/// The options of a writing call.
struct UpdateOptions {
    /// Which options a call knows.
    enum Name: String {
        /// `animated` (b): a hint handed to update listeners.
        case animated
        /// `duplicates` (s): `fail` refuses repeated identifiers.
        case duplicates
    }

    var animated = true
    var duplicates = UpdateRequest.DuplicatePolicy.keepFirst

    /// Reads `a{sv}`.
    ///
    /// - Throws: `InvalidArgs`, naming an option that is unknown, has another type or a value that it cannot have.
    init(from reader: inout MessageReader, allowing names: Set<Name>) throws(DBusError) {
        for (key, value) in try Self.given(&reader).sorted(by: { $0.key < $1.key }) {
            guard let name = Name(rawValue: key), names.contains(name) else {
                throw .invalidArgs("unknown option \(key.quoted)")
            }
            switch (name, value) {
            case (.animated, .flag(let flag)): animated = flag
            case (.duplicates, .word("fail")): duplicates = .fail
            case (.duplicates, .word(let word)): throw .invalidArgs("option duplicates: \(word.quoted) is not fail")
            case (_, .flag): throw .invalidArgs("option \(key): type “b” is wrong")
            case (_, .word): throw .invalidArgs("option \(key): type “s” is wrong")
            case (_, .other(let type)): throw .invalidArgs("option \(key): type \(type.text.quoted) is wrong")
            }
        }
    }

    /// What an option was given, as far as some option wants it: all else is passed over, however large it is.
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

    /// The options by their names; of repeated ones the last.
    private static func given(_ reader: inout MessageReader) throws(DBusError) -> [String: Given] {
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
