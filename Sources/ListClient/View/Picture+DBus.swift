// SPDX-License-Identifier: Apache-2.0

public import DBus

extension Extent {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Extent(width: try inside.readDouble(), height: try inside.readDouble())
        }
    }
}

extension Position {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Position(x: try inside.readDouble(), y: try inside.readDouble())
        }
    }
}

extension Frame {
    init(reading reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Frame(
                x: try inside.readDouble(), y: try inside.readDouble(), width: try inside.readDouble(),
                height: try inside.readDouble())
        }
    }
}

extension Picture.Shown: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(usuuss(dddd)xa{sv})" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            Picture.Shown(
                slot: try inside.readUInt32(), objectID: try inside.readString(), section: try inside.readUInt32(),
                item: try inside.readUInt32(), kind: try inside.readString(),
                reuseIdentifier: try inside.readString(), frame: try Frame(reading: &inside),
                z: try inside.readInt64(), content: try Content(from: &inside))
        }
    }
}

extension PictureChange.Placed: DBusDecodable {
    /// The type of the value on the wire.
    public static var signature: Signature { "(uuu(dddd)x)" }

    /// Reads a value from a message.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.structure { (inside) throws(DBusError) in
            PictureChange.Placed(
                slot: try inside.readUInt32(), section: try inside.readUInt32(), item: try inside.readUInt32(),
                frame: try Frame(reading: &inside), z: try inside.readInt64())
        }
    }
}

extension PictureChange {
    /// Reads the body of a `Changed` signal.
    public init(signal reader: inout MessageReader) throws(DBusError) {
        self.init(
            sequence: try reader.readUInt64(), revision: try reader.readUInt64(),
            contentSize: try Extent(reading: &reader), offset: try Position(reading: &reader),
            released: try [UInt32](from: &reader), shown: try [Picture.Shown](from: &reader),
            placed: try [Placed](from: &reader), rebound: try [Rebound](from: &reader).map { ($0.slot, $0.content) })
    }

    private struct Rebound: DBusDecodable {
        static var signature: Signature { "(ua{sv})" }
        var slot: UInt32
        var content: Content

        init(from reader: inout MessageReader) throws(DBusError) {
            (slot, content) = try reader.structure { (inside) throws(DBusError) in
                (try inside.readUInt32(), try Content(from: &inside))
            }
        }
    }
}

extension Picture {
    /// Reads the answer of `Resync`.
    public init(resync reader: inout MessageReader) throws(DBusError) {
        self.init(
            sequence: try reader.readUInt64(), revision: try reader.readUInt64(),
            contentSize: try Extent(reading: &reader), offset: try Position(reading: &reader),
            shown: try [Shown](from: &reader))
    }
}
