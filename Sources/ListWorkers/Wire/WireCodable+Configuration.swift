// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
internal import ListKit

extension UpdateRequest.Upsert: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(object, position) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.read(), position: try reader.read())
    }
}

extension UpdateRequest.Position: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .keep: writer.write(0 as UInt8)
        case .first: writer.write(1 as UInt8)
        case .last: writer.write(2 as UInt8)
        case .before(let id): writer.write(3 as UInt8, id)
        case .after(let id): writer.write(4 as UInt8, id)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .keep
        case 1: self = .first
        case 2: self = .last
        case 3: self = .before(try reader.read())
        case 4: self = .after(try reader.read())
        case let kind: throw WireError("a position has the unknown kind \(kind)")
        }
    }
}

extension ListOptions.Updater: WireCodable {}
extension ListOptions.Emptiness: WireCodable {}

extension ListOptions.Coalescing: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(minimum, maximum, increment, usesMaximumWhenNotVisible)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            minimum: try reader.read(), maximum: try reader.read(), increment: try reader.read(),
            usesMaximumWhenNotVisible: try reader.read())
    }
}

extension LayoutConfiguration: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(direction, stickyHeaders, topContentInset, stickyHeaderOffset, stretchToEdge)
        writer.write(showHeaderWhenEmpty, contentInset, scale)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            direction: try reader.read(), stickyHeaders: try reader.read(), topContentInset: try reader.read(),
            stickyHeaderOffset: try reader.read(), stretchToEdge: try reader.read(),
            showHeaderWhenEmpty: try reader.read(), contentInset: try reader.read(), scale: try reader.read())
    }
}

extension ListOptions: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(name, layout, layoutConfiguration, workingRange, updater, reloadThreshold)
        writer.write(sectionMovesAsDeletesInserts)
        writer.write(preferItemReloads, singleItemSectionUpdates, minimalMoves, coalescing, backgroundDiffThreshold)
        writer.write(emptyContent, emptiness, nearEndDistance, deselectsAutomatically)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(name: try reader.read())
        layout = try reader.read()
        layoutConfiguration = try reader.read()
        workingRange = try reader.read()
        updater = try reader.read()
        reloadThreshold = try reader.read()
        sectionMovesAsDeletesInserts = try reader.read()
        preferItemReloads = try reader.read()
        singleItemSectionUpdates = try reader.read()
        minimalMoves = try reader.read()
        coalescing = try reader.read()
        backgroundDiffThreshold = try reader.read()
        emptyContent = try reader.read()
        emptiness = try reader.read()
        nearEndDistance = try reader.read()
        deselectsAutomatically = try reader.read()
    }
}
