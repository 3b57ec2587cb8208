// SPDX-License-Identifier: Apache-2.0

internal import ListKit

extension IndexRun: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(first, length) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(first: try reader.read(), length: try reader.read())
    }
}

extension IndexMove: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(old, new) }
    init(from reader: inout WireReader) throws(WireError) { self.init(old: try reader.read(), new: try reader.read()) }
}

extension ItemPlace: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(section: try reader.read(), item: try reader.read())
    }
}

extension ItemMove: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(old, new) }
    init(from reader: inout WireReader) throws(WireError) { self.init(old: try reader.read(), new: try reader.read()) }
}

extension SectionBatch: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(deletes, inserts, moves, reloads) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        deletes = try reader.read()
        inserts = try reader.read()
        moves = try reader.read()
        reloads = try reader.read()
    }
}

extension ItemBatch: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(deletes, inserts, moves, reloads) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        deletes = try reader.read()
        inserts = try reader.read()
        moves = try reader.read()
        reloads = try reader.read()
    }
}

extension Transaction.Kind: WireCodable {}

extension Transaction: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(baseRevision, revision, kind, animated, sectionCount, itemCount, sections, items)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            baseRevision: try reader.read(), revision: try reader.read(), kind: try reader.read(),
            animated: try reader.read(), sectionCount: try reader.readIndex(), itemCount: try reader.read(),
            sections: try reader.read(), items: try reader.read())
    }
}
