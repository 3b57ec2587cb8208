// SPDX-License-Identifier: Apache-2.0

extension MatchRule {
    /// Parses a rule as clients write it, such as `type='signal',interface='org.example.Counter'`.
    ///
    /// - Throws: `MatchRuleInvalid` that names the key.
    public init(parsing text: String) throws(DBusError) {
        guard text.utf8.count <= 1024 else {
            throw DBusError(.matchRuleInvalid, "the match rule is longer than 1024 bytes")
        }
        self.init(kind: nil)
        var seen: Set<String> = []
        for (key, value) in try MatchRule.keysAndValues(of: text) {
            guard seen.insert(key).inserted else {
                throw DBusError(.matchRuleInvalid, "the match rule contains \(key.quoted) twice")
            }
            try setCondition(key, to: value)
        }
        try validate()
    }

    private mutating func setCondition(_ key: String, to value: String) throws(DBusError) {
        switch key {
        case "type":
            guard let known = MatchRule.kind(of: value) else { throw MatchRule.invalidValue(value, of: key) }
            kind = known
        case "sender": sender = value
        case "interface": interface = value
        case "member": member = value
        case "destination": destination = value
        case "path": path = try MatchRule.validatedPath(value, of: key)
        case "path_namespace": pathNamespace = try MatchRule.validatedPath(value, of: key)
        case "arg0namespace": argument0Namespace = value
        case "eavesdrop":
            guard value == "true" || value == "false" else { throw MatchRule.invalidValue(value, of: key) }
        default: try setArgument(key, to: value)
        }
    }

    /// Sets a condition on an argument, with a key such as `arg7` or `arg7path`.
    private mutating func setArgument(_ key: String, to value: String) throws(DBusError) {
        let isPath = key.hasSuffix("path")
        let digits = key.dropFirst(3).dropLast(isPath ? 4 : 0)
        guard key.hasPrefix("arg"), digits.allSatisfy(\.isASCII), let index = UInt8(digits), index <= 63 else {
            throw DBusError(.matchRuleInvalid, "\(key.quoted) is not a key of match rules")
        }
        if isPath { argumentPaths[Int(index)] = value } else { arguments[Int(index)] = value }
    }

    private static func validatedPath(_ value: String, of key: String) throws(DBusError) -> ObjectPath {
        guard ObjectPath.isValid(value) else { throw invalidValue(value, of: key) }
        return ObjectPath(unchecked: value)
    }

    private static func invalidValue(_ value: String, of key: String) -> DBusError {
        DBusError(.matchRuleInvalid, "\(value.quoted) is not a valid value for the key \(key.quoted) of a match rule")
    }

    /// Splits a rule into keys and values. Between apostrophes every character is literal; elsewhere `\'` is an
    /// apostrophe.
    private static func keysAndValues(of text: String) throws(DBusError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
            guard !rest.isEmpty else { return pairs }
            guard let equals = rest.firstIndex(of: "=") else {
                throw DBusError(.matchRuleInvalid, "the part \(rest.quoted) of a match rule has no “=”")
            }
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            pairs.append((key, try consumeValue(&rest)))
        }
    }

    /// Reads a value and the comma that follows it.
    private static func consumeValue(_ rest: inout Substring) throws(DBusError) -> String {
        var value = ""
        var isQuoted = false
        while let character = rest.unicodeScalars.popFirst() {
            switch character {
            case "'": isQuoted.toggle()
            case "," where !isQuoted: return value
            case "\\" where !isQuoted && rest.unicodeScalars.first == "'":
                value.unicodeScalars.append("'")
                rest.unicodeScalars.removeFirst()
            default: value.unicodeScalars.append(character)
            }
        }
        guard !isQuoted else {
            throw DBusError(.matchRuleInvalid, "a quoted value of a match rule has no closing apostrophe")
        }
        return value
    }
}
