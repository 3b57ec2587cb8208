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
        if case .close = command {
            close(view, .closed)
            return sink([.answer(id, .success(.done))])
        }
        answer(id) { () throws(ListError) in
            let (answer, events) = try adapter.perform(command, on: view)
            yield(events, about: view)
            return answer
        }
    }

    /// Ends a view: everything in it ends and exits first. One that is gone already is no error.
    func close(_ view: ViewID, _ reason: ViewClosing) {
        guard let events = try? workingAdapter?.closeView(view) else { return }
        shownObjects[view] = nil
        yield(events, closing: reason)
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
