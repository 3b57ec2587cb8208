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
