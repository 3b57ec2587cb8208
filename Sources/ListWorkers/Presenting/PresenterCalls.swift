// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The unanswered calls of a list that its presenter answers, in order of arrival, whether they were sent or not.
///
/// When a presenter is lost, its calls are sent to the next one. But a call is not sent again if a worker died of it,
/// or if two workers died while they had it. A user whose calls repeatedly kill workers has to wait.
package struct PresenterCalls {
    /// An unanswered call.
    package struct Call {
        package let order: PresenterOrder
        /// The user on whose behalf the call is made; nil = listd itself.
        package let user: UInt32?
        fileprivate var isSent = false
        /// The number of presenters that died while they had the call.
        fileprivate var deaths = 0
        /// The number of presenters that died in a callback which this call had caused.
        fileprivate var deathsInCallback = 0

        /// Whether the call is a `MoveItem`, which the list executes in order with its writes.
        package var isMove: Bool { if case .moveItem = order { true } else { false } }
    }

    private var calls: [RequestID: Call] = [:]
    /// The calls in order of arrival, including answered ones that are not removed yet.
    private var order: [RequestID] = []
    /// The calls that were not sent, in order of arrival, except for those of `MoveItem`.
    private var unsent: [RequestID] = []
    /// The calls that are refused because a worker died of similar ones.
    private var refusals = CallbackRefusals()

    /// Whether all calls are answered.
    package var isEmpty: Bool { calls.isEmpty }
    /// The number of unanswered calls.
    package var count: Int { calls.count }

    /// Adds a call, which is sent by ``popUnsent(asksPlugin:worker:position:isShown:)``. A `MoveItem` is sent by
    /// ``sendMove(_:asksPlugin:worker:position:)`` instead.
    package mutating func add(_ id: RequestID, _ order: PresenterOrder, by user: UInt32?) {
        calls[id] = Call(order: order, user: user)
        self.order.append(id)
        if calls[id]?.isMove == false { unsent.append(id) }
        if self.order.count > 64, self.order.count > 2 * calls.count { self.order.removeAll { calls[$0] == nil } }
    }

    /// The unanswered call of a request.
    package subscript(_ id: RequestID) -> Call? { calls[id] }

    /// Removes and returns a call that the presenter has answered; nil if no such call was sent.
    package mutating func popAnswered(_ id: RequestID) -> Call? {
        guard calls[id]?.isSent == true else { return nil }
        return calls.removeValue(forKey: id)
    }

    /// Removes a `MoveItem` that the list itself has answered, as it answers its writes.
    package mutating func remove(_ id: RequestID) { calls[id] = nil }

    /// The views that are about to be opened.
    package var openingViews: Set<ViewID> {
        Set(calls.values.compactMap { if case .openView(_, let view, _) = $0.order { view } else { nil } })
    }

    // MARK: Sending

    /// Returns the unsent calls in order, and marks them as sent. Refused calls are removed, and returned with the
    /// error.
    ///
    /// - Parameters:
    ///   - asksPlugin: whether the calls reach the plugin's section controllers, so that some may be refused.
    ///   - position: finds the section of an object.
    ///   - isShown: whether a view displays a part of an object.
    package mutating func popUnsent(
        asksPlugin: Bool, worker: (any PresentingWorker)?, position: (String) -> Int?, isShown: (ViewID, String) -> Bool
    ) -> [(id: RequestID, call: Call, error: ListError?)] {
        defer { unsent.removeAll(keepingCapacity: true) }
        return unsent.compactMap { id in
            guard let call = calls[id] else { return nil }
            let error = asksPlugin ? refusal(of: call, worker: worker, position: position, isShown: isShown) : nil
            if error == nil { calls[id]?.isSent = true } else { calls[id] = nil }
            return (id, call, error)
        }
    }

    /// Marks a `MoveItem` as sent, or returns the error with which it is refused. Call this when the list has executed
    /// the writes before it.
    package mutating func sendMove(
        _ id: RequestID, asksPlugin: Bool, worker: (any PresentingWorker)?, position: (String) -> Int?
    ) -> ListError? {
        guard let call = calls[id] else { return nil }
        // A move is about an item, not about a view.
        let error = asksPlugin ? refusal(of: call, worker: worker, position: position) { _, _ in false } : nil
        calls[id]?.isSent = error == nil
        return error
    }

    /// Removes and returns the unsent calls of a view that is closed.
    package mutating func popUnsent(of view: ViewID) -> [RequestID] {
        let gone = unsent.filter { calls[$0]?.order.view == view }
        for id in gone { calls[id] = nil }
        unsent.removeAll { calls[$0] == nil }
        return gone
    }

    /// Removes and returns the calls that close views.
    package mutating func popClosings() -> [RequestID] {
        let closings = order.filter { id in
            if case .view(_, _, .close)? = calls[id]?.order { true } else { false }
        }
        for id in closings { calls[id] = nil }
        unsent.removeAll { calls[$0] == nil }
        return closings
    }

    /// Removes and returns all calls.
    package mutating func popAll() -> [(id: RequestID, call: Call)] {
        let all = order.compactMap { id in calls[id].map { (id: id, call: $0) } }
        (calls, order, unsent) = ([:], [], [])
        return all
    }

    // MARK: Losing a presenter

    /// The reason for which a list loses its presenter.
    package enum Loss {
        /// The list moves to another presenter.
        case move
        /// The worker has died, perhaps in a callback of the list.
        case death(DeadlyCall?)

        package var isDeath: Bool { if case .death = self { true } else { false } }
    }

    /// Marks all calls as unsent, so that the next presenter gets them, and removes those that must not be sent again.
    ///
    /// - Returns: the removed calls with the error: a worker died of the call, or two workers died while they had it.
    package mutating func markUnsent(
        after loss: Loss, worker: (any PresentingWorker)?, viewport: (ViewID) -> Rect?
    ) -> [(id: RequestID, call: Call, error: ListError)] {
        var blamed: RequestID?
        var reason = "the plugin's worker died during this call"
        if case .death(let call?) = loss {
            blamed = recordDeath(in: call, worker: worker, viewport: viewport)
            if call.isHang { reason += ", in \(call.description)" }
        }
        defer { unsent = order.filter { calls[$0]?.isMove == false } }
        return order.compactMap { id in
            guard var call = calls[id], call.isSent else { return nil }
            call.isSent = false
            call.deaths += loss.isDeath ? 1 : 0
            calls[id] = call
            guard id == blamed || call.deaths > 1 else { return nil }
            calls[id] = nil
            let known = id == blamed ? reason : "the plugin's worker died twice before it answered this call"
            return (id, call, ListError(.pluginFailed, known))
        }
    }

    /// Records the callback in which a worker died, and refuses similar calls from now on.
    ///
    /// - Returns: the request that is not sent again; nil = no request is known to be the cause.
    private mutating func recordDeath(
        in deadly: DeadlyCall, worker: (any PresentingWorker)?, viewport: (ViewID) -> Rect?
    ) -> RequestID? {
        let id = deadly.call.cause.flatMap { calls[$0.request] == nil ? nil : $0.request }
        if let id { calls[id]?.deathsInCallback += 1 }
        let call = id.flatMap { calls[$0] }
        // If several callbacks were running, a call is the cause when its callback is running at the next death, too.
        guard deadly.isCertain || (call?.deathsInCallback ?? 0) > 1 else { return nil }
        if let user = call?.user ?? deadly.call.cause?.user {
            worker?.recordDeath(by: user)
        }
        guard let id, let call else { return nil }
        refusals.add(
            call.order, dyingOn: deadly.call.object, in: deadly.description,
            viewport: call.order.view.flatMap(viewport))
        return id
    }

    // MARK: Refusing

    /// Returns the error with which a call is refused; nil = the call may be sent.
    private func refusal(
        of call: Call, worker: (any PresentingWorker)?, position: (String) -> Int?,
        isShown: (ViewID, String) -> Bool
    ) -> ListError? {
        guard call.order.callsPlugin else { return nil }
        if let error = refusals.refusal(of: call.order, position: position, isShown: isShown) { return error }
        guard let user = call.user, let worker, let wait = worker.remainingWait(of: user) else { return nil }
        let milliseconds = UInt64(wait.time / .milliseconds(1)) + 1
        return ListError(
            .pluginFailed,
            "the worker of plugin \(worker.name) died \(wait.deaths) times in calls of user \(user), whose calls are "
                + "refused for another \(milliseconds) ms")
    }

    /// Allows calls again that were refused because workers had died in them.
    package mutating func forgetRefusals() { refusals.removeAll() }

    /// Ends the refusal of calls that are about objects which a change of the list updates or removes.
    package mutating func listWillChange(by change: Change, in table: SectionTable) {
        guard !refusals.isEmpty else { return }
        let others = Set(change.updated.map(\.old) + change.removed.map(\.old))
        refusals.removeObsolete(
            changed: refusals.objects.filter { table.index(ofID: $0, .old).map(others.contains) ?? true })
    }

    package init() {
    }
}

extension PresenterOrder {
    /// The view that the order is about; nil when it is about the list.
    fileprivate var view: ViewID? {
        switch self {
        case .openView(_, let view, _), .view(_, let view, _), .closeView(let view): view
        case .open, .present, .objects, .moveItem, .query, .hold, .allowChanges: nil
        }
    }

    /// Whether the order is a viewer's call that reaches section controllers and may be refused.
    fileprivate var callsPlugin: Bool {
        switch self {
        case .moveItem, .query(_, .items): true
        case .view(_, _, let command):
            switch command {
            case .setViewport, .setVisibleRange, .scrollTo, .reportScroll, .reportSizes, .select, .changeSelection,
                .invoke, .setHighlighted:
                true
            // Calls that a client needs in order to continue, or to leave.
            case .acknowledge, .resync, .close, .setOnScreen: false
            }
        case .open, .present, .objects, .openView, .closeView, .query(_, .itemCounts), .hold, .allowChanges: false
        }
    }
}
