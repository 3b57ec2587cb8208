// SPDX-License-Identifier: Apache-2.0

/// A D-Bus interface of objects of one Swift type, declared as a table.
///
/// Method dispatch, argument checks, `Properties` and introspection are all derived from the members in this table,
/// in this order.
///
///     static let interface = Interface<Counter>("org.example.Counter", [
///         .method("Add", in: ["amount": "u"], out: ["sum": "t"]) { counter, call in … },
///         .property("Sum", as: UInt64.self, changes: .emits) { counter, _ in counter.sum },
///         .signal(Counter.overflowed),
///     ])
@DBusActor
public final class Interface<Object> {
    /// A member of the interface.
    public enum Member: Sendable {
        case method(Method<Object>)
        case property(Property<Object>)
        case signal(Signal)
    }

    /// The name of the interface on the bus.
    public nonisolated let name: String
    nonisolated let annotations: Annotations
    nonisolated let members: [Member]
    nonisolated let methods: [String: Method<Object>]
    nonisolated let properties: [Property<Object>]
    nonisolated let settle: Settling?
    nonisolated let stamp: (@DBusActor (Object) -> UInt64)?

    /// A function that delays the reading of properties for a peer. Its last argument reads the properties; the
    /// function runs it when all calls of the peer that may change them have been answered.
    public typealias Settling = @DBusActor (Object, Peer, @escaping @DBusActor () -> Void) -> Void

    /// Creates an interface. An invalid or repeated name is a programming error and traps.
    ///
    /// - Parameters:
    ///   - settle: the function that `Get` and `GetAll` wait for; nil if they never wait.
    ///   - stamp: a counter that grows with each change of properties of which callers may be informed. Values that
    ///     were read at a lower count are outdated.
    ///   - typeNames: the names of composite types, by signature, for code that generators make of the introspection
    ///     data; nil = there are no annotations for generators.
    public nonisolated init(
        _ name: String, annotations: Annotations = [:], settle: Settling? = nil,
        stamp: (@DBusActor (Object) -> UInt64)? = nil, typeNames: [String: String]? = nil, _ members: [Member]
    ) {
        // trap: interface tables are written in the program; no input creates one
        precondition(Names.isInterface(name), "“\(name)” is not an interface name")
        self.name = name
        self.annotations = annotations
        self.settle = settle
        self.stamp = stamp
        let members = typeNames.map { names in members.map { $0.annotated(forGenerators: names) } } ?? members
        self.members = members
        var methods: [String: Method<Object>] = [:]
        var properties: [Property<Object>] = []
        for member in members {
            // trap: interface tables are written in the program; no input creates one
            precondition(Names.isMember(member.name), "“\(member.name)” is not a member name")
            switch member {
            case .method(let method):
                // trap: interface tables are written in the program; no input creates one
                precondition(
                    methods.updateValue(method, forKey: method.name) == nil,
                    "the method “\(method.name)” is declared twice")
            case .property(let property):
                // trap: interface tables are written in the program; no input creates one
                precondition(
                    !properties.contains { $0.name == property.name },
                    "the property “\(property.name)” is declared twice")
                properties.append(property)
            case .signal:
                break
            }
        }
        self.methods = methods
        self.properties = properties
    }

    func property(_ name: String) -> Property<Object>? {
        properties.first { $0.name == name }
    }
}

extension Interface.Member {
    var name: String {
        switch self {
        case .method(let method): method.name
        case .property(let property): property.name
        case .signal(let signal): signal.name
        }
    }
}

// MARK: - Annotations for generators

extension Interface.Member {
    /// Returns the member with the annotations that generators of code need: the types of composite arguments for
    /// QtDBus, and file descriptors for GDBus.
    fileprivate func annotated(forGenerators names: [String: String]) -> Self {
        switch self {
        case .method(let method):
            let hasDescriptor = (method.inputs.list + method.outputs.list).contains { $0.signature == "h" }
            let all =
                method.annotations.list + method.inputs.typeAnnotations("In", names)
                + method.outputs.typeAnnotations("Out", names)
                + (hasDescriptor ? [(name: "org.gtk.GDBus.C.UnixFD", value: "true")] : [])
            return .method(
                Method(
                    name: method.name, inputs: method.inputs, outputs: method.outputs,
                    annotations: Annotations(list: all), handler: method.handler))
        case .signal(let signal):
            let all = signal.annotations.list + signal.arguments.typeAnnotations("Out", names)
            return .signal(Signal(signal.name, signal.arguments, annotations: Annotations(list: all)))
        case .property(var property):
            guard let type = names[property.signature.text] else { return self }
            property.annotations = Annotations(
                list: property.annotations.list + [(name: Arguments.typeAnnotation, value: type)])
            return .property(property)
        }
    }
}

extension Arguments {
    fileprivate static let typeAnnotation = "org.qtproject.QtDBus.QtTypeName"

    /// Returns the annotations with the types of composite arguments.
    fileprivate func typeAnnotations(_ direction: String, _ names: [String: String]) -> [(name: String, value: String)]
    {
        list.enumerated().compactMap { index, argument in
            names[argument.signature.text].map { ("\(Self.typeAnnotation).\(direction)\(index)", $0) }
        }
    }
}

/// A method in an interface table.
public struct Method<Object>: Sendable {
    let name: String
    let inputs: Arguments
    let outputs: Arguments
    let annotations: Annotations
    let handler: @DBusActor (Object, Call) throws -> Void
}

/// How changes of a property are announced (the annotation `EmitsChangedSignal`).
public enum PropertyChanges: String, Sendable {
    /// `PropertiesChanged` contains the new value.
    case emits = "true"
    /// `PropertiesChanged` contains only the property's name.
    case invalidates
    /// The value never changes.
    case constant = "const"
    /// The value changes without a signal.
    case silent = "false"
}

/// A closure that writes the value of a property that was already read. It can run on any thread.
public typealias PropertyWriter = @Sendable (inout MessageWriter) -> Void

/// A property in an interface table.
public struct Property<Object>: Sendable {
    let name: String
    let signature: Signature
    let changes: PropertyChanges
    fileprivate(set) var annotations: Annotations
    /// Returns whether a peer may read the value. A nil peer stands for all peers.
    let isVisible: @DBusActor (Object, Peer?) -> Bool
    /// Returns the approximate length of the value in bytes; nil for a small value.
    let size: (@DBusActor (Object) -> Int)?
    /// Reads the value. The returned closure writes it.
    let get: @DBusActor (Object, Peer?) throws(DBusError) -> PropertyWriter
    /// Throws if the caller may not set the property; nil for a read-only property.
    let checkSetting: (@DBusActor (Object, Call) throws(DBusError) -> Void)?
    let set: (@DBusActor (Object, Call, inout MessageReader) throws(DBusError) -> Void)?
}

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

// The functions that create the members of an interface table.

extension Interface.Member {
    /// Declares a method whose handler reads the arguments and answers the call itself, now or later.
    ///
    /// Arguments that do not match `inputs` are refused before the handler is called. An error that the handler
    /// throws becomes the answer.
    public static func method(
        _ name: String, in inputs: Arguments = [:], out outputs: Arguments = [:], annotations: Annotations = [:],
        _ handler: @escaping @DBusActor (_ object: Object, _ call: Call) throws -> Void
    ) -> Self {
        .method(Method(name: name, inputs: inputs, outputs: outputs, annotations: annotations, handler: handler))
    }

    /// Declares a method that is implemented by a Swift function. The function's parameters are the arguments, whose
    /// names are `inputs`; its result is the answer.
    ///
    ///     .function("Add", in: ["amount"], out: "sum") { (counter, call, amount: UInt32) in counter.add(amount) }
    public static func function<each Input: DBusDecodable, Output: DBusEncodable>(
        _ name: String, in inputs: [String] = [], out output: String, annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Output
    ) -> Self {
        let outputs = Arguments(names: [output], types: [Output.signature])
        return function(name, in: inputs, out: outputs, annotations: annotations) {
            (object, call, arguments: repeat each Input) in
            call.reply(try body(object, call, repeat each arguments))
        }
    }

    /// Declares a method that is implemented by a Swift function without a result. An empty answer is sent when the
    /// function returns.
    public static func function<each Input: DBusDecodable>(
        _ name: String, in inputs: [String] = [], annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Void
    ) -> Self {
        function(name, in: inputs, out: [:], annotations: annotations) {
            (object, call, arguments: repeat each Input) in
            try body(object, call, repeat each arguments)
            call.reply()
        }
    }

    /// Declares a method with typed parameters that answers with `call.reply`, now or later.
    public static func function<each Input: DBusDecodable>(
        _ name: String, in inputs: [String] = [], out outputs: Arguments, annotations: Annotations = [:],
        _ body: @escaping @DBusActor (_ object: Object, _ call: Call, repeat each Input) throws -> Void
    ) -> Self {
        var types: [Signature] = []
        for type in repeat (each Input).self { types.append(type.signature) }
        return method(
            name, in: Arguments(names: inputs, types: types), out: outputs, annotations: annotations
        ) { object, call in
            let arguments = try call.message.read { (reader) throws(DBusError) in
                (repeat try (each Input)(from: &reader))
            }
            try body(object, call, repeat each arguments)
        }
    }

    /// Declares a read-only property.
    ///
    /// - Parameter size: returns the approximate length of the value in bytes; nil for a small value.
    public static func property<Value: DBusEncodable & Sendable>(
        _ name: String, as type: Value.Type, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        size: (@DBusActor (_ object: Object) -> Int)? = nil,
        get: @escaping @DBusActor (_ object: Object, _ peer: Peer?) throws -> Value
    ) -> Self {
        .property(
            Property(
                name: name, signature: Value.signature, changes: changes, annotations: annotations,
                isVisible: isVisible, size: size, get: getter(get), checkSetting: nil, set: nil))
    }

    /// Declares a writable property. The type of a new value is checked before `set` is called.
    ///
    /// - Parameter checkSetting: throws if the caller may not set the property. It is called before the new value is
    ///   looked at.
    public static func property<Value: DBusEncodable & Sendable, NewValue: DBusDecodable>(
        _ name: String, as type: Value.Type, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        get: @escaping @DBusActor (_ object: Object, _ peer: Peer?) throws -> Value,
        checkSetting: @escaping @DBusActor (_ object: Object, _ call: Call) throws -> Void = { _, _ in },
        set: @escaping @DBusActor (_ object: Object, _ value: NewValue, _ call: Call) throws -> Void
    ) -> Self {
        .property(
            Property(
                name: name, signature: Value.signature, changes: changes, annotations: annotations,
                isVisible: isVisible, size: nil, get: getter(get)
            ) { (object, call) throws(DBusError) in
                do { try checkSetting(object, call) } catch { throw DBusError(error) }
            } set: { (object, call, reader) throws(DBusError) in
                let value = try NewValue(from: &reader)
                do { try set(object, value, call) } catch { throw DBusError(error) }
            })
    }

    /// Declares a read-only property whose value is written with a writer; reading the value cannot fail.
    ///
    /// - Parameters:
    ///   - size: returns the approximate length of the value in bytes; nil for a small value.
    ///   - read: reads the value. The returned closure writes it.
    public static func property(
        _ name: String, _ signature: Signature, changes: PropertyChanges, annotations: Annotations = [:],
        isVisible: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> Bool = { _, _ in true },
        size: (@DBusActor (_ object: Object) -> Int)? = nil,
        read: @escaping @DBusActor (_ object: Object, _ peer: Peer?) -> PropertyWriter
    ) -> Self {
        .property(
            Property(
                name: name, signature: signature, changes: changes, annotations: annotations, isVisible: isVisible,
                size: size, get: { (object, peer) throws(DBusError) in read(object, peer) }, checkSetting: nil,
                set: nil))
    }

    private static func getter<Value: DBusEncodable & Sendable>(
        _ get: @escaping @DBusActor (Object, Peer?) throws -> Value
    ) -> @DBusActor (Object, Peer?) throws(DBusError) -> PropertyWriter {
        { (object, peer) throws(DBusError) in
            do {
                let value = try get(object, peer)
                return { writer in value.encode(to: &writer) }
            } catch {
                throw DBusError(error)
            }
        }
    }
}

extension Arguments {
    /// Creates arguments from two lists of equal length. Different lengths are a programming error and trap.
    init(names: [String], types: [Signature]) {
        // trap: interface tables are written in the program; no input creates one
        precondition(names.count == types.count, "there are \(names.count) names for \(types.count) arguments")
        self.init(zip(names, types).map { Argument(name: $0, signature: $1) })
    }
}

/// The declaration of a signal in an interface table.
public struct Signal: Sendable {
    /// The name of the signal.
    public let name: String
    /// The arguments of the signal.
    public let arguments: Arguments
    /// The annotations of the signal.
    public let annotations: Annotations

    /// Declares a signal. An invalid name is a programming error and traps.
    public init(_ name: String, _ arguments: Arguments = [:], annotations: Annotations = [:]) {
        // trap: signals are declared in the program; received signals are messages
        precondition(Names.isMember(name), "“\(name)” is not a member name")
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
    }
}

extension Message {
    /// Creates a signal whose arguments `body` writes. Send it with `ObjectTree.broadcast` or `Peer.send`.
    ///
    /// - Throws: `InvalidArgs` when the values do not match the signal's arguments.
    public static func signal(
        _ signal: Signal, of interface: String, at path: ObjectPath,
        _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        var message = try Message.signal(path: path, interface: interface, member: signal.name)
        try message.write(signal.arguments.signature, body)
        return message
    }
}
