// SPDX-License-Identifier: Apache-2.0

/// Named and typed arguments in their order: `["name": "s", "options": "a{sv}"]`.
public struct Arguments: Sendable {
    /// One argument.
    public struct Argument: Sendable {
        /// Its name in introspection and in errors.
        public let name: String
        /// Its type.
        public let signature: Signature
    }

    /// In the order of the body.
    public let list: [Argument]
    /// The signature of a body with all of them.
    public let signature: Signature

    /// Arguments in order; one without exactly one type is a programming error and traps.
    public init(_ list: [Argument]) {
        for argument in list {
            // trap: tables of interfaces are written in the program; no input makes one
            precondition(argument.signature.isSingle, "argument \(argument.name) has not exactly one type")
        }
        self.list = list
        signature = Signature(unchecked: list.map(\.signature.text).joined())
        // trap: tables of interfaces are written in the program; no input makes one
        precondition(Signature.isValid(signature.text), "the arguments' types are too long together")
    }
}

extension Arguments: ExpressibleByDictionaryLiteral {
    /// Lists the arguments as name and signature.
    public init(dictionaryLiteral elements: (String, Signature)...) {
        self.init(elements.map { Argument(name: $0.0, signature: $0.1) })
    }
}

extension Arguments {
    /// The error for a body of another signature, naming the argument.
    func mismatch(with found: Signature) -> DBusError {
        let types = found.types
        for (index, argument) in list.enumerated() {
            guard index < types.count else {
                return .invalidArgs("argument “\(argument.name)” (\(argument.signature)) is missing")
            }
            guard types[index] == argument.signature else {
                return .invalidArgs(
                    "argument “\(argument.name)” has type \(types[index].text.quoted) where “\(argument.signature)” belongs"
                )
            }
        }
        return .invalidArgs("there are \(types.count) arguments where \(list.count) belong")
    }
}

/// Annotations in their order: `["org.freedesktop.DBus.Method.NoReply": "true"]`.
public struct Annotations: Sendable, ExpressibleByDictionaryLiteral {
    /// In the order of the introspection.
    public let list: [(name: String, value: String)]

    /// Lists the annotations as name and value.
    public init(dictionaryLiteral elements: (String, String)...) {
        list = elements.map { (name: $0.0, value: $0.1) }
    }
}
