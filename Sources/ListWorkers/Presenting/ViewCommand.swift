// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// What viewers ask of a list's presenter, and its answers. Both are values, because the presenter may be in a worker.

/// A command of a view's owner.
package enum ViewCommand: Sendable {
    /// `View.SetViewport`. What the view shows may grow by `growth` bytes, else the answer is `limitsExceeded`.
    case setViewport(seen: UInt64, Rect, growth: Int = .max)
    /// `View.SetVisibleRange`, with the same limit. In a view whose owner names items by revision, `seen` is the revision;
    /// on the way to the presenter it becomes the presenter's own, with the transactions that the owner missed until then.
    case setVisibleRange(
        seen: UInt64, first: IndexPath, last: IndexPath, growth: Int = .max, missed: [Transaction]? = nil)
    /// `View.ScrollTo`.
    case scrollTo(id: String, item: Int, ScrollPosition)
    /// `View.ReportScroll`.
    case reportScroll(ScrollPhase)
    /// `View.SetOnScreen`.
    case setOnScreen(Bool)
    /// `View.ReportSizes`.
    case reportSizes([MeasuredSize])
    /// `View.Select` (true) and `View.Deselect` (false).
    case select(id: String, item: Int, Bool)
    /// `View.ChangeSelection`.
    case changeSelection(select: [SelectedItem], deselect: [SelectedItem])
    /// `View.Invoke`, for an action that a section controller handles.
    case invoke(id: String, item: Int, action: String, parameters: Fields)
    /// `View.SetHighlighted`.
    case setHighlighted(id: String, item: Int, Bool)
    /// `View.Ack`.
    case acknowledge(sequence: UInt64)
    /// `View.Resync`.
    case resync
    /// `View.Close`.
    case close
}

/// A phase of scrolling by a viewer's user; the raw values are those of `View.ReportScroll`.
package enum ScrollPhase: String, Sendable, CaseIterable {
    /// The user began to drag the content.
    case began
    /// The user ended dragging; the content may still decelerate.
    case ended
    /// The content came to rest.
    case decelerated

    /// The event that section controllers get.
    ///
    /// When dragging ends, it is not known whether the content decelerates, and a viewer may never report its end. So
    /// the event says that the content does not decelerate.
    package var event: ListScrollEvent {
        switch self {
        case .began: .willBeginDragging
        case .ended: .didEndDragging(willDecelerate: false)
        case .decelerated: .didEndDecelerating
        }
    }
}

/// A question about the items of a list.
package enum ItemQuery: Sendable {
    /// The items of whole sections with some fields of their contents (none = all), of about `byteLimit` bytes at most,
    /// but of one section at least.
    case items(firstSection: Int, sectionCount: Int, byteLimit: Int, fields: [String] = [])
    /// The numbers of items of at most `limit` sections.
    case itemCounts(firstSection: Int, limit: Int)
}

/// The answer of a presenter to a viewer's call.
package enum PresenterAnswer: Sendable {
    /// Items of whole sections; `next` is the first section that is not included.
    case items(next: Int, [PlacedItem])
    /// The numbers of items of consecutive sections.
    case itemCounts([UInt32])
    /// The sequence number of the view's last sent picture.
    case sequence(UInt64)
    /// The view's offset after scrolling, and the sequence number of its last sent picture.
    case scrolled(offset: Point, sequence: UInt64)
    /// A truth value, such as whether an item is selected.
    case flag(Bool)
    /// Of the items to select, those that are selected now; of the items to deselect, those that are not selected now.
    case selection(selected: [SelectedItem], deselected: [SelectedItem])
    /// The whole picture of a view. The list knows its revision.
    case picture(Picture)
    /// An answer without content.
    case done
}

/// An item with its index path.
package struct PlacedItem: Sendable {
    /// The section.
    package var section: Int
    /// The identifier of the section's object.
    package var objectID: String
    /// The item's index in the section.
    package var index: Int
    /// The item.
    package var item: ListItem

    package init(section: Int, objectID: String, index: Int, item: ListItem) {
        self.section = section
        self.objectID = objectID
        self.index = index
        self.item = item
    }
}

// MARK: - Encoding

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
            writer.write(10 as UInt8, id, item, action, parameters)
        case .reportScroll(let phase): writer.write(11 as UInt8, phase)
        case .setOnScreen(let isOnScreen): writer.write(12 as UInt8, isOnScreen)
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
        case 10:
            self = .invoke(
                id: try reader.read(), item: try reader.read(), action: try reader.read(),
                parameters: try reader.read())
        case 11: self = .reportScroll(try reader.read())
        case 12: self = .setOnScreen(try reader.read())
        case let kind: throw WireError("a view command has the unknown kind \(kind)")
        }
    }
}

extension ScrollPhase: WireCodable {}

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

extension PlacedItem: WireCodable {
    func write(to writer: inout WireWriter) { writer.write(section, objectID, index, item) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            section: try reader.readIndex(), objectID: try reader.read(), index: try reader.readIndex(),
            item: try reader.read())
    }
}
