// SPDX-License-Identifier: Apache-2.0

/// The objects that a program exports, on all its connections.
///
/// A path leads to an object that was added, or that a resolver finds. Every path on the way to an object answers
/// introspection with all its children. Every object has `Introspectable`, `Properties` and `Peer`.
@DBusActor
public final class ObjectTree {
    private let registry = ObjectRegistry()
    private var connections: [WeakConnection] = []
    private var arrivalHandler: (@DBusActor (Call) -> Void)?
    private var managedObjectsHandler: (@DBusActor (Call, ManagedObjects) -> Void)?
    private var propertiesHandler: (@DBusActor (Call, PropertyAnswer) -> Void)?
    /// Checks each call before its method runs, and refuses it by throwing, for limits or at shutdown.
    public var admission: (@DBusActor (Call) throws -> Void)?

    /// An empty tree.
    public init() {}

    /// Passes each call to `handler` when it arrives, which passes it to `handle` when its turn has come; without one
    /// it is handled at once.
    package func onArrival(_ handler: @escaping @DBusActor (Call) -> Void) { arrivalHandler = handler }

    /// Lets `handler` answer `GetManagedObjects`, whose answer may be large; without one it is answered at once.
    package func onManagedObjects(_ handler: @escaping @DBusActor (Call, ManagedObjects) -> Void) {
        managedObjectsHandler = handler
    }

    /// Lets `handler` answer `Get` and `GetAll`; without one they are answered at once.
    package func onProperties(_ handler: @escaping @DBusActor (Call, PropertyAnswer) -> Void) {
        propertiesHandler = handler
    }

    /// A call of `Get` or `GetAll`.
    package struct PropertyAnswer {
        /// The approximate length of the values in bytes; 0 = small.
        package let size: Int
        /// A counter that changes whenever the caller may hear of changed values before it has the answer.
        package let stamp: @DBusActor @Sendable () -> UInt64
        /// Reads the values; the returned closure writes the answer on any thread.
        package let read:
            @DBusActor @Sendable () throws(DBusError) -> @Sendable (inout MessageWriter) throws(DBusError) -> Void
    }
}

// MARK: - Objects

extension ObjectTree {
    /// The object at a path; nil when there is none.
    public func object(at path: ObjectPath) -> ExportedObject? { registry.object(at: path) }

    /// The names of everything directly below a path, sorted.
    public func children(of path: ObjectPath) -> [String] { registry.children(of: path) }

    /// All objects below a path, without that at the path, parents before children.
    public func objects(below path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        registry.objects(below: path)
    }

    /// Adds an object; a former one at the path is replaced. Below an ObjectManager it is announced.
    public func add(_ object: ExportedObject, at path: ObjectPath) {
        registry.add(object, at: path)
        announceAdded(path)
    }

    /// Removes an object. Below an ObjectManager that is announced.
    public func remove(at path: ObjectPath) {
        guard let object = registry.remove(at: path) else { return }
        announceRemoved(path, object)
    }

    /// Makes `resolver` find the objects below `path` that are not registered one by one.
    public func setResolver(_ resolver: any ObjectResolver, below path: ObjectPath) {
        registry.setResolver(resolver, below: path)
    }

    /// Makes `path` an ObjectManager for everything below it.
    public func addObjectManager(at path: ObjectPath) { registry.addManager(at: path) }

    /// Whether a path is an ObjectManager.
    func isManager(_ path: ObjectPath) -> Bool { registry.isManager(path) }

    /// The nearest ObjectManager above a path; nil = there is none.
    func manager(of path: ObjectPath) -> ObjectPath? { registry.manager(of: path) }
}

// MARK: - Calls

extension ObjectTree {
    /// Answers a call, or passes it to the method that will.
    func dispatch(_ call: Call) {
        if let arrivalHandler { arrivalHandler(call) } else { handle(call, isAdmitted: false) }
    }

    /// Handles an admitted call from the beginning; also again, if it is not answered.
    package func handle(_ call: Call) { handle(call, isAdmitted: true) }

    private func handle(_ call: Call, isAdmitted: Bool) {
        call.measure {
            do {
                guard let place = registry.place(at: call.path) else { throw DBusError.unknownObject(call.path) }
                if !isAdmitted { try admission?(call) }
                dispatch(call, to: place)
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

    func answer(
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

    private func dispatch(_ call: Call, to place: ObjectPlace) {
        guard let wanted = call.interface else { return dispatch(call, amongAll: interfaces(of: place, call)) }
        let found =
            place.interfaces.first { $0.name == wanted }
            ?? standardInterfaces(of: place, call).first { $0.name == wanted }
        guard let found else {
            return call.fail(
                DBusError(.unknownInterface, "the object at \(call.path.text.quoted) has no interface \(wanted.quoted)")
            )
        }
        guard found.handle(call) else { return fail(call, interface: wanted) }
    }

    private func interfaces(of place: ObjectPlace, _ call: Call) -> [any BoundInterface] {
        place.interfaces + standardInterfaces(of: place, call)
    }

    private func standardInterfaces(of place: ObjectPlace, _ call: Call) -> [any BoundInterface] {
        StandardObject.exported(tree: self, path: call.path, place: place).interfaces
    }

    /// The specification allows calls without an interface.
    private func dispatch(_ call: Call, amongAll interfaces: [any BoundInterface]) {
        for interface in interfaces where interface.handle(call) { return }
        fail(call, interface: nil)
    }

    private func fail(_ call: Call, interface: String?) {
        let owner = interface.map { "interface \($0.quoted)" } ?? "the object at \(call.path.text.quoted)"
        call.fail(DBusError(.unknownMethod, "\(owner) has no method \(call.member.quoted)"))
    }
}

// MARK: - Connections

/// Adds a connection that serves the tree; the tree does not keep it alive.
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

    func receivedCall(_ message: Message, from peer: Peer, on connection: Connection) {
        dispatch(Call(message: message, connection: connection, peer: peer))
    }

    /// Sends a signal to every subscriber, on every connection that serves this tree.
    ///
    /// - Throws: the first error of any connection, after all were tried; a closed connection is no error.
    public func broadcast(_ message: Message) throws(DBusError) {
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
    /// The objects that calls on this connection reach; without it every call gets `UnknownObject`.
    public var objects: ObjectTree? {
        get { responder as? ObjectTree }
        set { setResponder(newValue) }
    }
}
