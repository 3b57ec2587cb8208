// SPDX-License-Identifier: Apache-2.0

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
