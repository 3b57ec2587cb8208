// SPDX-License-Identifier: Apache-2.0

extension ObjectTree {
    /// Sends a signal with typed arguments to every subscriber.
    ///
    /// - Throws: `InvalidArgs` when the values do not fit the signal's arguments, `LimitsExceeded` when it is too large.
    public func emit<Object, each Value: DBusEncodable>(
        _ signal: Signal, of interface: Interface<Object>, at path: ObjectPath, _ values: repeat each Value
    ) throws(DBusError) {
        let message = Message(signalAt: path, interface: interface.name, member: signal.name)
        try message.write(signal.arguments.signature) { writer in
            repeat (each values).encode(to: &writer)
        }
        try broadcast(message)
    }

    /// Sends `PropertiesChanged` for properties that have changed, as each one's table entry declares.
    ///
    /// Properties that not all peers may read are sent by name only, as invalidated; constant and silent ones are left
    /// out. No signal is sent when none is left.
    /// - Throws: `UnknownObject`, or the reason why it could not be sent.
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
                writer.array { entries in bound.values(emitted, for: nil).append(to: &entries) }
                invalidated.encode(to: &writer)
            })
    }

    /// Announces an added object on its nearest ObjectManager; `add` does this by itself, so this is for objects of a
    /// resolver.
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

    /// Announces a removed object on its nearest ObjectManager; `remove` does this by itself.
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
}
