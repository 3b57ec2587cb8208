// SPDX-License-Identifier: Apache-2.0

/// Answers for objects that are not registered one by one: all those below one path.
@DBusActor
public protocol ObjectResolver: AnyObject {
    /// The object at `elements` below the resolver's path (never empty); nil when there is none.
    func object(at elements: ArraySlice<Substring>) -> ExportedObject?
    /// The names of everything directly below `elements` (empty = the resolver's path itself), for introspection.
    func children(of elements: ArraySlice<Substring>) -> [String]
}

/// The objects that a program shows, on all its connections.
///
/// A path leads to an object that was added, or that a resolver knows. Every path on the way to an object answers
/// introspection with all its children. Every object has `Introspectable`, `Properties` and `Peer`.
@DBusActor
public final class ObjectTree {
    /// One element of a path.
    final class Node {
        var children: [String: Node] = [:]
        var isObject = false
        var resolver: (any ObjectResolver)?
        var isManager = false

        var isUnused: Bool { children.isEmpty && !isObject && resolver == nil && !isManager }
    }

    let root = Node()
    /// The objects that were added, by path: the short way to them.
    private var objects: [ObjectPath: ExportedObject] = [:]
    private var connections: [WeakConnection] = []
    /// The most bytes of a path that leads to something: what a caller makes longer is not looked up.
    private var longestPath = 1
    /// Looks at each call before its method runs, and refuses it by throwing: limits, states of shutting down.
    public var admission: (@DBusActor (Call) throws -> Void)?
    /// Takes each call as it comes, and hands it to `handle` when its turn has come; nil = it is handled at once.
    package var onArrival: (@DBusActor (Call) -> Void)?

    /// Answers `GetManagedObjects`, of which there may be much; nil = it is answered at once.
    package var onManagedObjects: (@DBusActor (Call, ManagedObjects) -> Void)?

    /// Answers `Get` and `GetAll`; nil = they are answered at once.
    package var onProperties: (@DBusActor (Call, PropertyAnswer) -> Void)?

    /// Values of properties that were asked for.
    package struct PropertyAnswer {
        /// About how many bytes they have; 0 = not many.
        package let size: Int
        /// Another number after each change of them of which the caller may hear before it has the answer.
        package let stamp: @DBusActor @Sendable () -> UInt64
        /// Reads them; what it returns writes the answer on any thread.
        package let read:
            @DBusActor @Sendable () throws(DBusError) -> @Sendable (inout MessageWriter) throws(DBusError) -> Void
    }

    func answer(
        _ call: Call, size: Int, stamp: @escaping @DBusActor @Sendable () -> UInt64,
        _ read: @escaping @DBusActor @Sendable () throws(DBusError) -> PropertyWriter
    ) {
        let answer = PropertyAnswer(size: size, stamp: stamp) { () throws(DBusError) in
            let write = try read()
            return { (writer) throws(DBusError) in write(&writer) }
        }
        if let onProperties { return onProperties(call, answer) }
        do throws(DBusError) { call.replyWriting(try answer.read()) } catch { call.fail(error) }
    }

    /// An empty tree.
    public init() {}

    /// What stands at a path.
    enum Place {
        case object(ExportedObject)
        /// Nothing but the way to other objects.
        case way
    }

    /// - Complexity: O(1) for an object that was added, else O(elements of the path) and what the resolver takes.
    func place(at path: ObjectPath) -> Place? {
        guard path.text.utf8.count <= longestPath else { return nil }
        if let object = objects[path] { return .object(object) }
        let elements = path.elements[...]
        var node = root
        for (index, element) in elements.enumerated() {
            guard let child = node.children[String(element)] else {
                return place(below: node, elements.dropFirst(index))
            }
            node = child
        }
        return .way
    }

    private func place(below node: Node, _ elements: ArraySlice<Substring>) -> Place? {
        guard let resolver = node.resolver else { return nil }
        if let object = resolver.object(at: elements) { return .object(object) }
        return resolver.children(of: elements).isEmpty ? nil : .way
    }

    /// The object at a path; nil when there is none.
    public func object(at path: ObjectPath) -> ExportedObject? {
        if case .object(let object)? = place(at: path) { object } else { nil }
    }

    /// The names of everything directly below a path, sorted.
    public func children(of path: ObjectPath) -> [String] {
        let elements = path.elements[...]
        var node = root
        for (index, element) in elements.enumerated() {
            guard let child = node.children[String(element)] else {
                return node.resolver?.children(of: elements.dropFirst(index)).sorted() ?? []
            }
            node = child
        }
        return Set(node.children.keys).union(node.resolver?.children(of: []) ?? []).sorted()
    }

    func node(at path: ObjectPath) -> Node? {
        var node = root
        for element in path.elements {
            guard let child = node.children[String(element)] else { return nil }
            node = child
        }
        return node
    }
}

// MARK: - Registering

extension ObjectTree {
    /// Shows an object; one that was there before is replaced. Below an ObjectManager it is announced.
    public func add(_ object: ExportedObject, at path: ObjectPath) {
        makeNode(at: path).isObject = true
        objects[path] = object
        announceAdded(path)
    }

    /// Takes an object away. Below an ObjectManager that is announced.
    public func remove(at path: ObjectPath) {
        guard let object = objects.removeValue(forKey: path) else { return }
        node(at: path)?.isObject = false
        prune(path)
        announceRemoved(path, object)
    }

    /// Lets `resolver` answer for everything below `path` that is not registered itself.
    public func setResolver(_ resolver: any ObjectResolver, below path: ObjectPath) {
        makeNode(at: path).resolver = resolver
        longestPath = .max  // it alone knows its paths
    }

    /// Makes `path` an ObjectManager for everything below it.
    public func addObjectManager(at path: ObjectPath) {
        makeNode(at: path).isManager = true
    }

    private func makeNode(at path: ObjectPath) -> Node {
        longestPath = max(longestPath, path.text.utf8.count)
        var node = root
        for element in path.elements {
            let name = String(element)
            let child = node.children[name] ?? Node()
            node.children[name] = child
            node = child
        }
        return node
    }

    /// Removes the nodes on the way to `path` that lead nowhere any more.
    private func prune(_ path: ObjectPath) {
        var current = path
        while let parent = current.parent, let node = node(at: current), node.isUnused {
            self.node(at: parent)?.children[String(current.lastElement)] = nil
            current = parent
        }
    }
}

// MARK: - Connections

/// A connection that shows the tree; the tree does not keep it alive.
private struct WeakConnection {
    weak var connection: Connection?
}

extension ObjectTree {
    func attach(_ connection: Connection) {
        connections.removeAll { $0.connection == nil }
        connections.append(WeakConnection(connection: connection))
    }

    func detach(_ connection: Connection) {
        connections.removeAll { $0.connection == nil || $0.connection === connection }
    }

    /// Sends a signal to everybody who asked for it, on every connection that shows this tree.
    ///
    /// - Throws: the first error of any connection, after all were tried; a closed connection is none.
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
