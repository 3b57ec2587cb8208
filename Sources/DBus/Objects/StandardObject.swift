// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// The standard interfaces of D-Bus, which every node of a tree has in addition to its own.
@DBusActor
struct StandardObject {
    let tree: ObjectTree
    let path: ObjectPath
    /// The node's own interfaces.
    let own: [any BoundInterface]

    /// Returns the standard interfaces of a node.
    static func exported(tree: ObjectTree, path: ObjectPath, own: [any BoundInterface]) -> ExportedObject {
        let object = StandardObject(tree: tree, path: path, own: own)
        let exported = ExportedObject(introspectable, of: object).and(properties, of: object).and(peer, of: object)
        return tree.isManager(path) ? exported.and(objectManager, of: object) : exported
    }

    private var interfaces: [any BoundInterface] {
        own + StandardObject.exported(tree: tree, path: path, own: own).interfaces
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
            .function("GetMachineId", out: "machine_uuid") { (_, _) in try machineID() },
        ])

    /// Reads the id of the machine (machine-id(5)).
    private static func machineID() throws(DBusError) -> String {
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

/// A writer of introspection data (D-Bus specification, "Introspection Data Format").
struct IntrospectionWriter {
    private(set) var text = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>

        """

    /// Appends an interface, with the members in the order of its table.
    mutating func write<Object>(_ interface: Interface<Object>) {
        text += " <interface name=\"\(interface.name)\">\n"
        for member in interface.members {
            switch member {
            case .method(let method): write(method)
            case .property(let property): write(property)
            case .signal(let signal): write(signal)
            }
        }
        write(interface.annotations, indent: "  ")
        text += " </interface>\n"
    }

    /// Appends the names of the child nodes.
    mutating func write(children: [String]) {
        for child in children { text += " <node name=\"\(IntrospectionWriter.escape(child))\"/>\n" }
    }

    mutating func finish() -> String {
        text += "</node>\n"
        return text
    }

    private mutating func write<Object>(_ method: Method<Object>) {
        text += "  <method name=\"\(method.name)\""
        guard !(method.inputs.list.isEmpty && method.outputs.list.isEmpty && method.annotations.list.isEmpty) else {
            text += "/>\n"
            return
        }
        text += ">\n"
        write(method.inputs, direction: "in")
        write(method.outputs, direction: "out")
        write(method.annotations, indent: "   ")
        text += "  </method>\n"
    }

    private mutating func write(_ signal: Signal) {
        text += "  <signal name=\"\(signal.name)\""
        guard !(signal.arguments.list.isEmpty && signal.annotations.list.isEmpty) else {
            text += "/>\n"
            return
        }
        text += ">\n"
        write(signal.arguments, direction: nil)
        write(signal.annotations, indent: "   ")
        text += "  </signal>\n"
    }

    /// Appends a property. `EmitsChangedSignal` is omitted when it is `true`, the default of the specification.
    private mutating func write<Object>(_ property: Property<Object>) {
        let access = property.set == nil ? "read" : "readwrite"
        text += "  <property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\""
        guard property.changes != .emits || !property.annotations.list.isEmpty else {
            text += "/>\n"
            return
        }
        text += ">\n"
        if property.changes != .emits {
            write("org.freedesktop.DBus.Property.EmitsChangedSignal", property.changes.rawValue, indent: "   ")
        }
        write(property.annotations, indent: "   ")
        text += "  </property>\n"
    }

    private mutating func write(_ arguments: Arguments, direction: String?) {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        for argument in arguments.list {
            let name = IntrospectionWriter.escape(argument.name)
            text += "   <arg name=\"\(name)\" type=\"\(argument.signature)\"\(direction)/>\n"
        }
    }

    private mutating func write(_ annotations: Annotations, indent: String) {
        for (name, value) in annotations.list { write(name, value, indent: indent) }
    }

    private mutating func write(_ name: String, _ value: String, indent: String) {
        text += "\(indent)<annotation name=\"\(IntrospectionWriter.escape(name))\""
        text += " value=\"\(IntrospectionWriter.escape(value))\"/>\n"
    }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

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
                let managed = ManagedObjects(of: object.tree.objects(managedAt: object.path), for: call)
                object.tree.answer(call, with: managed)
            },
            .signal(interfacesAdded),
            .signal(interfacesRemoved),
        ])
}
