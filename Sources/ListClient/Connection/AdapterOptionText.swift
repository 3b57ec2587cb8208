// SPDX-License-Identifier: Apache-2.0

public import DBus

/// Adapter options written as `KEY=VALUE` text (contract, "Adapter options").
public enum AdapterOptionText {
    private enum Kind { case text, flag, count, number, controllers, content }

    private static let kinds: [String: Kind] = [
        "source": .text, "section-controllers": .controllers, "layout": .text, "direction": .text,
        "sticky-headers": .flag, "stretch-to-edge": .flag, "show-header-when-empty": .flag,
        "top-content-inset": .number, "sticky-header-offset": .number, "working-range": .count,
        "near-end-distance": .number, "updater": .text,
        "reload-threshold": .count, "section-moves-as-deletes-inserts": .flag, "prefer-item-reloads": .flag,
        "minimal-moves": .flag, "coalesce-min": .count, "coalesce-max": .count, "coalesce-increment": .count,
        "durability": .text, "empty": .content, "hints": .controllers, "readers": .text, "writers": .text,
        "invokers": .text, "transient": .flag,
    ]

    /// The keys of all options, in order.
    public static var keys: [String] { kinds.keys.sorted() }

    /// Reads options.
    ///
    /// Flags are yes/no, true/false, on/off or 1/0. `section-controllers` is `TYPE=PLUGIN/CONTROLLER`, several with
    /// commas between, `hints` is `FIELD=WORD` likewise. `empty` is `KEY=TEXT`, several with commas between; every value is a string.
    /// - Throws: `InvalidArgs` naming the word at fault.
    public static func parse(_ words: [String]) throws(DBusError) -> [String: DBusValue] {
        var options: [String: DBusValue] = [:]
        for word in words {
            let (key, kind, text) = try option(word)
            options[key] = try value(text, kind, of: key)
        }
        return options
    }

    /// Checks that each word is `KEY=VALUE` with the key of an option; values are not looked at.
    /// - Throws: `InvalidArgs` naming the word or key at fault.
    public static func checkKeys(of words: [String]) throws(DBusError) {
        for word in words { _ = try option(word) }
    }

    private static func option(_ word: String) throws(DBusError) -> (key: String, kind: Kind, text: String) {
        guard let (key, text) = split(word) else { throw .invalidArgs("“\(word)” is not KEY=VALUE") }
        guard let kind = kinds[key] else { throw .invalidArgs("unknown option “\(key)”") }
        return (key, kind, text)
    }

    private static func value(_ text: String, _ kind: Kind, of key: String) throws(DBusError) -> DBusValue {
        switch kind {
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
        case .controllers:
            let entries = try pairs(text, of: key).map {
                DBusValue.Entry(key: .string($0.key), value: .string($0.value))
            }
            return .dictionary(key: "s", value: "s", entries)
        case .content:
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
