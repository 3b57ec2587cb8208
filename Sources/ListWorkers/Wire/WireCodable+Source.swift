// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSources
internal import ListSupport
@_spi(Daemon) internal import PluginAPI

extension SourceEvent: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .replace(let objects): writer.write(0 as UInt8, objects)
        case .changes(let removed, let upserts): writer.write(1 as UInt8, removed, upserts)
        case .failed(let error): writer.write(2 as UInt8, error)
        case .ready: writer.write(3 as UInt8)
        case .paused: writer.write(4 as UInt8)
        case .fault(let error): writer.write(5 as UInt8, error)
        case .replacementBegan: writer.write(6 as UInt8)
        case .page(let objects): writer.write(7 as UInt8, objects)
        case .replacementEnded: writer.write(8 as UInt8)
        case .replacementAbandoned: writer.write(9 as UInt8)
        case .upTo(let progress, let event): writer.write(10 as UInt8, progress, event)
        case .written(let id, let error): writer.write(11 as UInt8, id, error)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.readByte()
        guard kind == 10 else {
            self = try Self.read(kind, from: &reader)
            return
        }
        let progress: DataSourceProgress = try reader.read()
        // The inner event must not have a progress itself, so that bytes cannot nest without end.
        self = .upTo(progress, try Self.read(try reader.readByte(), from: &reader))
    }

    private static func read(_ kind: UInt8, from reader: inout WireReader) throws(WireError) -> SourceEvent {
        switch kind {
        case 0: .replace(try reader.read())
        case 1: .changes(removed: try reader.read(), upserts: try reader.read())
        case 2: .failed(try reader.read())
        case 3: .ready
        case 4: .paused
        case 5: .fault(try reader.read())
        case 6: .replacementBegan
        case 7: .page(try reader.read())
        case 8: .replacementEnded
        case 9: .replacementAbandoned
        case 11: .written(try reader.read(), try reader.read())
        default: throw WireError("a source event has the unknown kind \(kind)")
        }
    }
}

extension DataSourceProgress: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(WireBytes(cursor), position, synced) }

    init(from reader: inout WireReader) throws(WireError) {
        let cursor: WireBytes = try reader.read()
        self.init(cursor: cursor.bytes, position: try reader.read(), synced: try reader.read())
    }
}

extension DataSourceTraits: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(acceptsWrites) }
    init(from reader: inout WireReader) throws(WireError) { self.init(acceptsWrites: try reader.read()) }
}

extension DataSourceWrite: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(id, isConditional, WireBytes(cursor), user)
        switch operation {
        case .replace(let objects): writer.write(0 as UInt8, objects)
        case .changes(let removed, let upserts): writer.write(1 as UInt8, removed, upserts)
        case .move(let id, let position): writer.write(2 as UInt8, id, position)
        case .patch(let id, let set, let unset): writer.write(3 as UInt8, id, set, unset)
        @unknown default: break  // listd makes no other operations
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        let (id, isConditional): (UInt64, Bool) = (try reader.read(), try reader.read())
        let cursor: WireBytes = try reader.read()
        let user: UInt32 = try reader.read()
        let operation: Operation
        switch try reader.readByte() {
        case 0: operation = .replace(try reader.read())
        case 1: operation = .changes(removed: try reader.read(), upserts: try reader.read())
        case 2: operation = .move(id: try reader.read(), position: try reader.read())
        case 3: operation = .patch(id: try reader.read(), set: try reader.read(), unset: try reader.read())
        case let kind: throw WireError("a write has the unknown kind \(kind)")
        }
        self.init(id: id, operation: operation, isConditional: isConditional, cursor: cursor.bytes, user: user)
    }
}

/// An optional array of bytes that is copied as a block, instead of byte by byte.
private struct WireBytes: WireCodable {
    let bytes: [UInt8]?

    init(_ bytes: [UInt8]?) { self.bytes = bytes }

    func write(to writer: inout WireWriter) {
        writer.write(bytes != nil)
        if let bytes { writer.append(block: bytes.span) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        bytes =
            try Bool(from: &reader)
            ? try reader.readBlock { (span) throws(WireError) in [UInt8](copying: span) } : nil
    }
}

extension FieldHint: WireCodable {}
