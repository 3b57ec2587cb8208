// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSources

extension OptionType {
    /// `s`, one of a few words or forms.
    ///
    /// - Parameters:
    ///   - expected: what a text must be, for messages.
    ///   - read: nil for a text that is not.
    ///   - write: the text that is read as the same; nil leaves the option out.
    static func text(
        expected: String, read: @escaping @Sendable (String) -> Content?,
        write: @escaping @Sendable (Content) -> String?
    ) -> OptionType {
        let parse = { @Sendable (text: String) throws(ListError) -> Content in
            guard let content = read(text) else { throw ListError(option: text, expected: expected) }
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
    /// `s`, one of the words that the cases stand for.
    static var word: OptionType {
        text(
            expected: "one of " + Content.allCases.map(\.rawValue).joined(separator: ", "),
            read: { Content(rawValue: $0) }, write: { $0.rawValue })
    }
}

extension OptionType {
    /// `s`, one of the words that the cases stand for, or left out.
    static func optionalWord<Word>() -> OptionType
    where Content == Word?, Word: RawRepresentable & CaseIterable & Sendable, Word.RawValue == String {
        let word = OptionType<Word>.word
        return OptionType(
            signature: word.signature, decode: word.decode, parse: word.parse, encode: { $0.flatMap(word.encode) })
    }
}

extension OptionType<ScrollDirection> {
    /// `s`: `vertical`, `horizontal`.
    static let direction = text(
        expected: "one of vertical, horizontal", read: { ScrollDirection(rawValue: $0) }, write: { $0.rawValue })
}

extension OptionType<AccessRule> {
    /// `s`: `any`, `owner`, `group:NAME`.
    static let accessRule = text(
        expected: "any, owner or group:NAME", read: { AccessRule($0) }, write: { $0.text })
}

extension OptionType<SourceName> {
    /// `s`: `push`, a built-in source such as `jsonl:/PATH`, `list:NAME?argument`, `PLUGIN/SOURCE?argument`.
    static let sourceName: OptionType = {
        let type = text(expected: SourceName.forms, read: { SourceName($0) }, write: { $0.text })
        let check = { @Sendable (text: String) throws(ListError) -> SourceName in
            if let meant = SourceName.meantSource(in: text) {
                throw ListError(.invalidArguments, "\(text.quoted) is no source; did you mean \(meant)?")
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
    /// `a{ss}` from types of objects to section controllers, `PLUGIN/CONTROLLER` each.
    static let sectionControllers = OptionType(
        signature: "a{ss}",
        decode: { value throws(ListError) in
            var controllers: [String: String] = [:]
            for (type, name) in try value.dictionary.orThrow(value, "a{ss}") {
                controllers[type] = try ControllerName.checked(name.string.orThrow(value, "a{ss}"))
            }
            return controllers
        },
        parse: { _ throws(ListError) in
            throw ListError(.invalidArguments, "section controllers are given in [Sections]")
        },
        encode: { controllers in
            var entries: [Value: Value] = [:]
            for (type, name) in controllers { entries[.string(type)] = .string(name) }
            return .dictionary(key: "s", value: "s", entries)
        })
}

extension OptionType<[String]> {
    /// `as`; in files separated by spaces.
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
    /// `a{sv}`; in files a JSON object, with the types that `jsonl` gives to values.
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
                throw ListError(.invalidArguments, "not a JSON object: \(error.message)", cause: error.cause)
            }
        },
        encode: { fields in
            var entries: [Value: Value] = [:]
            for (key, value) in fields { entries[.string(key)] = .variant(value) }
            return .dictionary(key: "s", value: "v", entries)
        })
}
