// SPDX-License-Identifier: Apache-2.0

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
