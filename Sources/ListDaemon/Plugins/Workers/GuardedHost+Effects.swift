@_spi(Daemon) internal import ListKit

// What the host in the seat yields: checked, followed, and passed on.

extension GuardedHost {
    /// Requests of the guard itself; those of clients are numbered from 1.
    static let settlingRequest: RequestID = 1 << 63

    func handle(_ output: HostOutput) {
        guard let seat else { return }
        if case .stopped = phase { return }
        for case .event(.updated(let transaction)) in output.effects {
            guard note(transaction) else { return seat.blame("it said a transaction that nobody stored") }
        }
        var said: [AdapterEffect] = []
        for effect in output.effects {
            guard follow(effect, output.preparedRequests, &said) else {
                return seat.blame("it said what no host of a list says")
            }
        }
        if case .settling(var settling) = phase {
            settling.add(said)
            phase = .settling(settling)
            if settling.isOver { finishSettling(settling) }
        } else if !said.isEmpty {
            sink(said)
        }
        if said.contains(where: { $0.answers(stopping?.id) }) { end() }
    }

    /// Follows one effect; what is to be passed on goes to `said`. False for what no host says.
    private func follow(
        _ effect: AdapterEffect, _ preparedRequests: [RequestID], _ said: inout [AdapterEffect]
    ) -> Bool {
        // Views of other lists are none of its business.
        if let view = effect.view, views[view] == nil { return true }
        var effect = effect
        switch effect {
        case .status(let new):
            guard let known = checked(new) else { return false }
            status = known
            mostElements = max(mostElements, elementCount)
            effect = .status(known)
        case .announce(let new):
            guard let known = checked(new) else { return false }
            effect = .announce(known)
        case .prepared(let token, let update):
            return prepare(token, update, preparedRequests)
        case .selection(let items): selection = items
        case .view(let view, let description): views[view]?.note(description)
        case .closed(let view, _):
            views[view] = nil
            leaving[view] = nil
        case .event(let event): guard note(event) else { return false }
        case .losses: break
        case .answer(let id, let outcome):
            guard let isAwaited = settle(id, outcome) else { return false }
            guard isAwaited else { return true }
        case .paused: return false
        }
        said.append(effect)
        return true
    }

    /// How the list stands, as the daemon's copy has it: only how many items there are is for the host to say. Nil for a
    /// number of items that no list has.
    private func checked(_ new: AdapterStatus) -> AdapterStatus? {
        let (most, overflow) = snapshot.count.multipliedReportingOverflow(by: ListAdapter.maximumItemsPerSection)
        guard new.itemCount >= 0, overflow || new.itemCount <= most else { return nil }
        return AdapterStatus(
            revision: revision, oldestRevision: changes.oldestRevision, objectCount: snapshot.count,
            itemCount: new.itemCount)
    }

    /// False when a view would have more in it than it can show.
    private func note(_ event: AdapterEvent) -> Bool {
        switch event {
        case .display(let change): views[change.view]?.note(change, limit: elementLimit) ?? true
        case .workingRange(let change): views[change.view]?.note(change, limit: elementLimit) ?? true
        case .picture(let change): views[change.view]?.note(change, limit: elementLimit) ?? true
        default: true
        }
    }

    /// The items, a header and a footer of each section, and the empty view.
    private var elementCount: Int { status.itemCount + 2 * snapshot.count + 1 }

    /// More elements than a view can show at once. What left the list may still be shown, and helpers hear of both at
    /// different times: so twice what the list has had at most.
    var elementLimit: Int { 2 * max(mostElements, elementCount) }

    /// A transaction was applied: the daemon's copy follows. False when it is not the one that was stored.
    private func note(_ transaction: Transaction) -> Bool {
        guard let stored, transaction.baseRevision == revision, transaction.revision == stored.transaction.revision
        else { return false }
        self.stored = nil
        apply(stored.transaction.content)
        revision = transaction.revision
        changes.append(transaction)
        keepIfPossible()
        return true
    }

    /// Takes an answer: once, and only to what was asked. False = it is not to be passed on; nil = no host says that.
    private func settle(_ id: RequestID, _ outcome: Result<AdapterAnswer, ListError>) -> Bool? {
        if id == Self.settlingRequest { return true }
        if id == stopping?.id { return true }
        guard let request = requests.removeValue(forKey: id), request.isSent else { return false }
        switch (request.command, outcome) {
        case (.openView(_, let view, _), .failure): views[view] = nil
        case (.view(_, let view, .resync), .success(.picture(let picture))):
            guard views[view]?.note(picture, limit: elementLimit) ?? true else { return nil }
        // What a worker died of is not what the view shows in the next one.
        case (.view(_, let view, let command), .success):
            views[view]?.note(command, limit: elementLimit) { snapshot.find($0) != nil }
        case (let command, .success): takeOptions(of: command)
        default: break
        }
        return true
    }

    /// The list has the options that were asked for.
    func takeOptions(of command: AdapterCommand) {
        guard case .configure(_, let configuration, let controllers) = command else { return }
        self.configuration = configuration
        if let controllers { self.controllers = controllers }
        refusals.removeAll()
    }
}

extension AdapterEffect {
    /// The view that it is about; nil when it is about the list, or answers a request.
    fileprivate var view: ViewID? {
        switch self {
        case .view(let view, _), .closed(let view, _): view
        case .event(.display(let change)): change.view
        case .event(.workingRange(let change)): change.view
        case .event(.picture(let change)): change.view
        case .event(.stalled(let view, _, _)), .event(.closed(let view)), .event(.nearEnd(let view, _)): view
        default: nil
        }
    }

    fileprivate func answers(_ id: RequestID?) -> Bool {
        if case .answer(let answered, _) = self { answered == id } else { false }
    }
}
