// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

// The visible items of views without a layout, and the changes of the list that their viewers have not seen yet.

extension ListViewOpening: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(objectID, item, position) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(objectID: try reader.read(), item: try reader.readIndex(), position: try reader.read())
    }
}

extension VisibleItems: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(first, length) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(first: try reader.read(), length: try reader.read())
        guard first.section >= 0, first.item >= 0, length > 0, length <= Self.mostItems else {
            throw WireError("the range of visible items is invalid")
        }
    }

    /// More items than a list with the maximum number of sections and items can have.
    private static let mostItems = Int(UInt32.max) << 20
}

extension PositionMap.Run: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(old, new, length) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(old: try reader.read(), new: try reader.read(), length: try reader.read())
    }
}

extension PositionMap: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(oldCount, newCount, runs) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(oldCount: try reader.read(), newCount: try reader.read(), runs: try reader.read())
    }
}

extension PathForwarding: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(sections, items, goneItemCounts) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(sections: try reader.read(), items: try reader.read(), goneItemCounts: try reader.read())
    }
}

extension PictureHistory.Span: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(sequence, changes) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(sequence: try reader.readSequence(), changes: try reader.read())
    }
}
