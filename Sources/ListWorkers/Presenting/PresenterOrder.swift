// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
@_spi(Daemon) package import ListKit

/// An order of a list to its presenter, other than to open the list or to present an update.
package enum PresenterOrder: Sendable {
    /// Ask the section controllers about an item that was dragged; answered with
    /// ``PresenterReport/moveVerdict(_:_:)``, or with ``PresenterReport/changed(_:answering:)`` when a controller has
    /// moved it.
    case moveItem(ItemMoveRequest)
    /// Open a view; answered.
    indirect case openView(RequestID, ViewID, ListViewOptions)
    /// Execute a command of a view's owner; answered.
    case view(RequestID, ViewID, ViewCommand)
    /// Return items or their counts; answered.
    case query(RequestID, ItemQuery)
    /// Hold the pictures of views, or the items that change by themselves; or let them continue.
    case hold(views: Bool, items: Bool)
    /// Permit this number of further unrequested item changes (``changesAtOnce``).
    case allowChanges(Int)

    /// The maximum number of unrequested item changes that are reported and not handled yet. Beyond it, section
    /// controllers that change items without end wait for the list.
    package static let changesAtOnce = 64

    /// The request that the order is to answer; nil if it answers none.
    var requestID: RequestID? {
        switch self {
        case .moveItem(let move): move.id
        case .openView(let id, _, _), .view(let id, _, _), .query(let id, _): id
        case .hold, .allowChanges: nil
        }
    }
}

/// The configuration, contents and state of a list with which a presenter opens it.
package struct PresenterSetup: Sendable {
    /// The options of the list.
    package var configuration: ListOptions
    /// The section controllers by object type.
    package var controllers: SectionControllerTable
    /// The objects in their order; empty for a presenter that shares the list's section table.
    package var objects: [ListObject] = []
    /// The open views.
    package var views: [ViewState] = []
    /// The selected items.
    package var selection: [SelectedItem] = []
    /// The objects whose section controllers are not called, with the reasons that their error items show.
    package var faults: [ExactText: String] = [:]
    /// Whether the pictures of views are held.
    package var holdsViews = false
    /// Whether items that change by themselves are held.
    package var holdsItems = false

    package init(
        configuration: ListOptions, controllers: SectionControllerTable, objects: [ListObject] = [],
        views: [ViewState] = [], selection: [SelectedItem] = [], faults: [ExactText: String] = [:],
        holdsViews: Bool = false, holdsItems: Bool = false
    ) {
        self.configuration = configuration
        self.controllers = controllers
        self.objects = objects
        self.views = views
        self.selection = selection
        self.faults = faults
        self.holdsViews = holdsViews
        self.holdsItems = holdsItems
    }
}

/// An update of a list in its encoded form: the positions, and separately the inserted and changed objects.
package struct PresenterUpdate: Sendable {
    private var removed: [Int]
    private var inserted: [Int]
    private var moved: [(old: Int, new: Int)]
    private var updated: [Int]
    private var reloads: [IndexRun]
    private var scope: Change.Scope
    private var animated: Bool
    private var options: ListOptions?
    private var through: Ticket
    /// The section controllers that replace the present ones; nil = no replacement.
    let controllers: SectionControllerTable?
    /// The inserted objects, then the changed ones.
    var objects: [ListObject]

    /// Converts an update.
    init(_ change: Change, controllers: SectionControllerTable? = nil) {
        removed = change.removed.map(\.old)
        inserted = change.inserted.map(\.new)
        moved = change.moved.map { ($0.old, $0.new) }
        updated = change.updated.map(\.old)
        objects = change.inserted.map(\.object) + change.updated.map(\.object)
        (reloads, scope, animated) = (change.reloads, change.scope, change.animated)
        (options, through) = (change.options, change.through)
        self.controllers = controllers
    }

    /// The update; nil until all its objects have arrived.
    var change: Change? {
        guard objects.count == inserted.count + updated.count else { return nil }
        var change = Change()
        change.removed = removed.map { ($0, nil) }
        change.inserted = zip(inserted, objects).map { ($0, $1, nil) }
        change.moved = moved.map { ($0.old, $0.new, nil, nil) }
        change.updated = zip(updated, objects[inserted.count...]).map { ($0, nil, $1) }
        (change.reloads, change.scope, change.animated) = (reloads, scope, animated)
        (change.options, change.through) = (options, through)
        return change
    }
}

// MARK: - Encoding

extension PresenterOrder: WireCodable {
    func write(to writer: inout WireWriter) {
        switch self {
        case .moveItem(let move): writer.write(0 as UInt8, move)
        case .openView(let id, let view, let options): writer.write(1 as UInt8, id, view, options)
        case .view(let id, let view, let command): writer.write(2 as UInt8, id, view, command)
        case .query(let id, let query): writer.write(3 as UInt8, id, query)
        case .hold(let views, let items): writer.write(4 as UInt8, views, items)
        case .allowChanges(let count): writer.write(5 as UInt8, count)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 0: self = .moveItem(try reader.read())
        case 1: self = .openView(try reader.read(), try reader.read(), try reader.read())
        case 2: self = .view(try reader.read(), try reader.read(), try reader.read())
        case 3: self = .query(try reader.read(), try reader.read())
        case 4: self = .hold(views: try reader.read(), items: try reader.read())
        case 5: self = .allowChanges(try reader.readIndex())
        case let kind: throw WireError("an order about a list has the unknown kind \(kind)")
        }
    }
}

extension PresenterSetup: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(configuration, controllers, views, selection, faults, holdsViews, holdsItems, objects)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(configuration: try reader.read(), controllers: try reader.read(), objects: [])
        (views, selection, faults) = (try reader.read(), try reader.read(), try reader.read())
        (holdsViews, holdsItems) = (try reader.read(), try reader.read())
        objects = try reader.read()
    }
}

extension PresenterUpdate: WireCodable {
    func write(to writer: inout WireWriter) {
        writer.write(removed, inserted, moved.map(\.old), moved.map(\.new), updated, reloads)
        writer.write(scope.rawValue, animated, options, through, controllers, objects)
    }

    init(from reader: inout WireReader) throws(WireError) {
        (removed, inserted) = (try reader.readPositions(), try reader.readPositions())
        let (from, to) = (try reader.readPositions(), try reader.readPositions())
        guard from.count == to.count else {
            throw WireError("the moves have \(from.count) old, but \(to.count) new positions")
        }
        moved = zip(from, to).map { ($0, $1) }
        (updated, reloads) = (try reader.readPositions(), try reader.read())
        (scope, animated) = (Change.Scope(rawValue: try reader.readByte()), try reader.read())
        (options, through) = (try reader.read(), try reader.read())
        controllers = try reader.read()
        objects = try reader.read()
        guard objects.count <= inserted.count + updated.count else {
            throw WireError("an update has \(objects.count) objects for \(inserted.count + updated.count) changes")
        }
    }
}

extension WireReader {
    /// Reads an array of positions in a list.
    fileprivate mutating func readPositions() throws(WireError) -> [Int] {
        let count = try readCount()
        var positions: [Int] = []
        positions.reserveCapacity(safeCapacity(for: count, of: Int.self))
        for _ in 0..<count { positions.append(try readIndex()) }
        return positions
    }
}
