// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit

// The canonical encoding is copied into a message value by value, without an intermediate tree.

extension MessageWriter {
    /// Appends fields as `a{sv}`.
    mutating func append(_ fields: Fields) {
        array { entries in
            fields.visitEntries { key, type, value, text in
                entries.dictionaryEntry { members in
                    members.append(utf8: key)
                    members.variant(type: type) { variant in
                        if let text { return variant.append(utf8: text) }
                        var value = value
                        variant.appendAll(of: &value)
                    }
                }
            }
        }
    }

    /// Appends options as `a{sv}`.
    mutating func append(options: [String: Value]) {
        do throws(ListError) { append(try Fields(options)) } catch { fail(error.dbusError) }
    }

    private mutating func appendAll(of reader: inout FieldsReader) {
        while let element = reader.next() { append(element) }
    }

    private mutating func append(_ element: FieldsReader.Element) {
        switch element {
        case .byte(let value): append(value)
        case .boolean(let value): append(value)
        case .int16(let value): append(value)
        case .uint16(let value): append(value)
        case .int32(let value): append(value)
        case .uint32(let value): append(value)
        case .int64(let value): append(value)
        case .uint64(let value): append(value)
        case .double(let value): append(value)
        case .string(let text): text.withBytes { append(utf8: $0) }
        case .objectPath(let text): appendChecked { () throws(DBusError) in try ObjectPath(text.string) }
        case .signature(let text): appendChecked { () throws(DBusError) in try Signature(text.string) }
        case .variant(let type, var inside):
            type.withBytes { type in variant(type: type) { $0.appendAll(of: &inside) } }
        case .array(_, var inside): array { $0.appendAll(of: &inside) }
        case .dictionaryEntry(var inside): dictionaryEntry { $0.appendAll(of: &inside) }
        case .structure(var inside): structure { $0.appendAll(of: &inside) }
        }
    }

    private mutating func appendChecked(_ make: () throws(DBusError) -> ObjectPath) {
        do throws(DBusError) { append(try make()) } catch { fail(error) }
    }

    private mutating func appendChecked(_ make: () throws(DBusError) -> Signature) {
        do throws(DBusError) { append(try make()) } catch { fail(error) }
    }
}
