// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

// The results of a presentation, and the moves of items that section controllers decide.

extension Ticket: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(number) }
    init(from reader: inout WireReader) throws(WireError) { self.init(number: try reader.read()) }
}

extension Announcement: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(events, itemCount, isFlat, views.map(\.view), views.map(\.description), selection, losses)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(events: try reader.read(), itemCount: try reader.read(), isFlat: try reader.read())
        guard itemCount >= 0 else { throw WireError("the number of items is negative: \(itemCount)") }
        let (ids, descriptions): ([ViewID], [ViewDescription]) = (try reader.read(), try reader.read())
        guard ids.count == descriptions.count else {
            throw WireError("there are \(descriptions.count) states of \(ids.count) views")
        }
        views = Array(zip(ids, descriptions))
        (selection, losses) = (try reader.read(), try reader.read())
    }
}

extension SelectedItems: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(Array(self)) }

    init(from reader: inout WireReader) throws(WireError) {
        let items: [SelectedItem] = try reader.read()
        self.init(items)
    }
}

extension ItemMoveRequest: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(id, from, to, animated) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            id: try reader.read(), from: try reader.read(), to: try reader.read(), animated: try reader.read())
    }
}

extension ItemMoveVerdict: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        // A worker moves the item itself, before it reports.
        case .refused, .controller: writer.write(0 as UInt8)
        case .error(let error): writer.write(1 as UInt8, error)
        case .section(let from, let to): writer.write(2 as UInt8, from, to)
        case .object(let object): writer.write(3 as UInt8, object)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .refused
        case 1: self = .error(try reader.read())
        case 2: self = .section(from: try reader.readIndex(), to: try reader.readIndex())
        case 3: self = .object(try reader.read())
        case let verdict: throw WireError("the verdict \(verdict) about a move is unknown")
        }
    }
}

extension ContentLoss.Reason: WireCodable {}

extension ContentLoss: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(reason, count, objectID, key) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            reason: try reader.read(), count: try reader.readIndex(), objectID: try reader.read(),
            key: try reader.read())
    }
}
