// SPDX-License-Identifier: Apache-2.0

public import DBus
internal import ListProtocol

/// Parses adapter options from texts of the form `KEY=VALUE` (contract, "Adapter options").
public enum AdapterOptionText {
    /// The keys of all options, sorted.
    public static var keys: [String] { ListOption.allCases.map(\.rawValue).sorted() }

    /// Parses options.
    ///
    /// Booleans are yes/no, true/false, on/off or 1/0. `section-controllers` is a list of `TYPE=PLUGIN/CONTROLLER`,
    /// separated by commas, and `hints` a list of `FIELD=WORD`. `empty` is a list of `KEY=TEXT` whose values are all
    /// strings.
    ///
    /// - Throws: `InvalidArgs` that quotes the faulty word.
    public static func parse(_ words: [String]) throws(DBusError) -> [String: DBusValue] {
        var options: [String: DBusValue] = [:]
        for word in words {
            let (key, type, text) = try option(word)
            options[key] = try value(text, as: type, of: key)
        }
        return options
    }

    /// Checks that each word is `KEY=VALUE` and that the key is an option. Values are not checked.
    ///
    /// - Throws: `InvalidArgs` that quotes the faulty word or key.
    public static func checkKeys(of words: [String]) throws(DBusError) {
        for word in words { _ = try option(word) }
    }

    private static func option(_ word: String) throws(DBusError) -> (key: String, type: OptionValueType, text: String) {
        guard let (key, text) = split(word) else { throw .invalidArgs("“\(word)” is not KEY=VALUE") }
        guard let option = ListOption(rawValue: key) else { throw .invalidArgs("unknown option “\(key)”") }
        return (key, option.type, text)
    }

    private static func value(_ text: String, as type: OptionValueType, of key: String) throws(DBusError) -> DBusValue {
        switch type {
        case .text: return .string(text)
        case .flag:
            guard let flag = flags[text.lowercased()] else {
                throw .invalidArgs("“\(key)” takes yes or no, not “\(text)”")
            }
            return .boolean(flag)
        case .count:
            guard let count = UInt32(text) else { throw .invalidArgs("“\(key)” takes a whole number, not “\(text)”") }
            return .uint32(count)
        case .number:
            guard let number = Double(text) else { throw .invalidArgs("“\(key)” takes a number, not “\(text)”") }
            return .double(number)
        case .texts:
            let entries = try pairs(text, of: key).map {
                DBusValue.Entry(key: .string($0.key), value: .string($0.value))
            }
            return .dictionary(key: "s", value: "s", entries)
        case .fields:
            return .options(
                Dictionary(
                    try pairs(text, of: key).map { ($0.key, .string($0.value)) }, uniquingKeysWith: { _, last in last })
            )
        }
    }

    private static let flags = [
        "yes": true, "true": true, "on": true, "1": true, "no": false, "false": false, "off": false, "0": false,
    ]

    private static func pairs(_ text: String, of key: String) throws(DBusError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for part in text.split(separator: ",") {
            guard let pair = split(String(part)) else { throw .invalidArgs("“\(part)” in “\(key)” is not KEY=VALUE") }
            pairs.append(pair)
        }
        return pairs
    }

    private static func split(_ word: String) -> (key: String, value: String)? {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else { return nil }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}
