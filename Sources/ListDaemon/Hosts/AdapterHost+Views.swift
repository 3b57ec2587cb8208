@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// Makes a view.
    func openView(_ id: RequestID, _ view: ViewID, _ options: ListViewOptions) {
        answer(id) { () throws(ListError) in
            try adapter.openView(view, options: options)
            return .opened(
                revision: adapter.revision, sections: adapter.objectCount, items: adapter.itemCount)
        }
    }

    /// Does what the owner of a view wants.
    func perform(_ id: RequestID, _ view: ViewID, _ command: ViewCommand) {
        switch command {
        case .setViewport(let seen, let rect):
            reply(id, view) { () throws(ListError) in try adapter.setViewport(view: view, seen: seen, rect: rect) }
        case .setVisibleRange(let first, let last):
            reply(id, view) { () throws(ListError) in
                try adapter.setVisibleRange(view: view, first: first, last: last)
            }
        case .scrollTo(let object, let item, let position):
            answer(id) { () throws(ListError) in
                let (offset, reply) = try adapter.scrollTo(view: view, object: object, item: item, position: position)
                yield(reply.effects, about: view)
                return .scrolled(offset: offset, sequence: reply.sequence)
            }
        case .reportSizes(let sizes):
            reply(id, view) { () throws(ListError) in try adapter.reportSizes(view: view, sizes: sizes) }
        case .select(let object, let item, let isSelected): select(id, object, item, isSelected)
        case .changeSelection(let select, let deselect):
            answer(id) { () throws(ListError) in
                let change = try adapter.changeSelection(select: select, deselect: deselect)
                yield(change.events)
                return .selection(selected: change.selected, deselected: change.deselected)
            }
        case .setHighlighted(let object, let item, let flag):
            answer(id) { () throws(ListError) in
                yield(try adapter.setHighlighted(flag, item: item, ofObject: object))
                return .done
            }
        case .acknowledge(let sequence):
            answer(id) { () throws(ListError) in
                yield(try adapter.acknowledge(view: view, sequence: sequence), about: view)
                return .done
            }
        case .resync:
            answer(id) { () throws(ListError) in
                let picture = try adapter.resync(view: view)
                yield(adapter.takeEvents(), about: view)
                return .picture(picture)
            }
        case .close:
            close(view, .closed)
            sink([.answer(id, .success(.done))])
        }
    }

    /// Ends a view: everything in it ends and exits first. One that is gone already is no error.
    func close(_ view: ViewID, _ reason: ViewClosing) {
        guard let events = try? workingAdapter?.closeView(view) else { return }
        shownObjects[view] = nil
        yield(events, closing: reason)
    }

    private func select(_ id: RequestID, _ object: String, _ item: Int, _ isSelected: Bool) {
        answer(id) { () throws(ListError) in
            if isSelected {
                let (flag, events) = try adapter.selectItem(item, ofObject: object)
                yield(events)
                return .flag(flag)
            }
            let (flag, events) = try adapter.deselectItem(item, ofObject: object)
            yield(events)
            return .flag(flag)
        }
    }

    private func reply(_ id: RequestID, _ view: ViewID, _ act: () throws(ListError) -> ViewReply) {
        answer(id) { () throws(ListError) in
            let reply = try act()
            yield(reply.effects, about: view)
            return .sequence(reply.sequence)
        }
    }

    /// Answers a request; what `act` yields comes before the answer.
    func answer(_ id: RequestID, _ act: () throws(ListError) -> AdapterAnswer) {
        let outcome: Result<AdapterAnswer, ListError>
        do throws(ListError) {
            outcome = .success(try act())
        } catch {
            outcome = .failure(error)
        }
        sink([.answer(id, outcome)])
        // What others have written is flushed on nobody's behalf.
        tracer?.cause = nil
        feed()
    }
}

extension AdapterHost {
    /// Says what happened: first how things stand now, for readers of properties, then the events in their order, then
    /// the answers.
    ///
    /// - Parameters:
    ///   - view: a view that stands otherwise although no event is about it.
    ///   - reason: why views among the events are closed.
    func yield(
        _ events: [AdapterEvent], then answers: [AdapterEffect] = [], about view: ViewID? = nil,
        closing reason: ViewClosing = .closed
    ) {
        var effects: [AdapterEffect] = []
        var views = Set([view].compactMap { $0 })
        for event in events {
            if case .updated = event {
                effects.append(.status(status))
                views.formUnion(adapter.waitingViews)
            }
            if let view = event.viewThatChanged { views.insert(view) }
        }
        let selected = adapter.selectedItems
        if selected != lastSelection {
            lastSelection = selected
            effects.append(.selection(selected))
        }
        for view in views.sorted() {
            let description = try? adapter.viewDescription(view)
            shownObjects[view] = description?.visibleObjects.count
            if let description { effects.append(.view(view, description)) }
        }
        for event in events {
            if case .closed(let view) = event {
                effects.append(.closed(view, reason))
            } else {
                effects.append(.event(event))
            }
        }
        effects += answers
        if !effects.isEmpty { sink(effects) }
    }
}

extension AdapterEvent {
    /// The view that shows something else, or stands otherwise, after this event.
    fileprivate var viewThatChanged: ViewID? {
        switch self {
        case .display(let change): change.view
        case .workingRange(let change): change.view
        case .picture(let change): change.view
        case .stalled(let view, _, _): view
        default: nil
        }
    }
}
