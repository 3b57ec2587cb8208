extension ObjectTree {
    /// Sends `PropertiesChanged` for properties that have changed, as each one's table entry says.
    ///
    /// Values that not everybody may see are left out; constant and silent ones too. Nothing is sent when nothing is left.
    /// - Throws: `UnknownObject`, or why it could not be sent.
    public func propertiesChanged<Object>(
        _ names: [String], of interface: Interface<Object>, at path: ObjectPath
    ) throws(DBusError) {
        guard let bound = object(at: path)?.interface(interface.name) else { throw .unknownObject(path) }
        let described = names.compactMap { name in
            bound.isPropertyVisible(name, to: nil) ? bound.describeProperty(name).map { (name, $0.changes) } : nil
        }
        let emitted = described.filter { $0.1 == .emits }.map(\.0)
        let invalidated = described.filter { $0.1 == .invalidates }.map(\.0)
        guard !emitted.isEmpty || !invalidated.isEmpty else { return }
        try broadcast(
            Message.signal(StandardObject.propertiesChanged, of: StandardInterface.properties, at: path) { writer in
                writer.append(interface.name)
                writer.array { entries in bound.writeProperties(emitted, for: nil, to: &entries) }
                invalidated.encode(to: &writer)
            })
    }
}
