// SPDX-License-Identifier: Apache-2.0

/// The values of some properties at one moment, to be written on any thread.
struct PropertyValues: Sendable {
    private let entries: [(name: String, write: PropertyWriter)]

    init(_ entries: [(name: String, write: PropertyWriter)]) { self.entries = entries }

    /// Appends the entries of an `a{sv}`.
    func append(to entries: inout MessageWriter) {
        for (name, write) in self.entries {
            entries.dictionaryEntry { entry in
                entry.append(name)
                write(&entry)
            }
        }
    }
}

/// The interfaces of an object with the values of their properties, to be written on any thread.
struct ObjectValues: Sendable {
    private let interfaces: [(name: String, values: PropertyValues)]
    /// The approximate length of the values in bytes, if they are not small.
    let size: Int

    /// Reads the properties that the peer may read; a nil peer stands for all.
    @DBusActor
    init(of object: ExportedObject, for peer: Peer?) {
        interfaces = object.interfaces.map { ($0.name, $0.values($0.propertyNames, for: peer)) }
        size = object.interfaces.reduce(0) { sum, interface in
            interface.propertyNames.reduce(sum) { $0 + interface.propertySize($1) }
        }
    }

    /// Appends them as `a{sa{sv}}`.
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
