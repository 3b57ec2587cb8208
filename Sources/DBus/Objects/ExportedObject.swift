// SPDX-License-Identifier: Apache-2.0

/// An interface together with the object that implements it.
@DBusActor
protocol BoundInterface {
    var name: String { get }
    func describe(to xml: inout IntrospectionWriter)
    /// Calls a method. Returns `false` when the interface has no such method.
    func handle(_ call: Call) -> Bool
    var propertyNames: [String] { get }
    /// Returns the description of a property; nil when the interface has no such property.
    func describeProperty(_ name: String) -> PropertyDescription?
    /// A counter that grows with each change of properties of which callers may be informed. Values that were read at
    /// a lower count are outdated.
    var stamp: UInt64 { get }
    /// Returns the approximate length of a property's value in bytes.
    func propertySize(_ name: String) -> Int
    /// Reads the value of a property. The returned closure writes it as a variant.
    func property(_ name: String, for peer: Peer?) throws(DBusError) -> PropertyWriter
    /// Throws if the caller may not set a property.
    func checkSettingProperty(_ name: String, for call: Call) throws(DBusError)
    func setProperty(_ name: String, from reader: inout MessageReader, for call: Call) throws(DBusError)
    func isPropertyVisible(_ name: String, to peer: Peer?) -> Bool
    /// Runs `read` as soon as the properties reflect the earlier calls of the peer.
    func runAfterCalls(of peer: Peer, _ read: @escaping @DBusActor () -> Void)
}

/// The facts about a property that `Properties` needs before it reads the value.
struct PropertyDescription {
    let signature: Signature
    let changes: PropertyChanges
    let isWritable: Bool
}

/// The interfaces of an exported object, each with its implementation.
@DBusActor
public struct ExportedObject {
    let interfaces: [any BoundInterface]

    /// Exports an object with one interface.
    public init<Object>(_ interface: Interface<Object>, of object: Object) {
        interfaces = [Binding(interface: interface, object: object)]
    }

    init(_ interfaces: [any BoundInterface]) {
        self.interfaces = interfaces
    }

    /// Returns this object with an additional interface, implemented by the same or another Swift object.
    public func and<Object>(_ interface: Interface<Object>, of object: Object) -> ExportedObject {
        ExportedObject(interfaces + [Binding(interface: interface, object: object)])
    }

    func interface(_ name: String) -> (any BoundInterface)? {
        interfaces.first { $0.name == name }
    }
}

@DBusActor
private struct Binding<Object>: BoundInterface {
    let interface: Interface<Object>
    let object: Object

    var name: String { interface.name }
    var propertyNames: [String] { interface.properties.map(\.name) }

    func describe(to xml: inout IntrospectionWriter) {
        xml.write(interface)
    }

    func handle(_ call: Call) -> Bool {
        guard let method = interface.methods[call.member] else { return false }
        let found = call.message.signature
        guard found == method.inputs.signature else {
            call.fail(method.inputs.mismatch(with: found))
            return true
        }
        call.setReplySignature(method.outputs.signature)
        do { try method.handler(object, call) } catch { call.fail(error) }
        return true
    }

    func describeProperty(_ name: String) -> PropertyDescription? {
        interface.property(name).map {
            PropertyDescription(signature: $0.signature, changes: $0.changes, isWritable: $0.set != nil)
        }
    }

    var stamp: UInt64 { interface.stamp?(object) ?? 0 }

    func propertySize(_ name: String) -> Int { interface.property(name)?.size?(object) ?? 0 }

    func isPropertyVisible(_ name: String, to peer: Peer?) -> Bool {
        interface.property(name).map { $0.isVisible(object, peer) } ?? false
    }

    func runAfterCalls(of peer: Peer, _ read: @escaping @DBusActor () -> Void) {
        if let settle = interface.settle { settle(object, peer, read) } else { read() }
    }

    func property(_ name: String, for peer: Peer?) throws(DBusError) -> PropertyWriter {
        guard let property = interface.property(name) else {
            throw DBusError(.unknownProperty, "“\(interface.name)” has no property \(name.quoted)")
        }
        let write = try property.get(object, peer)
        return { [signature = property.signature] writer in writer.variant(signature) { inside in write(&inside) } }
    }

    func checkSettingProperty(_ name: String, for call: Call) throws(DBusError) {
        try interface.property(name)?.checkSetting?(object, call)
    }

    func setProperty(_ name: String, from reader: inout MessageReader, for call: Call) throws(DBusError) {
        guard let set = interface.property(name)?.set else { return }
        try set(object, call, &reader)
    }
}

/// A snapshot of property values that can be written on any thread.
struct PropertyValues: Sendable {
    private let entries: [(name: String, write: PropertyWriter)]

    init(_ entries: [(name: String, write: PropertyWriter)]) { self.entries = entries }

    /// Appends the values as entries of an `a{sv}`.
    func append(to entries: inout MessageWriter) {
        for (name, write) in self.entries {
            entries.dictionaryEntry { entry in
                entry.append(name)
                write(&entry)
            }
        }
    }
}

/// A snapshot of an object's interfaces and property values that can be written on any thread.
struct ObjectValues: Sendable {
    private let interfaces: [(name: String, values: PropertyValues)]
    /// The approximate length of the large values in bytes; 0 if all values are small.
    let size: Int

    /// Reads the properties that a peer may read. A nil peer stands for all peers.
    @DBusActor
    init(of object: ExportedObject, for peer: Peer?) {
        interfaces = object.interfaces.map { ($0.name, $0.values(of: $0.propertyNames, for: peer)) }
        size = object.interfaces.reduce(0) { sum, interface in
            interface.propertyNames.reduce(sum) { $0 + interface.propertySize($1) }
        }
    }

    /// Appends the interfaces as `a{sa{sv}}`.
    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (name, values) in interfaces {
                entries.dictionaryEntry { entry in
                    entry.append(name)
                    entry.array { properties in values.append(to: &properties) }
                }
            }
        }
    }
}

/// An answer to `GetManagedObjects`. The values of each object are read on the event loop's thread and can be written
/// on any thread.
@DBusActor
package final class ManagedObjects {
    private let call: Call
    private var left: ArraySlice<(path: ObjectPath, object: ExportedObject)>
    private var snapshots = ObjectSnapshots()
    private var completion: (@DBusActor () -> Void)?
    private lazy var work = LoopWork { [unowned self] in readNext() }

    init(of objects: [(path: ObjectPath, object: ExportedObject)], for call: Call) {
        self.call = call
        left = objects[...]
    }

    /// Reads all objects and answers the call, before any other work of the event loop.
    func answer() {
        while !left.isEmpty { _ = readNext() }
        call.replyWriting { [snapshots] writer in snapshots.append(to: &writer) }
    }

    /// Reads the objects one by one, alternating with other work of the event loop. `completion` gets the approximate
    /// length of the answer in bytes.
    package func collect(_ completion: @escaping @DBusActor (_ size: Int) -> Void) {
        self.completion = { [self] in completion(snapshots.size) }
        work.begin()
    }

    /// A closure that writes the whole answer. Use it after `collect` has completed.
    package var body: @Sendable (inout MessageWriter) throws(DBusError) -> Void {
        { [snapshots] (writer) throws(DBusError) in snapshots.append(to: &writer) }
    }

    /// Reads the next object, or calls the completion. Returns `true` if more objects remain.
    private func readNext() -> Bool {
        if !call.isAnswered, let (path, object) = left.popFirst() {
            snapshots.add(ObjectValues(of: object, for: call.peer), at: path)
            if !left.isEmpty { return true }
        }
        let completion = completion
        self.completion = nil
        completion?()
        return false
    }
}

/// Exported objects together with the values of their properties.
private struct ObjectSnapshots: Sendable {
    /// The approximate length of an object with small properties, in bytes.
    private static let objectBytes = 1 << 10

    private var objects: [(path: ObjectPath, values: ObjectValues)] = []
    /// The approximate length of all objects in bytes.
    private(set) var size = 0

    mutating func add(_ values: ObjectValues, at path: ObjectPath) {
        objects.append((path, values))
        size += Self.objectBytes + values.size
    }

    /// Appends all objects. An object that cannot be written is omitted, so that the others are delivered.
    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (path, values) in objects {
                guard let written = try? MessageBody("a{sa{sv}}", { values.append(to: &$0) }) else { continue }
                entries.dictionaryEntry { entry in
                    entry.append(path)
                    entry.append(arrayOf: written)
                }
            }
        }
    }
}
