// SPDX-License-Identifier: Apache-2.0

/// A resolver that finds the objects below a path when they are not registered individually.
@DBusActor
public protocol ObjectResolver: AnyObject {
    /// Returns the object at `elements` below the resolver's path; nil when there is none. `elements` is never empty.
    func object(at elements: ArraySlice<Substring>) -> ExportedObject?
    /// Returns the names of all nodes directly below `elements`, for introspection. Empty `elements` stand for the
    /// resolver's path.
    func children(of elements: ArraySlice<Substring>) -> [String]
}

/// The kind of a node in an object tree.
enum ObjectPlace {
    case object(ExportedObject)
    /// A node without an object of its own, which has objects below it.
    case ancestor

    @DBusActor
    var interfaces: [any BoundInterface] {
        if case .object(let object) = self { object.interfaces } else { [] }
    }
}

/// The objects of a tree by path: registered objects, and resolvers for other objects.
@DBusActor
final class ObjectRegistry {
    /// A node of the tree, which corresponds to one path element.
    private final class Node {
        fileprivate var children: [String: Node] = [:]
        fileprivate var isObject = false
        fileprivate var resolver: (any ObjectResolver)?
        /// The paths below which the node manages all objects; empty for a node that is no ObjectManager.
        fileprivate var managed: [ObjectPath] = []
        /// Whether the node stays when there is no object below it.
        fileprivate var isKept = false

        fileprivate var isUnused: Bool {
            children.isEmpty && !isObject && resolver == nil && managed.isEmpty && !isKept
        }
    }

    private let root = Node()
    /// The registered objects by path, for fast lookup.
    private var objects: [ObjectPath: ExportedObject] = [:]
    /// The length of the longest path to an object, in bytes. Longer paths in calls are not looked up.
    private var longestPath = 1

    nonisolated init() {}

    /// Returns the node at a path; nil when there is none.
    ///
    /// - Complexity: O(1) for a registered object, otherwise O(elements of the path) plus the resolver's time.
    func place(at path: ObjectPath) -> ObjectPlace? {
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
        return .ancestor
    }

    private func place(below node: Node, _ elements: ArraySlice<Substring>) -> ObjectPlace? {
        guard let resolver = node.resolver else { return nil }
        if let object = resolver.object(at: elements) { return .object(object) }
        return resolver.children(of: elements).isEmpty ? nil : .ancestor
    }

    func object(at path: ObjectPath) -> ExportedObject? {
        if case .object(let object)? = place(at: path) { object } else { nil }
    }

    /// Returns the names of all nodes directly below a path, sorted.
    func children(of path: ObjectPath) -> [String] {
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

    /// Returns all objects below a path, excluding the object at the path itself. Parents come before their children.
    func objects(below path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        var found: [(path: ObjectPath, object: ExportedObject)] = []
        for name in children(of: path) {
            let child = ObjectPath(unchecked: path == .root ? "/\(name)" : "\(path)/\(name)")
            if let object = object(at: child) { found.append((child, object)) }
            found += objects(below: child)
        }
        return found
    }

    /// Returns all objects that the ObjectManager at a path manages. Parents come before their children.
    func objects(managedAt path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        node(at: path)?.managed.flatMap { objects(below: $0) } ?? []
    }

    /// Returns whether a path is an ObjectManager.
    func isManager(_ path: ObjectPath) -> Bool { node(at: path)?.managed.isEmpty == false }

    /// Returns the path of the nearest ObjectManager of the object at a path; nil if there is none.
    func manager(of path: ObjectPath) -> ObjectPath? {
        var ancestors: [ObjectPath] = []
        var current = path.parent
        while let candidate = current {
            ancestors.append(candidate)
            if node(at: candidate)?.managed.contains(where: ancestors.contains) == true { return candidate }
            current = candidate.parent
        }
        return nil
    }

    private func node(at path: ObjectPath) -> Node? {
        var node = root
        for element in path.elements {
            guard let child = node.children[String(element)] else { return nil }
            node = child
        }
        return node
    }
}

// MARK: - Registering

extension ObjectRegistry {
    func add(_ object: ExportedObject, at path: ObjectPath) {
        makeNode(at: path).isObject = true
        objects[path] = object
    }

    /// Removes and returns a registered object; nil when there is none at the path.
    func remove(at path: ObjectPath) -> ExportedObject? {
        guard let object = objects.removeValue(forKey: path) else { return nil }
        node(at: path)?.isObject = false
        pruneUnusedNodes(upFrom: path)
        return object
    }

    func setResolver(_ resolver: any ObjectResolver, below path: ObjectPath) {
        makeNode(at: path).resolver = resolver
        longestPath = .max  // the resolver may have objects at paths of any length
    }

    func addManager(at path: ObjectPath, of managed: [ObjectPath]) { makeNode(at: path).managed = managed }

    func keepNode(at path: ObjectPath) { makeNode(at: path).isKept = true }

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

    /// Removes `path` and its ancestors as long as they have neither an object nor children.
    private func pruneUnusedNodes(upFrom path: ObjectPath) {
        var current = path
        while let parent = current.parent, let node = node(at: current), node.isUnused {
            self.node(at: parent)?.children[String(current.lastElement)] = nil
            current = parent
        }
    }
}
