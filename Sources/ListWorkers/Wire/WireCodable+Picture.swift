// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

extension PictureItem: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(slot, objectID, section, item, kind, reuseIdentifier, frame, z, content)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            slot: try reader.read(), objectID: try reader.read(), section: try reader.readIndex(),
            item: try reader.readIndex(),
            kind: try reader.read(), reuseIdentifier: try reader.read(), frame: try reader.read(),
            z: try reader.read(), content: try reader.read())
    }
}

extension PictureChange: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(view, sequence, revision, contentSize, offset, released, shown, placed, rebound, transitions)
        writer.write(shift, isAnimated, causes, sticky, stickyEdge)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            view: try reader.read(), sequence: try reader.readSequence(), revision: try reader.read(),
            contentSize: try reader.read(), offset: try reader.read())
        released = try reader.read()
        shown = try reader.read()
        placed = try reader.read()
        rebound = try reader.read()
        transitions = try reader.read()
        shift = try reader.read()
        isAnimated = try reader.read()
        causes = try reader.read()
        sticky = try reader.read()
        stickyEdge = try reader.read()
        guard causes.count <= released.count + shown.count + placed.count else {
            throw WireError("a picture has more causes than slots that changed")
        }
    }
}

extension PictureChange.Reason: WireCodable {}

extension PictureChange.Cause: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, reason) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(slot: try reader.read(), reason: try reader.read())
    }
}

extension PictureChange.Sticky: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, first, last) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(slot: try reader.read(), first: try reader.read(), last: try reader.read())
    }
}

extension PictureChange.Placement: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, section, item, frame, z) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            slot: try reader.read(), section: try reader.readIndex(), item: try reader.readIndex(),
            frame: try reader.read(),
            z: try reader.read())
    }
}

extension PictureChange.Rebinding: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, content) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(slot: try reader.read(), content: try reader.read())
    }
}

extension PictureChange.Transition: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, frame) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(slot: try reader.read(), frame: try reader.read())
    }
}

extension Picture: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(sequence, revision, contentSize, offset, items, shift, sticky, stickyEdge)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            sequence: try reader.readSequence(), revision: try reader.read(), contentSize: try reader.read(),
            offset: try reader.read(), items: try reader.read())
        shift = try reader.read()
        sticky = try reader.read()
        stickyEdge = try reader.read()
        guard sticky.count <= items.count else { throw WireError("a picture has more sticky slots than slots") }
    }
}

// MARK: - Views

extension ListViewOptions: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(layout, window, windowBytes, lead, trail, buffer, overscanItems, fields)
        writer.write(isAnchored, isAnchoredAtStart, scale, contentInset, workingRangeUnit, opening, prefetch, rangeAt)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init()
        layout = try reader.read()
        window = try reader.read()
        windowBytes = try reader.read()
        lead = try reader.read()
        trail = try reader.read()
        buffer = try reader.read()
        overscanItems = try reader.read()
        fields = try reader.read()
        isAnchored = try reader.read()
        isAnchoredAtStart = try reader.read()
        scale = try reader.read()
        contentInset = try reader.read()
        workingRangeUnit = try reader.read()
        opening = try reader.read()
        prefetch = try reader.read()
        rangeAt = try reader.read()
    }
}

extension ListWorkingRangeUnit: WireCodable {}

extension ListRangeReference: WireCodable {}

extension ViewDescription.State: WireCodable {}

extension ViewDescription: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(state, sequence, acknowledgedSequence, contentSize, viewport, workingRange, visibleSections)
        writer.write(visibleObjects, visibleItems, byteCount, shift)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            state: try reader.read(), sequence: try reader.readSequence(),
            acknowledgedSequence: try reader.readSequence(),
            contentSize: try reader.read(), viewport: try reader.read(), workingRange: try reader.read(),
            visibleSections: try reader.read(), visibleObjects: try reader.read(), visibleItems: try reader.read(),
            byteCount: max(0, try reader.read()))
        shift = try reader.read()
    }
}

extension MeasuredSize: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(objectID, item, size) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(objectID: try reader.read(), item: try reader.readIndex(), size: try reader.read())
    }
}

extension ViewState.ReleasedSlot: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(slot, reuseIdentifier) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(slot: try reader.read(), reuseIdentifier: try reader.read())
    }
}

extension ViewState: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(id, options, viewport, visibleItems, history.spans, isOnScreen)
        writer.write(sequence, acknowledgedSequence, isStalled, contentSize, shown, released, measured)
        writer.write(nearEnd, shift)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(id: try reader.read(), options: try reader.read())
        viewport = try reader.read()
        visibleItems = try reader.read()
        history = PictureHistory(spans: try reader.read())
        isOnScreen = try reader.read()
        sequence = try reader.readSequence()
        acknowledgedSequence = try reader.readSequence()
        isStalled = try reader.read()
        contentSize = try reader.read()
        shown = try reader.read()
        released = try reader.read()
        measured = try reader.read()
        nearEnd = try reader.read()
        shift = try reader.read()
    }
}

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
