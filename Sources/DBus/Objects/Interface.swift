// SPDX-License-Identifier: Apache-2.0

/// A D-Bus interface of objects of one Swift type, as one table.
///
/// Dispatch, argument checks, `Properties` and introspection all come from the members listed here, in this order.
///
///     static let interface = Interface<Counter>("org.example.Counter", [
///         .method("Add", in: ["amount": "u"], out: ["sum": "t"]) { counter, call in … },
///         .property("Sum", as: UInt64.self, changes: .emits) { counter, _ in counter.sum },
///         .signal(Counter.overflowed),
///     ])
@DBusActor
public final class Interface<Object> {
    /// One entry of the table.
    public enum Member: Sendable {
        case method(Method<Object>)
        case property(Property<Object>)
        case signal(Signal)
    }

    /// The interface's name on the bus.
    public nonisolated let name: String
    nonisolated let annotations: Annotations
    nonisolated let members: [Member]
    nonisolated let methods: [String: Method<Object>]
    nonisolated let properties: [Property<Object>]
    nonisolated let settle: Settling?
    nonisolated let stamp: (@DBusActor (Object) -> UInt64)?

    /// Runs its last argument, which reads properties for a peer: at once, or when the peer's calls that may change
    /// them have been answered.
    public typealias Settling = @DBusActor (Object, Peer, @escaping @DBusActor () -> Void) -> Void

    /// Makes an interface; an invalid name, or a name that is used twice, is a programming error and traps.
    ///
    /// - Parameters:
    ///   - settle: the condition for which `Get` and `GetAll` wait; nil = none.
    ///   - stamp: a counter that changes whenever a caller may hear of changed properties before it has their values.
    public nonisolated init(
        _ name: String, annotations: Annotations = [:], settle: Settling? = nil,
        stamp: (@DBusActor (Object) -> UInt64)? = nil, _ members: [Member]
    ) {
        // trap: tables of interfaces are written in the program; no input makes one
        precondition(Names.isInterface(name), "“\(name)” is not an interface name")
        self.name = name
        self.annotations = annotations
        self.settle = settle
        self.stamp = stamp
        self.members = members
        var methods: [String: Method<Object>] = [:]
        var properties: [Property<Object>] = []
        for member in members {
            // trap: tables of interfaces are written in the program; no input makes one
            precondition(Names.isMember(member.name), "“\(member.name)” is not a member name")
            switch member {
            case .method(let method):
                // trap: tables of interfaces are written in the program; no input makes one
                precondition(methods.updateValue(method, forKey: method.name) == nil, "“\(method.name)” is there twice")
            case .property(let property):
                // trap: tables of interfaces are written in the program; no input makes one
                precondition(!properties.contains { $0.name == property.name }, "“\(property.name)” is there twice")
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

/// A method in the table of an interface.
public struct Method<Object>: Sendable {
    let name: String
    let inputs: Arguments
    let outputs: Arguments
    let annotations: Annotations
    let handler: @DBusActor (Object, Call) throws -> Void
}

/// How changes of a property are announced (annotation `EmitsChangedSignal`).
public enum PropertyChanges: String, Sendable {
    /// `PropertiesChanged` carries the value.
    case emits = "true"
    /// `PropertiesChanged` carries the name.
    case invalidates
    /// It never changes.
    case constant = "const"
    /// It changes without a signal.
    case silent = "false"
}

/// Writes a property's value after it was read; on any thread.
public typealias PropertyWriter = @Sendable (inout MessageWriter) -> Void

/// A property in the table of an interface.
public struct Property<Object>: Sendable {
    let name: String
    let signature: Signature
    let changes: PropertyChanges
    let annotations: Annotations
    /// Returns false if the peer may not read the value; a nil peer stands for all.
    let isVisible: @DBusActor (Object, Peer?) -> Bool
    /// The approximate length of the value in bytes; nil = small.
    let size: (@DBusActor (Object) -> Int)?
    /// Reads the value, or throws; the returned closure writes it.
    let get: @DBusActor (Object, Peer?) throws(DBusError) -> PropertyWriter
    let set: (@DBusActor (Object, Call, inout MessageReader) throws(DBusError) -> Void)?
}
