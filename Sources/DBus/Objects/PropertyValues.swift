// SPDX-License-Identifier: Apache-2.0

/// A snapshot of property values that can be written on any thread.
struct PropertyValues: Sendable {
    private let entries: [(name: String, write: PropertyWriter)]

    init(_ entries: [(name: String, write: PropertyWriter)]) { self.entries = entries }

    /// Appends the values as entries of an `a{sv}`.
    func append(to entries: inout MessageWriter) {
        for (name, write) in self.entries {
            entries.dictionaryEntry { entry in
                entry.append(name)
                write(&entry)
            }
        }
    }
}

/// A snapshot of an object's interfaces and property values that can be written on any thread.
struct ObjectValues: Sendable {
    private let interfaces: [(name: String, values: PropertyValues)]
    /// The approximate length of the large values in bytes; 0 if all values are small.
    let size: Int

    /// Reads the properties that a peer may read. A nil peer stands for all peers.
    @DBusActor
    init(of object: ExportedObject, for peer: Peer?) {
        interfaces = object.interfaces.map { ($0.name, $0.values(of: $0.propertyNames, for: peer)) }
        size = object.interfaces.reduce(0) { sum, interface in
            interface.propertyNames.reduce(sum) { $0 + interface.propertySize($1) }
        }
    }

    /// Appends the interfaces as `a{sa{sv}}`.
    func append(to writer: inout MessageWriter) {
        writer.array { entries in
            for (name, values) in interfaces {
                entries.dictionaryEntry { entry in
                    entry.append(name)
                    entry.array { properties in values.append(to: &properties) }
                }
            }
        }
    }
}
