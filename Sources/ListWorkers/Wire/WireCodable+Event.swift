// SPDX-License-Identifier: Apache-2.0

internal import ListKit

extension AdapterEvent: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .updated(let transaction): writer.write(0 as UInt8, transaction)
        case .display(let change): writer.write(1 as UInt8, change)
        case .workingRange(let change): writer.write(2 as UInt8, change)
        case .selection(let change): writer.write(3 as UInt8, change)
        case .picture(let change): writer.write(4 as UInt8, change)
        case .stalled(let view, let sequence, let revision): writer.write(5 as UInt8, view, sequence, revision)
        case .closed(let view): writer.write(6 as UInt8, view)
        case .sectionFault(let fault): writer.write(7 as UInt8, fault)
        case .nearEnd(let view, let revision, let distance): writer.write(8 as UInt8, view, revision, distance)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .updated(try reader.read())
        case 1: self = .display(try reader.read())
        case 2: self = .workingRange(try reader.read())
        case 3: self = .selection(try reader.read())
        case 4: self = .picture(try reader.read())
        case 5:
            self = .stalled(view: try reader.read(), sequence: try reader.readSequence(), revision: try reader.read())
        case 6: self = .closed(view: try reader.read())
        case 7: self = .sectionFault(try reader.read())
        case 8:
            self = .nearEnd(view: try reader.read(), revision: try reader.read(), distance: try reader.read())
        case let kind: throw WireError("an event has the unknown kind \(kind)")
        }
    }
}

extension SectionFault: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(objectID, controller, reason) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(objectID: try reader.read(), controller: try reader.read(), reason: try reader.read())
    }
}

extension SectionReference: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, objectID) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(section: try reader.readIndex(), objectID: try reader.read())
    }
}

extension ItemReference: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, objectID, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(section: try reader.readIndex(), objectID: try reader.read(), item: try reader.readIndex())
    }
}

extension DisplayChange: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(view, revision, willDisplay, didEndDisplaying, itemsWillDisplay, itemsDidEndDisplaying)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(view: try reader.read(), revision: try reader.read())
        willDisplay = try reader.read()
        didEndDisplaying = try reader.read()
        itemsWillDisplay = try reader.read()
        itemsDidEndDisplaying = try reader.read()
    }
}

extension WorkingRangeChange: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(view, revision, willEnter, didExit, itemsWillEnter, itemsDidExit)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(view: try reader.read(), revision: try reader.read())
        willEnter = try reader.read()
        didExit = try reader.read()
        itemsWillEnter = try reader.read()
        itemsDidExit = try reader.read()
    }
}

extension SelectedItem: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(objectID, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(objectID: try reader.read(), item: try reader.readIndex())
    }
}

extension SelectionChange: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(revision, selected, deselected) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(revision: try reader.read(), selected: try reader.read(), deselected: try reader.read())
    }
}
