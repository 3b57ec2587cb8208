// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources

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

    /// Makes the options of a call that gives none.
    init() {}

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
