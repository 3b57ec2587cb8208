// SPDX-License-Identifier: Apache-2.0

extension StandardObject {
    static let interfacesAdded = Signal(
        "InterfacesAdded", ["object_path": "o", "interfaces_and_properties": "a{sa{sv}}"])
    static let interfacesRemoved = Signal("InterfacesRemoved", ["object_path": "o", "interfaces": "as"])

    static let objectManager = Interface<StandardObject>(
        StandardInterface.objectManager,
        [
            .method(
                "GetManagedObjects", out: ["objpath_interfaces_and_properties": "a{oa{sa{sv}}}"]
            ) { object, call in
                let managed = ManagedObjects(of: object.tree.objects(below: object.path), for: call)
                guard let answer = object.tree.onManagedObjects else { return managed.answer() }
                answer(call, managed)
            },
            .signal(interfacesAdded),
            .signal(interfacesRemoved),
        ])
}

extension ObjectTree {
    /// All objects below a path, itself not, parents before children.
    public func objects(below path: ObjectPath) -> [(path: ObjectPath, object: ExportedObject)] {
        var found: [(path: ObjectPath, object: ExportedObject)] = []
        for name in children(of: path) {
            let child = ObjectPath(unchecked: path == .root ? "/\(name)" : "\(path)/\(name)")
            if let object = object(at: child) { found.append((child, object)) }
            found += objects(below: child)
        }
        return found
    }

    /// Tells the nearest ObjectManager's listeners of an object that is there now; `add` does it by itself, an
    /// object that a resolver knows is announced with this.
    public func announceAdded(_ path: ObjectPath) {
        guard let manager = manager(of: path), let object = object(at: path) else { return }
        let message = try? Message.signal(
            StandardObject.interfacesAdded, of: StandardInterface.objectManager, at: manager
        ) { writer in
            writer.append(path)
            ObjectValues(of: object, for: nil).append(to: &writer)
        }
        if let message { try? broadcast(message) }
    }

    /// Tells the nearest ObjectManager's listeners of an object that is gone; `remove` does it by itself.
    public func announceRemoved(_ path: ObjectPath, _ object: ExportedObject) {
        guard let manager = manager(of: path) else { return }
        let message = try? Message.signal(
            StandardObject.interfacesRemoved, of: StandardInterface.objectManager, at: manager
        ) { writer in
            writer.append(path)
            object.interfaces.map(\.name).encode(to: &writer)
        }
        if let message { try? broadcast(message) }
    }

    private func manager(of path: ObjectPath) -> ObjectPath? {
        var current = path.parent
        while let candidate = current {
            if node(at: candidate)?.isManager == true { return candidate }
            current = candidate.parent
        }
        return nil
    }
}
