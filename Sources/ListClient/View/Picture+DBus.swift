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
        let details = try PictureDetails(from: &reader)
        (shift, isAnimated, causes) = (details.shift, details.isAnimated, details.causes)
        (sticky, stickyEdge) = (details.sticky, details.stickyEdge)
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
        let (sequence, revision) = (try reader.readUInt64(), try reader.readUInt64())
        let (size, offset) = (try Extent(reading: &reader), try Position(reading: &reader))
        let shown = try [Shown](from: &reader)
        let details = try PictureDetails(from: &reader)
        self.init(
            sequence: sequence, revision: revision, contentSize: size, offset: offset, shown: shown,
            shift: details.shift, sticky: details.sticky, stickyEdge: details.stickyEdge)
    }
}

/// The details of `Changed` and of the answer of `Resync`. Keys that are not known are ignored.
private struct PictureDetails {
    var shift = Position(x: 0, y: 0)
    var isAnimated = false
    var causes: [PictureChange.Cause] = []
    var sticky: [UInt32: Picture.Sticky] = [:]
    var stickyEdge = 0.0

    init(from reader: inout MessageReader) throws(DBusError) {
        for (name, value) in try [String: DBusValue](from: &reader) {
            switch (name, value.unwrapped) {
            case ("shift", .structure(let members)):
                guard members.count == 2, case .double(let x) = members[0], case .double(let y) = members[1] else {
                    continue
                }
                shift = Position(x: x, y: y)
            case ("animated", .boolean(let flag)): isAnimated = flag
            case ("causes", .array(_, let rows)):
                causes = rows.compactMap { row in
                    guard case .structure(let members) = row, members.count == 2, case .uint32(let slot) = members[0],
                        case .byte(let reason) = members[1]
                    else { return nil }
                    return PictureChange.Cause(slot: slot, reason: .init(rawValue: reason) ?? .moved)
                }
            case ("sticky", .array(_, let rows)):
                for case .structure(let members) in rows {
                    guard members.count == 3, case .uint32(let slot) = members[0], case .double(let first) = members[1],
                        case .double(let last) = members[2]
                    else { continue }
                    sticky[slot] = Picture.Sticky(first: first, last: last)
                }
            case ("sticky-edge", .double(let distance)): stickyEdge = distance
            default: continue
            }
        }
    }
}
