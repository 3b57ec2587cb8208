// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSources

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
