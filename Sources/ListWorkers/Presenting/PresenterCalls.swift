// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The calls of a list that a presenter answers, in order of arrival: those that wait for one, and those that one has and has
/// not answered.
///
/// Neither a call of which a worker died is sent again, nor one that waited while two workers died; and a user who
/// repeats such calls has to wait.
package struct PresenterCalls {
    /// A call that was sent and is not answered.
    package struct Call {
        package let command: AdapterCommand
        /// On whose behalf; nil = listd's own.
        package let user: UInt32?
        fileprivate var isSent = false
        /// How many presenters died while they had the call, and how many of these may have died of it.
        fileprivate var deaths = 0
        fileprivate var deathsInCallback = 0

        /// Whether it waits for its turn among the writes.
        package var isMove: Bool { if case .update = command { true } else { false } }
    }

    private var calls: [RequestID: Call] = [:]
    /// Calls in order of arrival; those that are answered are swept now and then.
    private var order: [RequestID] = []
    /// Those of them that were not sent, but for what waits for its turn among the writes.
    private var unsent: [RequestID] = []
    /// What the plugin is not asked any more, because a worker died of it.
    private var refusals = CallbackRefusals()

    /// Whether nothing is unanswered.
    package var isEmpty: Bool { calls.isEmpty }
    /// How many calls are not answered.
    package var count: Int { calls.count }

    /// Adds a call; a `MoveItem` is sent when its turn among the writes has come.
    package mutating func add(_ id: RequestID, _ command: AdapterCommand, by user: UInt32?) {
        calls[id] = Call(command: command, user: user)
        order.append(id)
        if calls[id]?.isMove == false { unsent.append(id) }
        if order.count > 64, order.count > 2 * calls.count { order.removeAll { calls[$0] == nil } }
    }

    /// The call that a request is, without being done with it.
    package subscript(_ id: RequestID) -> Call? { calls[id] }

    /// Removes and returns a call that is answered; nil for an answer without a call.
    package mutating func answered(_ id: RequestID) -> Call? {
        guard calls[id]?.isSent == true else { return nil }
        return calls.removeValue(forKey: id)
    }

    /// Takes out a `MoveItem`, which is answered among the writes.
    package mutating func remove(_ id: RequestID) { calls[id] = nil }

    /// The views that are about to be opened.
    package var openingViews: Set<ViewID> {
        Set(calls.values.compactMap { if case .openView(_, let view, _) = $0.command { view } else { nil } })
    }

    // MARK: Sending

    /// The calls that were not sent, in order; they are sent from now on, but for those that are refused.
    ///
    /// - Parameters:
    ///   - asksPlugin: whether the section controllers of the plugin are asked.
    ///   - position: finds the section of an object.
    ///   - isShown: whether a view shows something of an object.
    package mutating func popUnsent(
        asksPlugin: Bool, worker: (any PresentingWorker)?, position: (String) -> Int?, isShown: (ViewID, String) -> Bool
    ) -> [(id: RequestID, call: Call, error: ListError?)] {
        defer { unsent.removeAll(keepingCapacity: true) }
        return unsent.compactMap { id in
            guard let call = calls[id] else { return nil }
            let error = asksPlugin ? refusal(of: call, worker, position, isShown) : nil
            if error == nil { calls[id]?.isSent = true } else { calls[id] = nil }
            return (id, call, error)
        }
    }

    /// Sends a `MoveItem` whose turn has come; why it is refused, if it is.
    package mutating func sendMove(
        _ id: RequestID, asksPlugin: Bool, worker: (any PresentingWorker)?, position: (String) -> Int?
    ) -> ListError? {
        guard let call = calls[id] else { return nil }
        // A move is about an item, not about a view.
        let error = asksPlugin ? refusal(of: call, worker, position) { _, _ in false } : nil
        calls[id]?.isSent = error == nil
        return error
    }

    /// Takes out the calls of a view that were not sent: it is closed.
    package mutating func popUnsent(of view: ViewID) -> [RequestID] {
        let gone = unsent.filter { calls[$0]?.command.view == view }
        for id in gone { calls[id] = nil }
        unsent.removeAll { calls[$0] == nil }
        return gone
    }

    /// Takes out the calls that close views.
    package mutating func popClosings() -> [RequestID] {
        let closings = order.filter { id in
            if case .view(_, _, .close)? = calls[id]?.command { true } else { false }
        }
        for id in closings { calls[id] = nil }
        unsent.removeAll { calls[$0] == nil }
        return closings
    }

    /// Takes out everything: there is nobody to ask any more.
    package mutating func popAll() -> [(id: RequestID, call: Call)] {
        let all = order.compactMap { id in calls[id].map { (id: id, call: $0) } }
        (calls, order, unsent) = ([:], [], [])
        return all
    }

    // MARK: Losing a presenter

    /// Why a presenter is gone.
    package enum Loss {
        /// The list is presented elsewhere from now on.
        case move
        /// The worker has died, perhaps in a call for the list.
        case death(DeadlyCall?)

        package var isDeath: Bool { if case .death = self { true } else { false } }
    }

    /// Takes back what was sent and is not answered.
    ///
    /// - Returns: the calls that are not sent again, and why: a worker died of the call, or two died while they had it.
    package mutating func lose(
        _ loss: Loss, worker: (any PresentingWorker)?, viewport: (ViewID) -> Rect?
    ) -> [(id: RequestID, call: Call, error: ListError)] {
        var blamed: RequestID?
        if case .death(let call?) = loss { blamed = blame(for: call, worker, viewport) }
        defer { unsent = order.filter { calls[$0]?.isMove == false } }
        return order.compactMap { id in
            guard var call = calls[id], call.isSent else { return nil }
            call.isSent = false
            call.deaths += loss.isDeath ? 1 : 0
            calls[id] = call
            guard id == blamed || call.deaths > 1 else { return nil }
            calls[id] = nil
            let reason =
                id == blamed
                ? "the plugin's worker died of this call" : "the plugin's worker died twice before this was done"
            return (id, call, ListError(.pluginFailed, reason))
        }
    }

    /// Notes what a worker died of.
    ///
    /// - Returns: the request that is not sent again; nil = no single request is known to be the cause.
    private mutating func blame(
        for deadly: DeadlyCall, _ worker: (any PresentingWorker)?, _ viewport: (ViewID) -> Rect?
    ) -> RequestID? {
        let id = deadly.call.cause.flatMap { calls[$0.request] == nil ? nil : $0.request }
        if let id { calls[id]?.deathsInCallback += 1 }
        let call = id.flatMap { calls[$0] }
        // Of several calls that were under way, the cause is the one that is under way at the next death too.
        guard deadly.isCertain || (call?.deathsInCallback ?? 0) > 1 else { return nil }
        if let user = call?.user ?? deadly.call.cause?.user {
            worker?.recordDeath(by: user)
        }
        guard let id, let call else { return nil }
        refusals.add(
            call.command, dyingOn: deadly.call.object, in: deadly.call.description,
            viewport: call.command.view.flatMap(viewport))
        return id
    }

    // MARK: Refusing

    /// Why a call is not handed on; nil = it is.
    private func refusal(
        of call: Call, _ worker: (any PresentingWorker)?, _ position: (String) -> Int?,
        _ isShown: (ViewID, String) -> Bool
    ) -> ListError? {
        guard call.command.callsPlugin else { return nil }
        if let error = refusals.refusal(of: call.command, position: position, isShown: isShown) { return error }
        guard let user = call.user, let worker, let wait = worker.wait(of: user) else { return nil }
        let milliseconds = UInt64(wait.time / .milliseconds(1)) + 1
        return ListError(
            .pluginFailed,
            "plugin \(worker.name) died \(wait.deaths) times of calls of user \(user): it is called for that user again in "
                + "\(milliseconds) ms")
    }

    /// What was refused may be asked again.
    package mutating func forgetRefusals() { refusals.removeAll() }

    /// The list changes: refused calls on objects that have changed are sent again.
    package mutating func listChanges(_ changes: SectionChanges, in table: SectionTable) {
        guard !refusals.isEmpty else { return }
        let others = Set(changes.updates.map(\.old) + changes.deletes)
        refusals.listChanged(
            refusals.objects.filter { table.index(ofID: $0, .old).map(others.contains) ?? true })
    }

    /// Puts it together.
    package init() {
    }
}

extension AdapterCommand {
    /// The view that it is about.
    fileprivate var view: ViewID? {
        switch self {
        case .openView(_, let view, _), .view(_, let view, _), .closeView(let view, _): view
        case .update, .query, .configure, .hold, .keep, .stored, .stop: nil
        }
    }

    /// Whether it is a call of a viewer that comes to section controllers, and may be refused.
    fileprivate var callsPlugin: Bool {
        switch self {
        case .update(let request): if case .moveItem = request.operation { true } else { false }
        case .query(_, .items): true
        case .query(_, .objects), .query(_, .find), .query(_, .itemCounts), .query(_, .changes),
            .query(_, .description):
            false
        case .view(_, _, let command):
            switch command {
            case .setViewport, .setVisibleRange, .scrollTo, .reportScroll, .reportSizes, .select, .changeSelection,
                .invoke, .setHighlighted:
                true
            // Calls that a client needs in order to continue, or to leave.
            case .acknowledge, .resync, .close, .setOnScreen: false
            }
        case .openView, .closeView, .configure, .hold, .keep, .stored, .stop: false
        }
    }
}
