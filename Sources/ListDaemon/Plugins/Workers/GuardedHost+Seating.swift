internal import DBus
@_spi(Daemon) internal import ListKit

// How a list comes to a seat, loses it, and goes on in another one.

extension GuardedHost {
    /// What a new host says until the list is where it was.
    struct Settling {
        /// What was displayed and selected before.
        let views: [ViewID: ViewMemory]
        let selection: [SelectedItem]
        private(set) var said: [AdapterEffect] = []
        private(set) var isOver = false

        init(views: [ViewID: ViewMemory], selection: [SelectedItem]) {
            self.views = views
            self.selection = selection
        }

        mutating func add(_ effects: [AdapterEffect]) {
            for effect in effects {
                if case .answer(GuardedHost.settlingRequest, _) = effect { isOver = true } else { said.append(effect) }
            }
        }
    }

    func sit(on new: Seat) {
        if case .stopped = phase { return new.close() }
        if seat != nil { lose(.move) }
        seat = new
        phase = .waiting
        openIfPossible()
    }

    /// Opens the list in its seat, unless the store is about to say what the list is.
    func openIfPossible() {
        guard case .waiting = phase, let seat, storing == nil else { return }
        // Other section controllers may make other items: whoever has the old ones takes everything anew.
        guard !wasSeated || isRenewed || !untold.isEmpty else { return renew() }
        let setup = HostSetup(
            configuration: configuration, controllers: controllers, objects: snapshot.objects, revision: revision,
            views: views.keys.sorted().filter { isKnown($0) }.compactMap { views[$0]?.present }, selection: selection,
            isHeld: isHeld)
        let settling = Settling(views: views, selection: selection)
        for view in views.keys { views[view]?.forgetDisplay() }
        seat.open(setup)
        guard wasSeated else {
            wasSeated = true
            phase = .serving
            sink(lateAnswers)
            lateAnswers = []
            return sendWaiting()
        }
        phase = .settling(settling)
        // Answered when everything that the host had to say about its views is said.
        seat.send(.query(Self.settlingRequest, .objects(offset: 0, limit: 0, byteLimit: 0)))
    }

    /// Goes on with section controllers that are in another process, from the daemon's copy of the list.
    func move(_ id: RequestID, _ configuration: ListAdapter.Configuration, _ table: SectionControllerTable) {
        let (old, new) = (controllers.worker, table.worker)
        self.configuration = configuration
        controllers = table
        lateAnswers.append(.answer(id, .success(.done)))
        refusals.removeAll()
        lose(.move)
        guard stopping == nil else { return }
        EventLoop.shared.post { [self] in
            old?.leave(self)
            if let new { new.host(self) } else { move(to: .inDaemon(self)) }
        }
    }

    /// Whether a view is open, and not about to be opened by a request that waits.
    private func isKnown(_ view: ViewID) -> Bool {
        !requests.values.contains { request in
            if case .openView(_, view, _) = request.command { true } else { false }
        }
    }

    /// Why a seat is gone.
    enum Loss {
        /// The list moves to another one.
        case move
        /// The worker has died, perhaps in a call for the list.
        case death(DeadlyCall?)

        fileprivate var isDeath: Bool { if case .death = self { true } else { false } }
    }

    /// The seat is gone: what its host had goes to the next one, but not what the worker died of, and nothing for ever.
    func lose(_ loss: Loss) {
        guard seat != nil else { return }
        seat?.close()
        seat = nil
        isRenewed = false
        backlog = []
        prepared = nil
        if case .stopped = phase { return }
        if case .settling(let settling) = phase {
            for (view, memory) in settling.views where views[view] != nil { views[view]?.restoreDisplay(of: memory) }
            selection = settling.selection
        }
        phase = .waiting
        takeOverStored()
        let ended = endClosedViews()
        let refused = takeBack(after: loss)
        if loss.isDeath { sink([.paused(true)] + ended + refused) } else { sink(ended) }
        keepIfPossible()
        if stopping != nil, storing == nil { endWithoutSeat() }
    }

    /// The views that were about to be closed: nobody owns them any more.
    private func endClosedViews() -> [AdapterEffect] {
        let gone = leaving.filter { views[$0.key] != nil }.sorted { $0.key < $1.key }
        leaving = [:]
        for (view, _) in gone { views[view] = nil }
        return gone.map { .closed($0.key, $0.value) }
    }

    /// Takes back what the host had been sent and has not answered.
    ///
    /// - Returns: the answers to what is not asked again.
    private func takeBack(after loss: Loss) -> [AdapterEffect] {
        var blamed: RequestID?
        if case .death(let call?) = loss { blamed = blame(for: call) }
        var refused: [AdapterEffect] = []
        for id in order {
            guard var request = requests[id], request.isSent else { continue }
            request.isSent = false
            request.deaths += loss.isDeath ? 1 : 0
            requests[id] = request
            if id == blamed {
                refused += refuse(id, request, "the plugin's worker died of this call")
            } else if request.deaths > 1 {
                refused += refuse(id, request, "the plugin's worker died twice before this was done")
            }
        }
        return refused
    }

    private func refuse(_ id: RequestID, _ request: Request, _ reason: String) -> [AdapterEffect] {
        requests[id] = nil
        switch request.command {
        case .openView(_, let view, _): views[view] = nil
        case .view(_, let view, .close):
            // Closed is closed, whatever became of the worker.
            guard views.removeValue(forKey: view) != nil else { return [.answer(id, .success(.done))] }
            return [.closed(view, .closed), .answer(id, .success(.done))]
        default: break
        }
        return [.answer(id, .failure(ListError(.pluginFailed, reason)))]
    }

    /// The list is where it was: what is different now is told in the contract's order, then commands go on.
    func finishSettling(_ settling: Settling) {
        var effects: [AdapterEffect] = [.status(status)]
        effects += untold.map { transaction in
            var told = transaction
            told.itemCount = status.itemCount
            return .event(.updated(told))
        }
        untold = []
        effects += settling.updates
        for view in views.keys.sorted() {
            guard let new = views[view], let old = settling.views[view] else { continue }
            let events = new.display(since: old, revision: revision) { snapshot.find($0)?.position }
            effects += events.map { .event($0) }
        }
        effects += selectionChange(since: settling.selection)
        effects += settling.rest
        effects += lateAnswers
        lateAnswers = []
        phase = .serving
        sink(effects + [.paused(false)])
        if let (id, reason) = stopping { seat?.send(.stop(id, reason)) }
        sendWaiting()
    }

    private func selectionChange(since old: [SelectedItem]) -> [AdapterEffect] {
        guard Set(old) != Set(selection) else { return [] }
        let change = SelectionChange(
            revision: revision, selected: selection.filter { !old.contains($0) },
            deselected: old.filter { !selection.contains($0) })
        return [.selection(selection), .event(.selection(change))]
    }

    /// Ends a list that has no host to end it.
    func endWithoutSeat() {
        guard let (id, reason) = stopping, storing == nil else { return }
        var effects: [AdapterEffect] = untold.map { .event(.updated($0)) } + lateAnswers
        let gone = ListError(.pluginFailed, "the list has ended while its plugin's worker was gone")
        effects += order.filter { requests[$0] != nil }.map { .answer($0, .failure(gone)) }
        effects += views.keys.sorted().map { .closed($0, reason) }
        requests = [:]
        sink(effects + [.answer(id, .success(.done))])
        end()
    }

    /// The list has ended, and everything was said.
    func end() {
        guard let (_, reason) = stopping else { return }
        stopping = nil
        ended = reason
        account?.close()
        refuseKeeps()
        phase = .stopped
        seat?.close()
        seat = nil
        let worker = controllers.worker
        EventLoop.shared.post { [self] in worker?.leave(self) }
    }
}

extension GuardedHost.Settling {
    /// Transactions.
    fileprivate var updates: [AdapterEffect] {
        said.filter { effect in
            if case .event(.updated) = effect { true } else { false }
        }
    }

    /// What views are sent, and how they stand; not what is told otherwise, or was said before the list was lost.
    fileprivate var rest: [AdapterEffect] {
        said.filter { effect in
            switch effect {
            case .event(.updated), .event(.display), .event(.workingRange), .event(.selection), .status, .selection,
                .announce:
                false
            default: true
            }
        }
    }
}
