// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

extension ContentLoss.Reason: WireCodable {}

extension ContentLoss: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(reason, count, objectID, key) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            reason: try reader.read(), count: try reader.readIndex(), objectID: try reader.read(),
            key: try reader.read())
    }
}

extension DroppedDuplicates: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(count, ids) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(count: try reader.readIndex(), ids: try reader.read())
    }
}

extension LargeRemoval: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(objects, total) }

    init(from reader: inout WireReader) throws(WireError) {
        guard let removal = Self(objects: try reader.readIndex(), total: try reader.readIndex()) else {
            throw WireError("the counts of a large removal are invalid")
        }
        self = removal
    }
}

extension PlacedItem: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, objectID, index, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            section: try reader.readIndex(), objectID: try reader.read(), index: try reader.readIndex(),
            item: try reader.read())
    }
}

extension AdapterAnswer: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .revision(let revision, let dropped, let isRefused, let removed):
            writer.write(0 as UInt8, revision, dropped, isRefused, removed)
        case .objects(let revision, let total, let objects): writer.write(1 as UInt8, revision, total, objects)
        case .object(let revision, let section, let object): writer.write(2 as UInt8, revision, section, object)
        case .items(let revision, let next, let items): writer.write(3 as UInt8, revision, next, items)
        case .changes(let revision, let transactions): writer.write(4 as UInt8, revision, transactions)
        // The list itself knows its revision and counts.
        case .opened: writer.write(5 as UInt8)
        case .sequence(let sequence): writer.write(6 as UInt8, sequence)
        case .scrolled(let offset, let sequence): writer.write(7 as UInt8, offset, sequence)
        case .flag(let flag): writer.write(8 as UInt8, flag)
        case .picture(let picture, _): writer.write(9 as UInt8, picture)
        case .text(let text): writer.write(10 as UInt8, text)
        case .done: writer.write(11 as UInt8)
        case .itemCounts(let revision, let counts): writer.write(12 as UInt8, revision, counts)
        case .selection(let selected, let deselected): writer.write(13 as UInt8, selected, deselected)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0:
            self = .revision(
                try reader.read(), droppedDuplicates: try reader.read(), isRefused: try reader.read(),
                removed: try reader.read())
        case 1: self = .objects(revision: try reader.read(), total: try reader.readIndex(), try reader.read())
        case 2: self = .object(revision: try reader.read(), section: try reader.readIndex(), try reader.read())
        case 3: self = .items(revision: try reader.read(), next: try reader.readIndex(), try reader.read())
        case 4: self = .changes(revision: try reader.read(), try reader.read())
        case 5: self = .opened(AdapterStatus())
        case 6: self = .sequence(try reader.readSequence())
        case 7: self = .scrolled(offset: try reader.read(), sequence: try reader.readSequence())
        case 8: self = .flag(try reader.read())
        case 9: self = .picture(try reader.read(), of: AdapterStatus())
        case 10: self = .text(try reader.read())
        case 11: self = .done
        case 12: self = .itemCounts(revision: try reader.read(), try reader.read())
        case 13: self = .selection(selected: try reader.read(), deselected: try reader.read())
        case let kind: throw WireError("an answer has the unknown kind \(kind)")
        }
    }
}
