// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// Orders to a presentation, which daemon and workers carry out in the same way.

extension Presentation {
    /// Executes an order.
    package func perform(_ order: PresenterOrder) -> [PresenterReport] {
        switch order {
        case .allowChanges: return []
        case .hold(let views, _):
            guard holdsViews != views else { return [] }
            holdsViews = views
            return views ? [] : .changes(announcement(of: resumeViews()))
        case .moveItem(let move):
            let answer = answer(move)
            var reports = answer.changes.map { PresenterReport.changed($0) }
            if let verdict = answer.verdict { return reports + [.moveVerdict(move.id, verdict)] }
            if case .changed(let said, _) = reports.popLast() { reports.append(.changed(said, answering: move.id)) }
            return reports
        case .openView(let id, let view, let options):
            return [
                report(id, about: []) { () throws(ListError) in
                    try openView(view, options: options)
                    return (.done, [])
                }
            ]
        case .view(let id, let view, let command):
            return [report(id, about: [view]) { () throws(ListError) in try perform(command, on: view) }]
        case .query(let id, let query):
            return [.answer(id, .success(answer(query)), announcement(of: []))]
        }
    }

    private func report(
        _ id: RequestID, about views: Set<ViewID>,
        _ act: () throws(ListError) -> (answer: PresenterAnswer, events: [AdapterEvent])
    ) -> PresenterReport {
        do throws(ListError) {
            let (answer, events) = try act()
            return .answer(id, .success(answer), announcement(of: events, about: views))
        } catch {
            return .answer(id, .failure(error), announcement(of: []))
        }
    }

    private func answer(_ query: ItemQuery) -> PresenterAnswer {
        switch query {
        case .items(let first, let count, let byteLimit, let fields):
            let page = placedItems(from: first, sectionCount: count, byteLimit: byteLimit, fields: fields)
            return .items(next: page.next, page.items)
        case .itemCounts(let first, let limit):
            return .itemCounts(itemCounts(from: first, limit: limit).map { UInt32(clamping: $0) })
        }
    }

    /// Carries out a command of a view's owner.
    ///
    /// - Returns: the answer, and the events that precede it.
    private func perform(
        _ command: ViewCommand, on view: ViewID
    ) throws(ListError) -> (answer: PresenterAnswer, events: [AdapterEvent]) {
        if case .close = command {
        } else if !isOpen(view) {
            throw ListError(.invalidArguments, "the view \(view) is closed")
        }
        switch command {
        case .setViewport(let seen, let rect, let growth):
            return Self.result(of: try setViewport(view: view, seen: seen, rect: rect, growth: growth))
        case .setVisibleRange(let seen, let first, let last, let growth, let missed):
            return Self.result(
                of: try setVisibleRange(
                    view: view, seen: seen, first: first, last: last, growth: growth, missed: missed))
        case .reportScroll(let phase): return (.done, try reportScroll(view: view, phase.event))
        case .setOnScreen(let isOnScreen):
            return (.done, try setVisible(isOnScreen, view: view))
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
            return (.picture(picture), takeEvents())
        // Closing a view that is closed already is no error.
        case .close: return (.done, (try? closeView(view)) ?? [])
        }
    }

    private static func result(of reply: ViewReply) -> (answer: PresenterAnswer, events: [AdapterEvent]) {
        (.sequence(reply.sequence), reply.effects)
    }

    /// Returns the items of whole sections, of about `byteLimit` bytes at most, but of one section at least; and the
    /// first section that is not included.
    ///
    /// - Parameter fields: the fields that the items' contents keep; empty = all.
    private func placedItems(
        from first: Int, sectionCount: Int, byteLimit: Int, fields: [String]
    ) -> (next: Int, items: [PlacedItem]) {
        let fields = Set(fields.map { ExactText($0) })
        var items: [PlacedItem] = []
        var bytes = 0
        let (end, overflow) = first.addingReportingOverflow(sectionCount)
        var section = first
        while section < (overflow ? objectCount : min(end, objectCount)) {
            guard let id = objects(from: section, limit: 1).first?.id else { break }
            var own = self.items(inSection: section)
            for index in own.indices { own[index].content = own[index].content(filteredTo: fields) }
            bytes += own.reduce(0) { $0 + $1.content.byteCount + $1.reuseIdentifier.utf8.count + id.utf8.count + 28 }
            if bytes > byteLimit, section > first { break }
            items += own.enumerated().map { PlacedItem(section: section, objectID: id, index: $0, item: $1) }
            section += 1
        }
        return (section, items)
    }
}

extension [PresenterReport] {
    /// The report of changes that no order asked for; none if there are no changes.
    static func changes(_ said: Announcement?) -> [PresenterReport] {
        guard let said, !said.isEmpty else { return [] }
        return [.changed(said)]
    }
}
