@_spi(Daemon) internal import ListKit

// What the objects of a list become, and what their presentation in a worker makes of it.

extension Ticket: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(number) }
    init(from reader: inout WireReader) throws(WireError) { self.init(number: try reader.read()) }
}

extension SectionChanges: WireCodable {
    /// Without the list that they lead to: whoever reads them has the one before.
    func write(to writer: inout WireWriter) {
        writer.write(deletes, inserts.map(\.new), inserts.map(\.object), moves.map(\.old), moves.map(\.new))
        writer.write(updates.map(\.old), updates.map(\.object))
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        deletes = try reader.positions()
        inserts = try SectionChanges.pairs(try reader.positions(), try reader.read()).map { (new: $0, object: $1) }
        moves = try SectionChanges.pairs(try reader.positions(), try reader.positions()).map { (old: $0, new: $1) }
        updates = try SectionChanges.pairs(try reader.positions(), try reader.read()).map { (old: $0, object: $1) }
    }

    private static func pairs<Other>(_ positions: [Int], _ others: [Other]) throws(WireError) -> [(Int, Other)] {
        guard positions.count == others.count else {
            throw WireError("\(positions.count) positions of \(others.count) sections")
        }
        return Array(zip(positions, others))
    }
}

extension WireReader {
    /// Positions in a list.
    fileprivate mutating func positions() throws(WireError) -> [Int] {
        let count = try count()
        var positions: [Int] = []
        positions.reserveCapacity(room(for: count, of: Int.self))
        for _ in 0..<count { positions.append(try index()) }
        return positions
    }
}

extension ObjectUpdate: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(changes, forced, rebuildsControllers, relaysOut, animated, configuration, through)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        changes = try reader.read()
        forced = try reader.read()
        rebuildsControllers = try reader.read()
        relaysOut = try reader.read()
        animated = try reader.read()
        configuration = try reader.read()
        through = try reader.read()
    }
}

extension Presented: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(transaction, events, itemCount) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(transaction: try reader.read(), events: try reader.read(), itemCount: try reader.read())
        guard itemCount >= 0 else { throw WireError("\(itemCount) items") }
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
        case .refused: writer.write(0 as UInt8)
        case .error(let error): writer.write(1 as UInt8, error)
        case .section(let from, let to): writer.write(2 as UInt8, from, to)
        case .object(let object): writer.write(3 as UInt8, object)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.byte() {
        case 0: self = .refused
        case 1: self = .error(try reader.read())
        case 2: self = .section(from: try reader.index(), to: try reader.index())
        case 3: self = .object(try reader.read())
        default: throw WireError("a verdict")
        }
    }
}
