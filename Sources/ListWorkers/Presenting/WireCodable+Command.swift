// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

extension ItemQuery: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .items(let first, let count, let bytes, let fields): writer.write(0 as UInt8, first, count, bytes, fields)
        case .itemCounts(let first, let limit): writer.write(1 as UInt8, first, limit)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0:
            self = .items(
                firstSection: try reader.read(), sectionCount: try reader.read(), byteLimit: try reader.read(),
                fields: try reader.read())
        case 1: self = .itemCounts(firstSection: try reader.read(), limit: try reader.read())
        case let kind: throw WireError("a query has the unknown kind \(kind)")
        }
    }
}

extension ScrollPhase: WireCodable {}

extension ViewCommand: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .setViewport(let seen, let rect, let growth): writer.write(0 as UInt8, seen, rect, growth)
        case .setVisibleRange(let seen, let first, let last, let growth, let missed):
            writer.write(1 as UInt8, seen, first, last, growth, missed)
        case .scrollTo(let id, let item, let position): writer.write(2 as UInt8, id, item, position)
        case .reportSizes(let sizes): writer.write(3 as UInt8, sizes)
        case .select(let id, let item, let flag): writer.write(4 as UInt8, id, item, flag)
        case .setHighlighted(let id, let item, let flag): writer.write(5 as UInt8, id, item, flag)
        case .acknowledge(let sequence): writer.write(6 as UInt8, sequence)
        case .resync: writer.write(7 as UInt8)
        case .close: writer.write(8 as UInt8)
        case .changeSelection(let select, let deselect): writer.write(9 as UInt8, select, deselect)
        case .invoke(let id, let item, let action, let parameters):
            writer.write(20 as UInt8, id, item, action, parameters)
        case .reportScroll(let phase): writer.write(10 as UInt8, phase)
        case .setOnScreen(let isOnScreen): writer.write(11 as UInt8, isOnScreen)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .setViewport(seen: try reader.read(), try reader.read(), growth: try reader.read())
        case 1:
            self = .setVisibleRange(
                seen: try reader.read(), first: try reader.read(), last: try reader.read(),
                growth: try reader.read(), missed: try reader.read())
        case 2: self = .scrollTo(id: try reader.read(), item: try reader.read(), try reader.read())
        case 3: self = .reportSizes(try reader.read())
        case 4: self = .select(id: try reader.read(), item: try reader.read(), try reader.read())
        case 5: self = .setHighlighted(id: try reader.read(), item: try reader.read(), try reader.read())
        case 6: self = .acknowledge(sequence: try reader.read())
        case 7: self = .resync
        case 8: self = .close
        case 9: self = .changeSelection(select: try reader.read(), deselect: try reader.read())
        case 20:
            self = .invoke(
                id: try reader.read(), item: try reader.read(), action: try reader.read(),
                parameters: try reader.read())
        case 10: self = .reportScroll(try reader.read())
        case 11: self = .setOnScreen(try reader.read())
        case let kind: throw WireError("a view command has the unknown kind \(kind)")
        }
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

extension PresenterAnswer: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .items(let next, let items): writer.write(0 as UInt8, next, items)
        case .itemCounts(let counts): writer.write(1 as UInt8, counts)
        case .sequence(let sequence): writer.write(2 as UInt8, sequence)
        case .scrolled(let offset, let sequence): writer.write(3 as UInt8, offset, sequence)
        case .flag(let flag): writer.write(4 as UInt8, flag)
        case .selection(let selected, let deselected): writer.write(5 as UInt8, selected, deselected)
        case .picture(let picture): writer.write(6 as UInt8, picture)
        case .done: writer.write(7 as UInt8)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .items(next: try reader.readIndex(), try reader.read())
        case 1: self = .itemCounts(try reader.read())
        case 2: self = .sequence(try reader.readSequence())
        case 3: self = .scrolled(offset: try reader.read(), sequence: try reader.readSequence())
        case 4: self = .flag(try reader.read())
        case 5: self = .selection(selected: try reader.read(), deselected: try reader.read())
        case 6: self = .picture(try reader.read())
        case 7: self = .done
        case let kind: throw WireError("an answer has the unknown kind \(kind)")
        }
    }
}

extension SectionControllerTable: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(option) }

    /// Reads only the names. The process that has the plugin looks them up
    /// (`WorkerRuntime.resolveControllers(of:_:_:)`).
    init(from reader: inout WireReader) throws(WireError) { self.init(naming: try reader.read()) }
}
