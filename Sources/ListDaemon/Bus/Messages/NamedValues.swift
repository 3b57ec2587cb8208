// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// Values by name, written as an `a{sv}` in the given order.
struct NamedValues: DBusEncodable, Sendable {
    private var entries: [(name: String, value: DBusValue)]

    /// Makes a list of values. No name may be contained twice.
    init(_ entries: [(name: String, value: DBusValue)]) { self.entries = entries }

    static var signature: Signature { [String: DBusValue].signature }

    /// Appends a value.
    mutating func append(_ name: String, _ value: DBusValue) { entries.append((name, value)) }

    func encode(to writer: inout MessageWriter) {
        writer.array { inside in
            for (name, value) in entries {
                inside.dictionaryEntry { entry in
                    entry.append(name)
                    value.encode(to: &entry)
                }
            }
        }
    }
}
