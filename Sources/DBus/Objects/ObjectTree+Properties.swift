// SPDX-License-Identifier: Apache-2.0

extension ObjectTree {
    /// Sends `PropertiesChanged` for properties that have changed, as each one's table entry says.
    ///
    /// Of properties that not everybody may see only the names are sent, as invalidated; constant and silent ones are left
    /// out. Nothing is sent when nothing is left.
    /// - Throws: `UnknownObject`, or why it could not be sent.
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
}
