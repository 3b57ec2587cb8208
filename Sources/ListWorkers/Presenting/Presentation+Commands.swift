// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// Commands of views' owners and queries for items, shared by daemon and workers.

extension ListKit.Presentation {
    /// Carries out a command of a view's owner.
    ///
    /// - Returns: the answer, and the events that precede it.
    package func perform(
        _ command: ViewCommand, on view: ViewID
    ) throws(ListError) -> (answer: AdapterAnswer, events: [AdapterEvent]) {
        switch command {
        case .setViewport(let seen, let rect):
            return Self.result(of: try setViewport(view: view, seen: seen, rect: rect))
        case .setVisibleRange(let seen, let first, let last):
            return Self.result(of: try setVisibleRange(view: view, seen: seen, first: first, last: last))
        case .reportScroll(let phase): return (.done, try reportScroll(view: view, phase.event))
        case .setOnScreen(let isOnScreen):
            try setVisible(isOnScreen, view: view)
            return (.done, [])
        case .scrollTo(let object, let item, let position):
            let (offset, reply) = try scrollTo(view: view, object: object, item: item, position: position)
            return (.scrolled(offset: offset, sequence: reply.sequence), reply.effects)
        case .reportSizes(let sizes): return Self.result(of: try reportSizes(view: view, sizes: sizes))
        case .select(let object, let item, true):
            let (flag, events) = try selectItem(item, ofObject: object)
            return (.flag(flag), events)
        case .select(let object, let item, false):
            let (flag, events) = try deselectItem(item, ofObject: object)
            return (.flag(flag), events)
        case .changeSelection(let select, let deselect):
            let change = try changeSelection(select: select, deselect: deselect)
            return (.selection(selected: change.selected, deselected: change.deselected), change.events)
        case .invoke(let object, let item, let action, let parameters):
            let reply = try invoke(action, parameters: parameters, item: item, ofObject: object)
            return (.flag(reply.handled), reply.events)
        case .setHighlighted(let object, let item, let flag):
            return (.done, try setHighlighted(flag, item: item, ofObject: object))
        case .acknowledge(let sequence): return (.done, try acknowledge(view: view, sequence: sequence))
        case .resync:
            let picture = try resync(view: view)
            return (.picture(picture, of: AdapterStatus()), takeEvents())
        // Closing a view that is closed already is no error.
        case .close: return (.done, (try? closeView(view)) ?? [])
        }
    }

    private static func result(of reply: ViewReply) -> (answer: AdapterAnswer, events: [AdapterEvent]) {
        (.sequence(reply.sequence), reply.effects)
    }

    /// Returns the items of whole sections, of about `byteLimit` bytes at most, but of one section at least; and the
    /// first section that is not included.
    ///
    /// - Parameter fields: the fields that the items' contents keep; empty = all.
    package func placedItems(
        from first: Int, sectionCount: Int, byteLimit: Int, fields: [String] = []
    ) -> (next: Int, items: [PlacedItem]) {
        let fields = Set(fields.map { ExactText($0) })
        var items: [PlacedItem] = []
        var bytes = 0
        let (end, overflow) = first.addingReportingOverflow(sectionCount)
        var section = first
        while section < (overflow ? objectCount : min(end, objectCount)) {
            guard let id = objects(from: section, limit: 1).first?.id else { break }
            var own = self.items(inSection: section)
            if !fields.isEmpty {
                for index in own.indices { own[index].content = own[index].content.filtered(to: fields) }
            }
            bytes += own.reduce(0) { $0 + $1.content.byteCount + $1.reuseIdentifier.utf8.count + id.utf8.count + 28 }
            if bytes > byteLimit, section > first { break }
            items += own.enumerated().map { PlacedItem(section: section, objectID: id, index: $0, item: $1) }
            section += 1
        }
        return (section, items)
    }
}

extension AdapterEvent {
    /// The view whose description may have changed with this event; nil if the event changes no view.
    package var viewThatChanged: ViewID? {
        switch self {
        case .display(let change): change.view
        case .workingRange(let change): change.view
        case .picture(let change): change.view
        case .stalled(let view, _, _): view
        case .updated, .selection, .closed, .sectionFault, .nearEnd: nil
        }
    }
}
