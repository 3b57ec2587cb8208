// SPDX-License-Identifier: Apache-2.0

/// The objects that a program exports on all its connections.
///
/// Every ancestor of an object answers introspection with its children. Every object has the interfaces
/// `Introspectable`, `Properties` and `Peer`.
@DBusActor
public final class ObjectTree {
    private let registry = ObjectRegistry()
    private var connections: [WeakConnection] = []
    private var arrivalHandler: (@DBusActor (Call) -> Void)?
    private var managedObjectsHandler: (@DBusActor (Call, ManagedObjects) -> Void)?
    private var propertiesHandler: (@DBusActor (Call, PropertyAnswer) -> Void)?
    /// Checks each call before its method runs. It throws to refuse the call, for limits or at shutdown.
    public var admission: (@DBusActor (Call) throws -> Void)?

    /// Creates an empty tree.
    public init() {}

    /// Sets a handler for arriving calls, which passes each call to `handle` when the call may run. Without a
    /// handler, calls run at once.
    package func onArrival(_ handler: @escaping @DBusActor (Call) -> Void) { arrivalHandler = handler }

    /// Sets a handler that answers `GetManagedObjects`, whose answer may be large. Without a handler, the tree
    /// answers at once.
    package func onManagedObjects(_ handler: @escaping @DBusActor (Call, ManagedObjects) -> Void) {
        managedObjectsHandler = handler
    }

    /// Sets a handler that answers `Get` and `GetAll`. Without a handler, the tree answers at once.
    package func onProperties(_ handler: @escaping @DBusActor (Call, PropertyAnswer) -> Void) {
        propertiesHandler = handler
    }

    /// The answer to a call of `Get` or `GetAll`, before the values are read.
    package struct PropertyAnswer {
        /// The approximate length of the values in bytes; 0 for small values.
        package let size: Int
        /// Returns a counter that grows with each change of the values of which the caller may be informed. An answer
        /// whose values were read at a lower count is outdated.
        package let stamp: @DBusActor @Sendable () -> UInt64
        /// Reads the values. The returned closure writes the answer on any thread.
        package let read:
            @DBusActor @Sendable () throws(DBusError) -> @Sendable (inout MessageWriter) throws(DBusError) -> Void
    }
}

// MARK: - Objects

extension ObjectTree {
    /// Returns the object at a path; nil when there is none.
    public func object(at path: ObjectPath) -> ExportedObject? { registry.object(at: path) }

    /// Returns the names of all nodes directly below a path, sorted.
    public func children(of path: ObjectPath) -> [String] { registry.children(of: path) }

    /// Returns all objects below a path, excluding the object at the path itself. Parents come before their children.
    public func objects(below path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        registry.objects(below: path)
    }

    /// Adds an object, or replaces the object at the path. The nearest ObjectManager announces it.
    public func add(_ object: ExportedObject, at path: ObjectPath) {
        registry.add(object, at: path)
        announceAdded(path)
    }

    /// Removes an object. The nearest ObjectManager announces this.
    public func remove(at path: ObjectPath) {
        guard let object = registry.remove(at: path) else { return }
        announceRemoved(path, object)
    }

    /// Makes `path` an ObjectManager.
    ///
    /// - Parameter managed: paths at or below `path`, whose objects it manages; nil = all objects below `path`.
    public func addObjectManager(at path: ObjectPath, of managed: [ObjectPath]? = nil) {
        registry.addManager(at: path, of: managed ?? [path])
    }

    /// Makes the node at a path stay even if it has neither an object nor children.
    public func keepNode(at path: ObjectPath) { registry.keepNode(at: path) }

    /// Returns the objects that the ObjectManager at a path manages. Parents come before their children.
    func objects(managedAt path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        registry.objects(managedAt: path)
    }

    /// Returns whether a path is an ObjectManager.
    func isManager(_ path: ObjectPath) -> Bool { registry.isManager(path) }

    /// Returns the path of the nearest ObjectManager of the object at a path; nil if there is none.
    func manager(of path: ObjectPath) -> ObjectPath? { registry.manager(of: path) }
}

// MARK: - Calls

extension ObjectTree {
    /// Passes a new call to the arrival handler, or handles it at once.
    func dispatch(_ call: Call) {
        if let arrivalHandler { arrivalHandler(call) } else { handle(call, isAdmitted: false) }
    }

    /// Handles a call that was already admitted. An unanswered call may be handled again.
    package func handle(_ call: Call) { handle(call, isAdmitted: true) }

    private func handle(_ call: Call, isAdmitted: Bool) {
        call.measure {
            do {
                let interfaces = registry.interfaces(at: call.path)
                guard interfaces != nil || call.isForPeer else { throw DBusError.unknownObject(call.path) }
                if !isAdmitted { try admission?(call) }
                dispatch(call, to: interfaces ?? [])
            } catch {
                call.fail(error)
            }
        } bytesOfAnswer: { _ in
            nil
        }
    }

    func answer(_ call: Call, with objects: ManagedObjects) {
        if let managedObjectsHandler { managedObjectsHandler(call, objects) } else { objects.answer() }
    }

    /// Answers `Get` or `GetAll` with what `read` returns, now or through the handler for properties.
    func answerPropertyRead(
        _ call: Call, size: Int, stamp: @escaping @DBusActor @Sendable () -> UInt64,
        _ read: @escaping @DBusActor @Sendable () throws(DBusError) -> PropertyWriter
    ) {
        let answer = PropertyAnswer(size: size, stamp: stamp) { () throws(DBusError) in
            let write = try read()
            return { (writer) throws(DBusError) in write(&writer) }
        }
        if let propertiesHandler { return propertiesHandler(call, answer) }
        do throws(DBusError) { call.replyWriting(try answer.read()) } catch { call.fail(error) }
    }

    private func dispatch(_ call: Call, to own: [any BoundInterface]) {
        func standard() -> [any BoundInterface] {
            StandardObject.exported(tree: self, path: call.path, own: own).interfaces
        }
        guard let wanted = call.interface else { return dispatch(call, amongAll: own + standard()) }
        let found = own.first { $0.name == wanted } ?? standard().first { $0.name == wanted }
        guard let found else {
            return call.fail(
                DBusError(.unknownInterface, "the object at \(call.path.text.quoted) has no interface \(wanted.quoted)")
            )
        }
        guard found.handle(call) else { return refuseUnknownMethod(of: call, interface: wanted) }
    }

    /// Calls a method of a call that specifies no interface, which the specification allows.
    private func dispatch(_ call: Call, amongAll interfaces: [any BoundInterface]) {
        for interface in interfaces where interface.handle(call) { return }
        refuseUnknownMethod(of: call, interface: nil)
    }

    private func refuseUnknownMethod(of call: Call, interface: String?) {
        let owner = interface.map { "interface \($0.quoted)" } ?? "the object at \(call.path.text.quoted)"
        call.fail(DBusError(.unknownMethod, "\(owner) has no method \(call.member.quoted)"))
    }
}

extension Call {
    /// Whether the call is one of `org.freedesktop.DBus.Peer`, which is about the program: every path answers it.
    fileprivate var isForPeer: Bool {
        (interface ?? StandardInterface.peer) == StandardInterface.peer && ["Ping", "GetMachineId"].contains(member)
    }
}

// MARK: - Connections

/// A connection that serves the tree. The tree does not keep it alive.
private struct WeakConnection {
    weak var connection: Connection?
}

extension ObjectTree: CallResponder {
    func attach(_ connection: Connection) {
        connections.removeAll { $0.connection == nil }
        connections.append(WeakConnection(connection: connection))
    }

    func detach(_ connection: Connection) {
        connections.removeAll { $0.connection == nil || $0.connection === connection }
    }

    func didReceiveCall(_ message: Message, from peer: Peer, on connection: Connection) {
        dispatch(Call(message: message, connection: connection, peer: peer))
    }

    /// Sends a signal to all subscribers on every connection that serves this tree.
    ///
    /// - Throws: the first error of any connection, after all were tried. A closed connection is not an error.
    public func broadcast(_ message: Message) throws(DBusError) {
        let message = connections.count > 1 ? try message.encoded() : message
        var failure: DBusError?
        for entry in connections {
            guard let connection = entry.connection, connection.isConnected else { continue }
            do throws(DBusError) {
                try connection.broadcast(message)
            } catch  where error.standard != .disconnected {
                failure = failure ?? error
            } catch {}
        }
        if let failure { throw failure }
    }
}

extension Connection {
    /// The objects that calls on this connection can reach. If nil, every call gets `UnknownObject`.
    public var objects: ObjectTree? {
        get { responder as? ObjectTree }
        set { setResponder(newValue) }
    }
}

extension ObjectTree {
    /// Sends a signal with typed arguments to all subscribers.
    ///
    /// - Throws: `InvalidArgs` when the values do not match the signal's arguments, `LimitsExceeded` when the message
    ///   is too large.
    public func emit<Object, each Value: DBusEncodable>(
        _ signal: Signal, of interface: Interface<Object>, at path: ObjectPath, _ values: repeat each Value
    ) throws(DBusError) {
        var message = Message(
            .signal, path: path, interface: interface.name, member: signal.name, flags: .noReplyExpected)
        try message.write(signal.arguments.signature) { writer in
            repeat (each values).encode(to: &writer)
        }
        try broadcast(message)
    }

    /// Sends `PropertiesChanged` for changed properties, in the way that the interface table declares for each.
    ///
    /// Properties that some peers may not read are sent as invalidated, without a value. Constant and silent
    /// properties are omitted. No signal is sent if no property remains.
    ///
    /// - Throws: `UnknownObject`, or the reason why the signal could not be sent.
    public func propertiesChanged<Object>(
        _ names: [String], of interface: Interface<Object>, at path: ObjectPath
    ) throws(DBusError) {
        guard let bound = object(at: path)?.interface(interface.name) else { throw .unknownObject(path) }
        var (emitted, invalidated): ([String], [String]) = ([], [])
        for name in names {
            switch bound.describeProperty(name)?.changes {
            case .emits where bound.isPropertyVisible(name, to: nil): emitted.append(name)
            case .emits, .invalidates: invalidated.append(name)
            case .constant, .silent, nil: break
            }
        }
        guard !emitted.isEmpty || !invalidated.isEmpty else { return }
        try broadcast(
            Message.signal(StandardObject.propertiesChanged, of: StandardInterface.properties, at: path) { writer in
                writer.append(interface.name)
                writer.array { entries in bound.values(of: emitted, for: nil).append(to: &entries) }
                invalidated.encode(to: &writer)
            })
    }

    /// Sends `InterfacesAdded` for an object from its nearest ObjectManager.
    private func announceAdded(_ path: ObjectPath) {
        guard let manager = manager(of: path), let object = object(at: path) else { return }
        let message = try? Message.signal(
            StandardObject.interfacesAdded, of: StandardInterface.objectManager, at: manager
        ) { writer in
            writer.append(path)
            ObjectValues(of: object, for: nil).append(to: &writer)
        }
        if let message { try? broadcast(message) }
    }

    /// Sends `InterfacesRemoved` for an object from its nearest ObjectManager.
    private func announceRemoved(_ path: ObjectPath, _ object: ExportedObject) {
        guard let manager = manager(of: path) else { return }
        let message = try? Message.signal(
            StandardObject.interfacesRemoved, of: StandardInterface.objectManager, at: manager
        ) { writer in
            writer.append(path)
            object.interfaces.map(\.name).encode(to: &writer)
        }
        if let message { try? broadcast(message) }
    }
}
