// SPDX-License-Identifier: Apache-2.0

/// A condition on the messages that a subscriber gets (D-Bus specification, "Match Rules"); nil members match
/// everything.
public struct MatchRule: Hashable, Sendable {
    /// nil = every kind.
    public var kind: Message.Kind?
    /// A unique or a well-known name.
    public var sender: String?
    /// Exactly this path.
    public var path: ObjectPath?
    /// This path and everything below it.
    public var pathNamespace: ObjectPath?
    /// The interface of the member.
    public var interface: String?
    /// The name of the signal or method.
    public var member: String?
    /// The receiver of the message.
    public var destination: String?
    /// String arguments by position, 0 to 63, that must be equal.
    public var arguments: [Int: String] = [:]
    /// String or path arguments by position: equal, or one is a prefix that ends in a slash.
    public var argumentPaths: [Int: String] = [:]
    /// The first argument is this name, or one below it.
    public var argument0Namespace: String?

    /// Makes a rule; `validate` tells whether a bus would accept it.
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
    /// The rule as a bus reads it, keys in a fixed order: equal rules have equal texts.
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

    /// An apostrophe ends the quoted part, is escaped, and begins a new quoted part.
    private static func quote(_ value: String) -> String {
        value.contains("'")
            ? value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") : value
    }

    /// Checks for anything that libdbus and the bus would refuse.
    ///
    /// - Throws: `MatchRuleInvalid` naming the key.
    public func validate() throws(DBusError) {
        func require(_ condition: Bool, _ key: String) throws(DBusError) {
            guard condition else { throw DBusError(.matchRuleInvalid, "the rule's \(key.quoted) is not valid") }
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
        // The buses allow one condition for each argument.
        let indices = Array(arguments.keys) + argumentPaths.keys + (argument0Namespace == nil ? [] : [0])
        try require(Set(indices).count == indices.count, "arguments")
        try require(text.utf8.count <= 1024, "length")
    }
}

extension MatchRule {
    private static let kindWords: [(kind: Message.Kind, word: String)] = [
        (.methodCall, "method_call"), (.methodReturn, "method_return"), (.error, "error"), (.signal, "signal"),
    ]

    /// The word that stands for a kind of message in a rule's text.
    private static func word(for kind: Message.Kind) -> String { kindWords.first { $0.kind == kind }?.word ?? "" }

    /// The kind of message that a word stands for; nil for any other word.
    static func kind(of word: String) -> Message.Kind? { kindWords.first { $0.word == word }?.kind }
}
