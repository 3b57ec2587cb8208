// SPDX-License-Identifier: Apache-2.0

/// Resolves paths of objects that are not registered one by one: all those below one path.
@DBusActor
public protocol ObjectResolver: AnyObject {
    /// The object at `elements` below the resolver's path (never empty); nil when there is none.
    func object(at elements: ArraySlice<Substring>) -> ExportedObject?
    /// The names of everything directly below `elements` (empty = the resolver's path itself), for introspection.
    func children(of elements: ArraySlice<Substring>) -> [String]
}

/// The kind of node at a path.
enum ObjectPlace {
    case object(ExportedObject)
    /// A node that only leads to other objects.
    case way

    @DBusActor
    var interfaces: [any BoundInterface] {
        if case .object(let object) = self { object.interfaces } else { [] }
    }
}

/// The objects of a tree by their paths: those that were added, and resolvers for others.
@DBusActor
final class ObjectRegistry {
    /// One element of a path.
    private final class Node {
        fileprivate var children: [String: Node] = [:]
        fileprivate var isObject = false
        fileprivate var resolver: (any ObjectResolver)?
        fileprivate var isManager = false

        fileprivate var isUnused: Bool { children.isEmpty && !isObject && resolver == nil && !isManager }
    }

    private let root = Node()
    /// The added objects by their whole path, for fast look-ups.
    private var objects: [ObjectPath: ExportedObject] = [:]
    /// The longest path to an object in bytes: longer paths in calls are not looked up.
    private var longestPath = 1

    nonisolated init() {}

    /// - Complexity: O(1) for an object that was added, else O(elements of the path) and the resolver's time.
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
        return .way
    }

    private func place(below node: Node, _ elements: ArraySlice<Substring>) -> ObjectPlace? {
        guard let resolver = node.resolver else { return nil }
        if let object = resolver.object(at: elements) { return .object(object) }
        return resolver.children(of: elements).isEmpty ? nil : .way
    }

    func object(at path: ObjectPath) -> ExportedObject? {
        if case .object(let object)? = place(at: path) { object } else { nil }
    }

    /// The names of everything directly below a path, sorted.
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

    /// All objects below a path, without that at the path, parents before children.
    func objects(below path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        var found: [(path: ObjectPath, object: ExportedObject)] = []
        for name in children(of: path) {
            let child = ObjectPath(unchecked: path == .root ? "/\(name)" : "\(path)/\(name)")
            if let object = object(at: child) { found.append((child, object)) }
            found += objects(below: child)
        }
        return found
    }

    /// Whether a path is an ObjectManager.
    func isManager(_ path: ObjectPath) -> Bool { node(at: path)?.isManager == true }

    /// The nearest ObjectManager above a path; nil = there is none.
    func manager(of path: ObjectPath) -> ObjectPath? {
        var current = path.parent
        while let candidate = current {
            if isManager(candidate) { return candidate }
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

    /// Removes an object that was added; nil when there is none.
    func remove(at path: ObjectPath) -> ExportedObject? {
        guard let object = objects.removeValue(forKey: path) else { return nil }
        node(at: path)?.isObject = false
        prune(path)
        return object
    }

    func setResolver(_ resolver: any ObjectResolver, below path: ObjectPath) {
        makeNode(at: path).resolver = resolver
        longestPath = .max  // only the resolver knows its paths
    }

    func addManager(at path: ObjectPath) { makeNode(at: path).isManager = true }

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

    /// Removes the nodes on the way to `path` that lead to no object any more.
    private func prune(_ path: ObjectPath) {
        var current = path
        while let parent = current.parent, let node = node(at: current), node.isUnused {
            self.node(at: parent)?.children[String(current.lastElement)] = nil
            current = parent
        }
    }
}
