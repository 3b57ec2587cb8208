// SPDX-License-Identifier: Apache-2.0

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

    /// Sends `InterfacesAdded` for an object from its nearest ObjectManager. `add` does this itself, so call this
    /// only for objects of a resolver.
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

    /// Sends `InterfacesRemoved` for an object from its nearest ObjectManager. `remove` does this itself.
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
