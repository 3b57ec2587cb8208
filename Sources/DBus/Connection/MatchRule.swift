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
