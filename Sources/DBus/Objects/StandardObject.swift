// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// The standard interfaces of D-Bus, which every node of a tree has in addition to its own.
@DBusActor
struct StandardObject {
    let tree: ObjectTree
    let path: ObjectPath
    let place: ObjectPlace

    /// Returns the standard interfaces of a node.
    static func exported(tree: ObjectTree, path: ObjectPath, place: ObjectPlace) -> ExportedObject {
        let object = StandardObject(tree: tree, path: path, place: place)
        let exported = ExportedObject(introspectable, of: object).and(properties, of: object).and(peer, of: object)
        return tree.isManager(path) ? exported.and(objectManager, of: object) : exported
    }

    private var interfaces: [any BoundInterface] {
        place.interfaces + StandardObject.exported(tree: tree, path: path, place: place).interfaces
    }
}

// MARK: - Introspectable, Peer

extension StandardObject {
    static let introspectable = Interface<StandardObject>(
        StandardInterface.introspectable,
        [
            .function("Introspect", out: "xml_data") { (object, _) in
                var writer = IntrospectionWriter()
                for interface in object.interfaces { interface.describe(to: &writer) }
                writer.write(children: object.tree.children(of: object.path))
                return writer.finish()
            }
        ])

    static let peer = Interface<StandardObject>(
        StandardInterface.peer,
        [
            .method("Ping") { _, call in call.reply() },
            .function("GetMachineId", out: "machine_uuid") { (_, _) in try MachineID.read() },
        ])
}

/// Reads the id of the machine (machine-id(5)).
private enum MachineID {
    static func read() throws(DBusError) -> String {
        var id = sd_id128_t()
        guard unsafe sd_id128_get_machine(&id) >= 0 else {
            throw DBusError(.fileNotFound, "this machine has no valid /etc/machine-id")
        }
        // sd_id128_to_string(3) documents this length, which includes the final NUL.
        var text = [CChar](repeating: 0, count: 33)
        _ = unsafe sd_id128_to_string(id, &text)
        return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// MARK: - Properties

extension StandardObject {
    static let properties = Interface<StandardObject>(
        StandardInterface.properties,
        [
            .method("Get", in: ["interface_name": "s", "property_name": "s"], out: ["value": "v"]) { object, call in
                let (interface, property) = try call.arguments(as: NameArgument.self, NameArgument.self)
                let name = property.text
                let owner = try object.owner(of: name, in: interface.text)
                guard owner.isPropertyVisible(name, to: call.peer) else {
                    throw DBusError.accessDenied("you may not read the property \(name.quoted)")
                }
                owner.runAfterCalls(of: call.peer) {
                    do throws(DBusError) {
                        _ = try owner.property(name, for: call.peer)
                    } catch {
                        return call.fail(error)
                    }
                    let size = owner.propertySize(name)
                    object.tree.answerPropertyRead(call, size: size, stamp: { owner.stamp }) { () throws(DBusError) in
                        let write = try owner.property(name, for: call.peer)
                        return { writer in write(&writer) }
                    }
                }
            },
            .method("GetAll", in: ["interface_name": "s"], out: ["properties": "a{sv}"]) { object, call in
                let owners = try object.interfaces(named: try call.arguments(as: NameArgument.self).text)
                object.runAfterCalls(of: call.peer, to: owners[...]) {
                    let size = owners.reduce(0) { sum, owner in
                        owner.propertyNames.reduce(sum) { $0 + owner.propertySize($1) }
                    }
                    object.tree.answerPropertyRead(call, size: size, stamp: { owners.reduce(0) { $0 &+ $1.stamp } }) {
                        let values = owners.map { $0.values(of: $0.propertyNames, for: call.peer) }
                        return { writer in
                            writer.array { entries in for values in values { values.append(to: &entries) } }
                        }
                    }
                }
            },
            .method("Set", in: ["interface_name": "s", "property_name": "s", "value": "v"]) { object, call in
                try call.message.read { (reader) throws(DBusError) in
                    let (interface, name) = (try NameArgument(from: &reader), try NameArgument(from: &reader))
                    let owner = try object.owner(of: name.text, in: interface.text)
                    try owner.checkAndSetProperty(name.text, from: &reader, for: call)
                }
                call.reply()
            },
            .signal(propertiesChanged),
        ])

    static let propertiesChanged = Signal(
        "PropertiesChanged",
        ["interface_name": "s", "changed_properties": "a{sv}", "invalidated_properties": "as"])

    /// Returns the interfaces that match a name; the empty name matches all.
    private func interfaces(named name: String) throws(DBusError) -> [any BoundInterface] {
        guard !name.isEmpty else { return interfaces }
        guard let interface = interfaces.first(where: { $0.name == name }) else {
            throw DBusError(.unknownInterface, "the object at \(path.text.quoted) has no interface \(name.quoted)")
        }
        return [interface]
    }

    private func runAfterCalls(
        of peer: Peer, to owners: ArraySlice<any BoundInterface>, _ read: @escaping @DBusActor () -> Void
    ) {
        guard let first = owners.first else { return read() }
        first.runAfterCalls(of: peer) { runAfterCalls(of: peer, to: owners.dropFirst(), read) }
    }

    private func owner(of property: String, in interface: String) throws(DBusError) -> any BoundInterface {
        for owner in try interfaces(named: interface) where owner.describeProperty(property) != nil { return owner }
        throw DBusError(.unknownProperty, "\(interface.quoted) has no property \(property.quoted)")
    }
}

extension BoundInterface {
    /// Reads those of the named properties that the peer may read. A property that cannot be read is omitted, so that
    /// the others are delivered.
    func values(of names: [String], for peer: Peer?) -> PropertyValues {
        PropertyValues(
            names.filter { isPropertyVisible($0, to: peer) }.compactMap { name in
                (try? property(name, for: peer)).map { (name, $0) }
            })
    }

    fileprivate func checkAndSetProperty(
        _ name: String, from reader: inout MessageReader, for call: Call
    ) throws(DBusError) {
        guard let property = describeProperty(name), property.isWritable else {
            throw DBusError(.propertyReadOnly, "property \(name.quoted) cannot be written")
        }
        guard isPropertyVisible(name, to: call.peer) else {
            throw .accessDenied("you may not write the property \(name.quoted)")
        }
        try checkSettingProperty(name, for: call)
        try reader.variant { (inside) throws(DBusError) in
            let found = inside.nextSignature
            guard found == property.signature else {
                throw .invalidArgs(
                    "property \(name.quoted) has type \(property.signature.text.quoted), not \(found.text.quoted)")
            }
            try setProperty(name, from: &inside, for: call)
        }
    }
}
