/// Named and typed arguments in their order: `["name": "s", "options": "a{sv}"]`.
package struct Arguments: Sendable {
    /// One argument.
    package struct Argument: Sendable {
        /// Its name in introspection and in errors.
        package let name: String
        /// Its type.
        package let signature: Signature
    }

    /// In the order of the body.
    package let list: [Argument]
    /// The signature of a body that holds them all.
    package let signature: Signature

    /// Arguments in their order; one without exactly one type is the programmer's mistake and traps.
    package init(_ list: [Argument]) {
        for argument in list {
            precondition(argument.signature.isSingle, "argument \(argument.name) has not exactly one type")
        }
        self.list = list
        signature = Signature(unchecked: list.map(\.signature.text).joined())
        precondition(Signature.isValid(signature.text), "the arguments' types are too long together")
    }
}

extension Arguments: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, Signature)...) {
        self.init(elements.map { Argument(name: $0.0, signature: $0.1) })
    }
}

extension Arguments {
    /// What is wrong with a body of another signature, naming the argument.
    func mismatch(with found: Signature) -> DBusError {
        let types = found.types
        for (index, argument) in list.enumerated() {
            guard index < types.count else {
                return .invalidArgs("argument “\(argument.name)” (\(argument.signature)) is missing")
            }
            guard types[index] == argument.signature else {
                return .invalidArgs(
                    "argument “\(argument.name)” has type “\(types[index])” where “\(argument.signature)” belongs")
            }
        }
        return .invalidArgs("there are \(types.count) arguments where \(list.count) belong")
    }
}

/// Annotations in their order: `["org.freedesktop.DBus.Method.NoReply": "true"]`.
package struct Annotations: Sendable, ExpressibleByDictionaryLiteral {
    /// In the order of the introspection.
    package let list: [(name: String, value: String)]

    package init(dictionaryLiteral elements: (String, String)...) {
        list = elements.map { (name: $0.0, value: $0.1) }
    }
}
