// SPDX-License-Identifier: Apache-2.0

/// A condition on the messages that a subscriber receives (D-Bus specification, "Match Rules"). A nil property
/// matches every message.
public struct MatchRule: Hashable, Sendable {
    /// The kind of message; nil matches every kind.
    public var kind: Message.Kind?
    /// The unique or well-known name of the sender.
    public var sender: String?
    /// The object's path, which must be equal.
    public var path: ObjectPath?
    /// The path at or below which the object must be.
    public var pathNamespace: ObjectPath?
    /// The interface of the member.
    public var interface: String?
    /// The name of the signal or method.
    public var member: String?
    /// The receiver of the message.
    public var destination: String?
    /// The required values of string arguments, by position (0 to 63).
    public var arguments: [Int: String] = [:]
    /// The required values of string or path arguments, by position (0 to 63). An argument matches if it is equal, or
    /// if one of the two is a prefix of the other and ends in a slash.
    public var argumentPaths: [Int: String] = [:]
    /// The namespace of the first argument, which must be this name or begin with it and a dot.
    public var argument0Namespace: String?

    /// Creates a rule. `validate` checks whether a bus would accept it.
    public init(
        kind: Message.Kind? = .signal, sender: String? = nil, path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil, interface: String? = nil, member: String? = nil,
        arguments: [Int: String] = [:], argument0Namespace: String? = nil
    ) {
        self.kind = kind
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.argument0Namespace = argument0Namespace
    }
}

// MARK: - As text

extension MatchRule {
    /// The rule in the syntax of the bus, with keys in a fixed order: equal rules have equal texts.
    public var text: String {
        var parts: [(String, String)] = []
        if let kind { parts.append(("type", MatchRule.word(for: kind))) }
        if let sender { parts.append(("sender", sender)) }
        if let interface { parts.append(("interface", interface)) }
        if let member { parts.append(("member", member)) }
        if let path { parts.append(("path", path.text)) }
        if let pathNamespace { parts.append(("path_namespace", pathNamespace.text)) }
        if let destination { parts.append(("destination", destination)) }
        for (index, value) in arguments.sorted(by: { $0.key < $1.key }) { parts.append(("arg\(index)", value)) }
        for (index, value) in argumentPaths.sorted(by: { $0.key < $1.key }) { parts.append(("arg\(index)path", value)) }
        if let argument0Namespace { parts.append(("arg0namespace", argument0Namespace)) }
        return parts.map { "\($0.0)='\(MatchRule.quote($0.1))'" }.joined(separator: ",")
    }

    /// Escapes apostrophes: the quoted part ends, `\'` follows, and a new quoted part begins.
    private static func quote(_ value: String) -> String {
        value.contains("'")
            ? value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") : value
    }

    /// Checks the rule for everything that libdbus or the bus would refuse.
    ///
    /// - Throws: `MatchRuleInvalid` that names the key.
    public func validate() throws(DBusError) {
        func require(_ condition: Bool, _ key: String) throws(DBusError) {
            guard condition else {
                throw DBusError(.matchRuleInvalid, "the value for the key \(key.quoted) of a match rule is not valid")
            }
        }
        try require(sender.map(Names.isBusName) ?? true, "sender")
        try require(destination.map(Names.isBusName) ?? true, "destination")
        try require(interface.map(Names.isInterface) ?? true, "interface")
        try require(member.map(Names.isMember) ?? true, "member")
        try require(path == nil || pathNamespace == nil, "path_namespace")
        try require(argument0Namespace.map(Names.isNamespace) ?? true, "arg0namespace")
        for (index, value) in arguments {
            try require((0...63).contains(index) && !value.utf8.contains(0), "arg\(index)")
        }
        for (index, value) in argumentPaths {
            try require((0...63).contains(index) && !value.utf8.contains(0), "arg\(index)path")
        }
        // The buses allow only one condition for each argument.
        let indices = Array(arguments.keys) + argumentPaths.keys + (argument0Namespace == nil ? [] : [0])
        try require(Set(indices).count == indices.count, "arguments")
        try require(text.utf8.count <= 1024, "length")
    }
}

extension MatchRule {
    private static let kindWords: [(kind: Message.Kind, word: String)] = [
        (.methodCall, "method_call"), (.methodReturn, "method_return"), (.error, "error"), (.signal, "signal"),
    ]

    /// Returns the word for a kind of message in the text of a rule.
    private static func word(for kind: Message.Kind) -> String { kindWords.first { $0.kind == kind }?.word ?? "" }

    /// Returns the kind of message that a word names; nil for any other word.
    static func kind(of word: String) -> Message.Kind? { kindWords.first { $0.word == word }?.kind }
}

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

extension MatchRule {
    /// Returns whether a message meets all conditions of the rule except for the sender.
    ///
    /// - Complexity: O(1) without argument conditions, otherwise O(arguments up to the last one that has a
    ///   condition).
    @DBusActor
    func matchesIgnoringSender(_ message: Message) -> Bool {
        if let kind, message.kind != kind { return false }
        if let member, message.member != member { return false }
        if let interface, message.interface != interface { return false }
        if let path, message.path != path { return false }
        if let destination, message.destination != destination { return false }
        if let pathNamespace, message.path.map(pathNamespace.contains) != true { return false }
        guard !arguments.isEmpty || !argumentPaths.isEmpty || argument0Namespace != nil else { return true }
        return argumentsMatch(message)
    }

    @DBusActor
    private func argumentsMatch(_ message: Message) -> Bool {
        let last = max(arguments.keys.max() ?? 0, argumentPaths.keys.max() ?? 0)
        let found = Self.leadingTexts(of: message, count: last + 1)
        for (index, wanted) in arguments {
            guard index < found.count, case .string(wanted)? = found[index] else { return false }
        }
        for (index, wanted) in argumentPaths {
            guard index < found.count, let text = found[index]?.text, MatchRule.pathsMatch(wanted, text) else {
                return false
            }
        }
        guard let argument0Namespace else { return true }
        guard case .string(let name)?? = found.first else { return false }
        return name == argument0Namespace || name.hasPrefix(argument0Namespace + ".")
    }

    private static func pathsMatch(_ left: String, _ right: String) -> Bool {
        left == right || (left.hasSuffix("/") && right.hasPrefix(left))
            || (right.hasSuffix("/") && left.hasPrefix(right))
    }

    /// Returns the first `count` arguments; nil stands for an argument that is neither a string nor an object path.
    @DBusActor
    private static func leadingTexts(of message: Message, count: Int) -> [TextArgument?] {
        let texts = try? message.read { (reader) throws(DBusError) in
            var texts: [TextArgument?] = []
            while texts.count < count, let next = reader.next {
                switch next {
                case .string: texts.append(.string(try reader.readString()))
                case .objectPath: texts.append(.path(try reader.readObjectPath().text))
                default:
                    texts.append(nil)
                    reader.skip()
                }
            }
            return texts
        }
        return texts ?? []
    }
}

/// An argument of a type that match rules can compare.
private enum TextArgument {
    case string(String)
    case path(String)

    var text: String {
        switch self {
        case .string(let text), .path(let text): text
        }
    }
}
