// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import ListSources
internal import ListSupport
@_spi(Daemon) internal import PluginAPI

/// The type of an option: its values on the bus, in configuration files and in Swift.
///
/// An invalid value or text throws `invalidArguments`; the caller adds the option's name to the message.
package struct OptionType<Content>: Sendable {
    /// The D-Bus signature of the values.
    let signature: String
    /// Decodes a value that has the signature. For `u` and `d`, it may have any type; a number of another type is taken
    /// if it fits.
    let decode: @Sendable (Value) throws(ListError) -> Content
    /// Parses the text of a configuration file.
    let parse: @Sendable (String) throws(ListError) -> Content
    /// Encodes a value for the bus; nil omits the option.
    let encode: @Sendable (Content) -> Value?
}

extension ListError {
    /// Creates the error for an option with an invalid value.
    package init(invalidValue text: String, expected: String) {
        self.init(.invalidArguments, "\(text.quoted) is not \(expected)")
    }
}

extension OptionType<Bool> {
    /// A boolean (`b`). In files, it is one of systemd's words for yes and no.
    static let flag = OptionType(
        signature: "b",
        decode: { value throws(ListError) in try value.bool.orThrow(value, "b") },
        parse: { text throws(ListError) in
            guard let flag = Bool(configuration: text) else {
                throw ListError(invalidValue: text, expected: "yes or no")
            }
            return flag
        },
        encode: { .boolean($0) })
}

extension OptionType<Int> {
    /// A non-negative integer (`u`).
    static let number = OptionType(
        signature: "u",
        decode: { value throws(ListError) in try value.wholeNumber(from: 0) },
        parse: { text throws(ListError) in
            guard let number = UInt32(text) else {
                throw ListError(invalidValue: text, expected: "a whole number from 0 to \(UInt32.max)")
            }
            return Int(number)
        },
        encode: { .uint32(UInt32(clamping: $0)) })

    /// A time in milliseconds (`u`). In files, it is a time span; a number without a unit counts milliseconds.
    static let milliseconds = OptionType(
        signature: "u", decode: number.decode,
        parse: { text throws(ListError) in
            guard let span = TimeSpan.parse(text, unit: .milliseconds(1)), span.milliseconds <= UInt32.max else {
                throw ListError(invalidValue: text, expected: "a time span such as 20ms")
            }
            return Int(span.milliseconds)
        },
        encode: number.encode)
}

extension OptionType<Int?> {
    /// An optional non-negative integer (`u`).
    static let optionalNumber = OptionType(
        signature: "u", decode: OptionType<Int>.number.decode, parse: OptionType<Int>.number.parse,
        encode: { $0.flatMap(OptionType<Int>.number.encode) })

    /// An optional integer (`u`) of at least 1.
    static let optionalPositiveNumber = OptionType(
        signature: "u",
        decode: { value throws(ListError) in
            // The first check names the range of all whole numbers, to which 0 belongs.
            _ = try value.wholeNumber(from: 0)
            return try value.wholeNumber(from: 1)
        },
        parse: { text throws(ListError) in try OptionType<Int>.number.parse(text).checkedPositive() },
        encode: optionalNumber.encode)
}

extension OptionType<Double> {
    /// A finite number (`d`).
    static let real = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.number()
            guard number.isFinite else { throw value.refusal(expected: "a finite number") }
            return number
        },
        parse: { text throws(ListError) in
            guard let number = Double(text), number.isFinite else {
                throw ListError(invalidValue: text, expected: "a finite number")
            }
            return number
        },
        encode: { .double($0) })

    /// A finite, non-negative number (`d`).
    static let distance = OptionType(
        signature: "d",
        decode: { value throws(ListError) in
            let number = try value.number()
            guard number.isFinite, number >= 0 else { throw value.refusal(expected: "a finite number of at least 0") }
            return number
        },
        parse: { text throws(ListError) in try real.parse(text).checkedDistance() },
        encode: real.encode)
}

extension Int {
    fileprivate func checkedPositive() throws(ListError) -> Int {
        guard self >= 1 else { throw ListError(invalidValue: "\(self)", expected: "1 or more") }
        return self
    }
}

extension Double {
    fileprivate func checkedDistance() throws(ListError) -> Double {
        guard self >= 0 else { throw ListError(invalidValue: "\(self)", expected: "0 or more") }
        return self
    }
}

extension Value {
    /// Returns a number of an integer type, at most `UInt32.max`.
    ///
    /// - Throws: `invalidArguments` for another type, and for a number out of range.
    fileprivate func wholeNumber(from minimum: Int) throws(ListError) -> Int {
        if case .variant = self { throw refusal(expected: "a whole number from \(minimum) to \(UInt32.max)") }
        guard let number = int, (minimum...Int(UInt32.max)).contains(number) else {
            throw refusal(expected: "a whole number from \(minimum) to \(UInt32.max)")
        }
        return number
    }

    /// Returns a number of any numeric type; an integer becomes the nearest double.
    ///
    /// - Throws: `invalidArguments` for another type.
    fileprivate func number() throws(ListError) -> Double {
        if case .variant = self { throw refusal(expected: "a number") }
        guard let number = double else { throw refusal(expected: "a number") }
        return number
    }

    /// Returns the error that shows the value and its type.
    fileprivate func refusal(expected: String) -> ListError {
        ListError(.invalidArguments, "\(shortText) (\(signature.prefix(64))) is not \(expected)")
    }

    /// The value for an error message; of a container, only its kind.
    private var shortText: String {
        switch self {
        case .byte(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .int16(let number): "\(number)"
        case .uint16(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .uint32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .uint64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text), .objectPath(let text), .signature(let text): text.quoted
        case .variant: "<…>"
        case .array: "[…]"
        case .dictionary: "{…}"
        case .structure: "(…)"
        }
    }
}

extension Optional {
    /// Returns the content of an option's value whose signature was checked before, or throws an error that names
    /// both types.
    func orThrow(_ value: Value, _ signature: String) throws(ListError) -> Wrapped {
        guard let self else {
            throw ListError(
                .invalidArguments, "the value has the type \(value.signature.quoted) instead of \(signature.quoted)")
        }
        return self
    }
}

extension OptionType {
    /// Returns a type for a text (`s`) that must have one of a few forms.
    ///
    /// - Parameters:
    ///   - expected: a description of the valid texts, for error messages.
    ///   - read: parses a text; returns nil for an invalid text.
    ///   - write: returns the text that `read` parses to the same content; nil omits the option.
    static func text(
        expected: String, read: @escaping @Sendable (String) -> Content?,
        write: @escaping @Sendable (Content) -> String?
    ) -> OptionType {
        let parse = { @Sendable (text: String) throws(ListError) -> Content in
            guard let content = read(text) else { throw ListError(invalidValue: text, expected: expected) }
            return content
        }
        return OptionType(
            signature: "s",
            decode: { value throws(ListError) in try parse(value.string.orThrow(value, "s")) },
            parse: parse,
            encode: { write($0).map { .string($0) } })
    }
}

extension OptionType where Content: RawRepresentable & CaseIterable & Sendable, Content.RawValue == String {
    /// A text (`s`) that is the raw value of one of the cases.
    static var word: OptionType {
        text(
            expected: "one of " + Content.allCases.map(\.rawValue).joined(separator: ", "),
            read: { Content(rawValue: $0) }, write: { $0.rawValue })
    }
}

extension OptionType {
    /// Returns a type for an optional text (`s`) that is the raw value of one of the cases.
    static func optionalWord<Word>() -> OptionType
    where Content == Word?, Word: RawRepresentable & CaseIterable & Sendable, Word.RawValue == String {
        let word = OptionType<Word>.word
        return OptionType(
            signature: word.signature, decode: word.decode, parse: word.parse, encode: { $0.flatMap(word.encode) })
    }
}

extension OptionType<ScrollDirection> {
    /// The text (`s`) `vertical` or `horizontal`.
    static let direction = text(
        expected: "one of vertical, horizontal", read: { ScrollDirection(rawValue: $0) }, write: { $0.rawValue })
}

extension OptionType<AccessRule> {
    /// The text (`s`) `any`, `owner` or `group:NAME`.
    static let accessRule = text(
        expected: "any, owner or group:NAME", read: { AccessRule($0) }, write: { $0.text })
}

extension OptionType<SourceName> {
    /// The text (`s`) `push`, a built-in source such as `jsonl:/PATH`, `list:NAME?argument`, or
    /// `PLUGIN/SOURCE?argument`.
    static let sourceName: OptionType = {
        let type = text(expected: SourceName.forms, read: { SourceName($0) }, write: { $0.text })
        let check = { @Sendable (text: String) throws(ListError) -> SourceName in
            if let meant = SourceName.meantSource(in: text) {
                throw ListError(.invalidArguments, "\(text.quoted) is not a source; did you mean \(meant)?")
            }
            let source = try type.parse(text)
            try source.checkArgument()
            return source
        }
        return OptionType(
            signature: type.signature,
            decode: { value throws(ListError) in try check(value.string.orThrow(value, "s")) }, parse: check,
            encode: type.encode)
    }()
}

extension OptionType<[String: String]> {
    /// A dictionary of type `a{ss}` from object types to section controllers, each `PLUGIN/CONTROLLER`.
    static let sectionControllers = OptionType(
        signature: "a{ss}",
        decode: { value throws(ListError) in
            var controllers: [String: String] = [:]
            for (type, name) in try value.dictionary.orThrow(value, "a{ss}") {
                controllers[type] = try ControllerName.validated(name.string.orThrow(value, "a{ss}"))
            }
            return controllers
        },
        parse: { _ throws(ListError) in
            throw ListError(.invalidArguments, "section controllers belong in the section [Sections]")
        },
        encode: { controllers in
            var entries: [Value: Value] = [:]
            for (type, name) in controllers { entries[.string(type)] = .string(name) }
            return .dictionary(key: "s", value: "s", entries)
        })
}

extension OptionType<[String]> {
    /// An array of strings (`as`). In files, the strings are separated by spaces.
    static let texts = OptionType(
        signature: "as",
        decode: { value throws(ListError) in
            var texts: [String] = []
            for text in try value.array.orThrow(value, "as") { try texts.append(text.string.orThrow(value, "as")) }
            return texts
        },
        parse: { text throws(ListError) in text.split(separator: " ").map(String.init) },
        encode: { .array(element: "s", $0.map { .string($0) }) })
}

extension OptionType<Fields> {
    /// A dictionary of type `a{sv}`. In files, it is a JSON object whose values have the same types as in `jsonl`.
    static let fields = OptionType(
        signature: "a{sv}",
        decode: { value throws(ListError) in
            guard case .dictionary("s", "v", let entries) = value else {
                return try Optional<Fields>.none.orThrow(value, "a{sv}")
            }
            var contents: [String: Value] = [:]
            for case (.string(let key), .variant(let content)) in entries { contents[key] = content }
            return try Fields(contents)
        },
        parse: { text throws(ListError) in
            do throws(ListError) {
                return try JSONFields.fields(parsing: text)
            } catch {
                throw ListError(
                    .invalidArguments, "the value is not a JSON object: \(error.message)", cause: error.cause)
            }
        },
        encode: { fields in
            var entries: [Value: Value] = [:]
            for (key, value) in fields { entries[.string(key)] = .variant(value) }
            return .dictionary(key: "s", value: "v", entries)
        })
}

/// Option types that occur only in configuration files.
extension OptionType<Int> {
    /// A limit in bytes, such as `16M`; 0 is no limit.
    static let bytes = limit(expected: "a size such as 16M, or 0 for no limit", Amount.bytes)

    /// A limit on a number, such as `64` or `10M`; 0 is no limit.
    static let count = limit(expected: "a number such as 64, or 0 for no limit", Amount.count)

    private static func limit(expected: String, _ read: @escaping @Sendable (String) -> Int?) -> OptionType<Int> {
        OptionType(
            signature: "t",
            decode: { value throws(ListError) in try value.int.orThrow(value, "t") },
            parse: { text throws(ListError) in
                guard let amount = read(text) else { throw ListError(invalidValue: text, expected: expected) }
                return Amount.limit(amount)
            },
            encode: { .uint64(UInt64(clamping: $0)) })
    }
}

extension OptionType<Int?> {
    /// An optional count.
    static let optionalCount = OptionType(
        signature: "t",
        decode: { value throws(ListError) in try OptionType<Int>.count.decode(value) },
        parse: { text throws(ListError) in try OptionType<Int>.count.parse(text) },
        encode: { $0.map { .uint64(UInt64(clamping: $0)) } })
}

extension OptionType<Duration> {
    /// A positive time span. A number without a unit counts seconds.
    static let seconds = OptionType(
        signature: "t",
        decode: { value throws(ListError) in try .microseconds(Int64(clamping: value.int.orThrow(value, "t"))) },
        parse: { text throws(ListError) in
            guard let span = TimeSpan.parse(text), span > .zero else {
                throw ListError(invalidValue: text, expected: "a positive time span such as 10s")
            }
            return span
        },
        encode: { .uint64(UInt64(clamping: $0.components.seconds)) })
}

extension OptionType<Creators?> {
    /// The text `any`, `administrators` or `group:NAME`.
    static let creators = text(
        expected: "any, administrators or group:NAME", read: { text in Creators(text).map { $0 } },
        write: { $0?.text })
}

/// Parses sizes and counts with a suffix.
package enum Amount {
    /// The value of a limit that does not limit anything. A few such values can be added without an overflow.
    package static let unlimited = 1 << 56

    /// Returns the limit that a configured amount stands for: 0 is no limit, whatever is limited.
    static func limit(_ amount: Int) -> Int { amount == 0 ? unlimited : min(amount, unlimited) }

    /// Parses a size in bytes, such as `512`, `4K` or `1.5G`. The suffixes B, K, M, G and T are powers of 1024, as in
    /// systemd.
    package static func bytes(_ text: String) -> Int? {
        parse(text, step: 1024, powers: ["B": 0, "K": 1, "M": 2, "G": 3, "T": 4])
    }

    /// Parses a count, such as `64` or `10M`. The suffixes K, M and G are powers of 1000.
    package static func count(_ text: String) -> Int? { parse(text, step: 1000, powers: ["K": 1, "M": 2, "G": 3]) }

    private static func parse(_ text: String, step: Double, powers: [Character: Int]) -> Int? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let suffix = text.dropFirst(digits.count)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), suffix.count <= 1 else { return nil }
        if suffix.isEmpty, parts.count == 1 { return Int(digits) }
        guard let letter = suffix.first, let power = powers[letter], let number = Double(digits)
        else { return nil }
        let scaled = (0..<power).reduce(number) { product, _ in product * step }
        guard scaled.rounded(.down) < Double(Int.max) else { return nil }
        return Int(scaled.rounded(.down))
    }
}

extension OptionType<[String: FieldHint]> {
    /// A dictionary of type `a{ss}` from field names to hints.
    static let hints = OptionType(
        signature: "a{ss}",
        decode: { value throws(ListError) in
            var hints: [String: FieldHint] = [:]
            for (field, word) in try value.dictionary.orThrow(value, "a{ss}") {
                hints[field] = try FieldHint(word.string.orThrow(value, "a{ss}"), of: field)
            }
            return hints
        },
        parse: { _ throws(ListError) in
            throw ListError(.invalidArguments, "hints belong in the section [Hints]")
        },
        encode: { hints in
            var entries: [Value: Value] = [:]
            for (field, hint) in hints { entries[.string(field)] = .string(hint.rawValue) }
            return .dictionary(key: "s", value: "s", entries)
        })
}

extension FieldHint {
    /// Parses a hint for a field.
    ///
    /// - Throws: `invalidArguments` that names the field and the hint.
    package init(_ word: String, of field: String) throws(ListError) {
        guard let hint = FieldHint(rawValue: word) else {
            let words = FieldHint.allCases.map(\.rawValue).joined(separator: ", ")
            throw ListError(.invalidArguments, "field \(field.quoted): \(word.quoted) is not one of \(words)")
        }
        self = hint
    }
}

extension OptionType<ListViewOpening?> {
    /// An optional struct of type `(sus)`: object id, item, and position as in `ScrollTo`.
    static let opening = OptionType(
        signature: "(sus)",
        decode: { value throws(ListError) in
            guard case .structure(let members) = value, members.count == 3, let id = members[0].string,
                let item = members[1].int, let word = members[2].string
            else { return try Optional<ListViewOpening?>.none.orThrow(value, "(sus)") }
            guard let position = ScrollPosition(rawValue: word) else {
                throw ListError(invalidValue: word, expected: "one of none, start, center, end")
            }
            return ListViewOpening(objectID: id, item: item, position: position)
        },
        parse: { _ throws(ListError) in throw ListError(.invalidArguments, "the option “at” exists only for views") },
        encode: { opening in
            opening.map {
                .structure([
                    .string($0.objectID), .uint32(UInt32(clamping: $0.item)), .string($0.position.rawValue),
                ])
            }
        })
}

/// A table of options, each with its name, type and property. Decoding, encoding and the keys of configuration files
/// all use this table.
package struct OptionTable<Options: Sendable>: Sendable {
    /// An option in the table.
    package struct Row: Sendable {
        /// The name on the bus, such as `working-range`.
        package let name: String
        /// The D-Bus signature of its value.
        package let signature: String
        /// Whether `decode` takes values of other types than `signature`, because the option is a number.
        let takesNumbers: Bool
        package let decode: @Sendable (Value, inout Options) throws(ListError) -> Void
        package let parse: @Sendable (String, inout Options) throws(ListError) -> Void
        package let encode: @Sendable (Options) -> Value?

        /// Creates a row for the property at `path`.
        package init<Content>(
            _ name: String, _ path: any WritableKeyPath<Options, Content> & Sendable, _ type: OptionType<Content>
        ) {
            self.name = name
            signature = type.signature
            takesNumbers = ["u", "d"].contains(signature)
            decode = { value, options throws(ListError) in options[keyPath: path] = try type.decode(value) }
            parse = { text, options throws(ListError) in options[keyPath: path] = try type.parse(text) }
            encode = { type.encode($0[keyPath: path]) }
        }

        /// The key in configuration files, such as `WorkingRange`.
        package var configurationKey: String {
            name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// The options, in the order of the contract.
    package let rows: [Row]
    private let positions: [String: Int]
    private let configurationPositions: [String: Int]

    package init(_ rows: [Row]) {
        self.rows = rows
        positions = Dictionary(zip(rows.map(\.name), rows.indices)) { $1 }
        configurationPositions = Dictionary(zip(rows.map(\.configurationKey), rows.indices)) { $1 }
    }

    /// Decodes the values of a call, an `a{sv}`, and returns `defaults` with these values.
    ///
    /// - Throws: `invalidArguments` that names the first option, in alphabetical order, that is unknown or has a
    ///   wrong type or an invalid value.
    package func decode(_ values: [String: Value], into defaults: Options) throws(ListError) -> Options {
        var options = defaults
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let position = positions[name] else {
                throw ListError(.invalidArguments, "unknown option \(name.quoted)")
            }
            let row = rows[position]
            do throws(ListError) {
                guard row.takesNumbers || value.signature == row.signature else {
                    return try Optional<Options>.none.orThrow(value, row.signature)
                }
                // A value that nests too deeply could not be sent as a property.
                _ = try Fields([name: value])
                try row.decode(value, &options)
            } catch {
                throw ListError(.invalidArguments, "option \(name.quoted): \(error.message)", cause: error.cause)
            }
        }
        return options
    }

    /// Parses the value of a key in a configuration file and stores it in `options`.
    ///
    /// - Throws: `invalidArguments` that names the key, when the key is unknown or the value is invalid.
    package func parse(key: String, value: String, into options: inout Options) throws(ListError) {
        guard let position = configurationPositions[key] else {
            throw ListError(.invalidArguments, "unknown key \(key.quoted)")
        }
        do throws(ListError) {
            try rows[position].parse(value, &options)
        } catch {
            throw ListError(.invalidArguments, "\(key): \(error.message)", cause: error.cause)
        }
    }

    /// Returns the present values of all options, as in an `Options` property.
    package func encode(_ options: Options) -> [String: Value] {
        var values: [String: Value] = [:]
        for row in rows { values[row.name] = row.encode(options) }
        return values
    }
}
