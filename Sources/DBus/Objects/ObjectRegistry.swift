// SPDX-License-Identifier: Apache-2.0

/// The objects of a tree by path.
@DBusActor
final class ObjectRegistry {
    /// A node of the tree, which corresponds to one path element.
    private final class Node {
        fileprivate var children: [String: Node] = [:]
        fileprivate var isObject = false
        /// The paths below which the node manages all objects; empty for a node that is no ObjectManager.
        fileprivate var managed: [ObjectPath] = []
        /// Whether the node stays when there is no object below it.
        fileprivate var isKept = false

        fileprivate var isUnused: Bool { children.isEmpty && !isObject && managed.isEmpty && !isKept }
    }

    private let root = Node()
    /// The objects by path, for fast lookup.
    private var objects: [ObjectPath: ExportedObject] = [:]
    /// The length of the longest path to an object, in bytes. Longer paths in calls are not looked up.
    private var longestPath = 1

    nonisolated init() {}

    /// Returns the interfaces of the object at a path: none if there is only an object below it, nil if there is none.
    ///
    /// - Complexity: O(1) for an object, otherwise O(elements of the path)
    func interfaces(at path: ObjectPath) -> [any BoundInterface]? {
        guard path.text.utf8.count <= longestPath else { return nil }
        return objects[path]?.interfaces ?? node(at: path).map { _ in [] }
    }

    func object(at path: ObjectPath) -> ExportedObject? { objects[path] }

    /// Returns the names of all nodes directly below a path, sorted.
    func children(of path: ObjectPath) -> [String] { node(at: path)?.children.keys.sorted() ?? [] }

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

    /// Removes and returns an object; nil when there is none at the path.
    func remove(at path: ObjectPath) -> ExportedObject? {
        guard let object = objects.removeValue(forKey: path) else { return nil }
        node(at: path)?.isObject = false
        pruneUnusedNodes(upFrom: path)
        return object
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
