// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

extension ExactText: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(text) }
    init(from reader: inout WireReader) throws(WireError) { self.init(try String(from: &reader)) }
}

extension Fields: WireCodable {
    func write(to writer: inout WireWriter) { withBytes { writer.append(block: $0) } }

    init(from reader: inout WireReader) throws(WireError) {
        self = try reader.readBlock { (bytes) throws(WireError) in
            do throws(ListError) { return try Fields(validating: bytes) } catch { throw WireError(error.message) }
        }
    }
}

extension ListObject: WireCodable {
    func write(to writer: inout WireWriter) {
        withIDBytes { writer.append(block: $0) }
        writer.write(type, fields)
    }

    init(from reader: inout WireReader) throws(WireError) {
        let (id, type): (String, String) = (try reader.read(), try reader.read())
        let fields: Fields = try reader.read()
        do throws(ListError) {
            try self.init(id: id.utf8Span.span, type: ObjectType.named(type), fields: fields)
        } catch {
            throw WireError(error.message)
        }
    }
}

extension ListItem: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(identity, reuseIdentifier, content) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(identity: try reader.read(), reuseIdentifier: try reader.read(), content: try reader.read())
    }
}

extension ListError.Code: WireCodable {}

extension ListError: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(code, message, cause) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(try reader.read(), try reader.read(), cause: try reader.read())
    }
}

extension Result: WireCodable where Success: WireCodable, Failure == ListError {
    func write(to writer: inout WireWriter) {
        switch self {
        case .success(let value): writer.write(true, value)
        case .failure(let error): writer.write(false, error)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        self = try Bool(from: &reader) ? .success(try reader.read()) : .failure(try reader.read())
    }
}

// MARK: - Geometry

extension Point: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(x, y) }
    init(from reader: inout WireReader) throws(WireError) { self.init(x: try reader.read(), y: try reader.read()) }
}

extension Size: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(width, height) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(width: try reader.read(), height: try reader.read())
    }
}

extension Rect: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(origin, size) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(origin: try reader.read(), size: try reader.read())
    }
}

extension EdgeInsets: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(top, left, bottom, right) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            top: try reader.read(), left: try reader.read(), bottom: try reader.read(), right: try reader.read())
    }
}

extension IndexPath: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(section: try reader.readIndex(), item: try reader.readIndex())
    }
}

extension ScrollDirection: WireCodable {}
extension ScrollPosition: WireCodable {}
extension ElementKind: WireCodable {}
extension ListLayoutKind: WireCodable {}

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
