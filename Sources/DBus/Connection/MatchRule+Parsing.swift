// SPDX-License-Identifier: Apache-2.0

extension MatchRule {
    /// Reads a rule as clients write it: `type='signal',interface='org.example.Counter'`.
    ///
    /// - Throws: `MatchRuleInvalid` naming the key.
    public init(parsing text: String) throws(DBusError) {
        guard text.utf8.count <= 1024 else { throw DBusError(.matchRuleInvalid, "the rule is longer than 1024 bytes") }
        self.init(kind: nil)
        var seen: Set<String> = []
        for (key, value) in try MatchRule.pairs(of: text) {
            guard seen.insert(key).inserted else {
                throw DBusError(.matchRuleInvalid, "the rule has \(key.quoted) twice")
            }
            try set(key, value)
        }
        try validate()
    }

    private mutating func set(_ key: String, _ value: String) throws(DBusError) {
        switch key {
        case "type":
            guard let known = MatchRule.kind(of: value) else { throw MatchRule.invalid(key, value) }
            kind = known
        case "sender": sender = value
        case "interface": interface = value
        case "member": member = value
        case "destination": destination = value
        case "path": path = try MatchRule.path(key, value)
        case "path_namespace": pathNamespace = try MatchRule.path(key, value)
        case "arg0namespace": argument0Namespace = value
        case "eavesdrop":
            guard value == "true" || value == "false" else { throw MatchRule.invalid(key, value) }
        default: try setArgument(key, value)
        }
    }

    /// `arg7` or `arg7path`.
    private mutating func setArgument(_ key: String, _ value: String) throws(DBusError) {
        let isPath = key.hasSuffix("path")
        let digits = key.dropFirst(3).dropLast(isPath ? 4 : 0)
        guard key.hasPrefix("arg"), digits.allSatisfy(\.isASCII), let index = UInt8(digits), index <= 63 else {
            throw DBusError(.matchRuleInvalid, "a rule has no key \(key.quoted)")
        }
        if isPath { argumentPaths[Int(index)] = value } else { arguments[Int(index)] = value }
    }

    private static func path(_ key: String, _ value: String) throws(DBusError) -> ObjectPath {
        guard ObjectPath.isValid(value) else { throw invalid(key, value) }
        return ObjectPath(unchecked: value)
    }

    private static func invalid(_ key: String, _ value: String) -> DBusError {
        DBusError(.matchRuleInvalid, "\(value.quoted) is not a valid \(key.quoted) of a rule")
    }

    /// Inside apostrophes every character stands for itself; outside, a backslash escapes an apostrophe.
    private static func pairs(of text: String) throws(DBusError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
            guard !rest.isEmpty else { return pairs }
            guard let equals = rest.firstIndex(of: "=") else {
                throw DBusError(.matchRuleInvalid, "\(rest.quoted) in a rule has no “=”")
            }
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            pairs.append((key, try consumeValue(&rest)))
        }
    }

    /// Reads a value and the comma after it.
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
        guard !isQuoted else { throw DBusError(.matchRuleInvalid, "an apostrophe in a rule is not closed") }
        return value
    }
}
