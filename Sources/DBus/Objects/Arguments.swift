// SPDX-License-Identifier: Apache-2.0

/// A list of named and typed arguments, such as `["name": "s", "options": "a{sv}"]`.
public struct Arguments: Sendable {
    /// One argument.
    public struct Argument: Sendable {
        /// The name, which introspection and error messages show.
        public let name: String
        /// The type, which is one complete type.
        public let signature: Signature
    }

    /// The arguments, in the order of the body.
    public let list: [Argument]
    /// The signature of a body that contains all arguments.
    public let signature: Signature

    /// Creates a list of arguments. An argument whose signature is not one complete type is a programming error and
    /// traps.
    public init(_ list: [Argument]) {
        for argument in list {
            // trap: interface tables are written in the program; no input creates one
            precondition(
                argument.signature.isSingle, "the signature of argument \(argument.name) is not one complete type")
        }
        self.list = list
        signature = Signature(unchecked: list.map(\.signature.text).joined())
        // trap: interface tables are written in the program; no input creates one
        precondition(Signature.isValid(signature.text), "the signature of all arguments exceeds the limits of D-Bus")
    }
}

extension Arguments: ExpressibleByDictionaryLiteral {
    /// Creates a list of arguments from names and signatures.
    public init(dictionaryLiteral elements: (String, Signature)...) {
        self.init(elements.map { Argument(name: $0.0, signature: $0.1) })
    }
}

extension Arguments {
    /// Returns the error for a body with a different signature; it names the first wrong argument.
    func mismatch(with found: Signature) -> DBusError {
        let types = found.types
        for (index, argument) in list.enumerated() {
            guard index < types.count else {
                return .invalidArgs("argument “\(argument.name)” (\(argument.signature)) is missing")
            }
            guard types[index] == argument.signature else {
                return .invalidArgs(
                    "argument “\(argument.name)” has type \(types[index].text.quoted) instead of “\(argument.signature)”"
                )
            }
        }
        return .invalidArgs("the call has \(types.count) arguments instead of \(list.count)")
    }
}

/// A list of annotations, such as `["org.freedesktop.DBus.Method.NoReply": "true"]`.
public struct Annotations: Sendable, ExpressibleByDictionaryLiteral {
    /// The annotations, in the order of introspection.
    public let list: [(name: String, value: String)]

    init(list: [(name: String, value: String)]) { self.list = list }

    /// Creates a list of annotations from names and values.
    public init(dictionaryLiteral elements: (String, String)...) {
        list = elements.map { (name: $0.0, value: $0.1) }
    }
}
