// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) package import ListKit

/// The unanswered calls of a list that its presenter answers, in order of arrival, whether they were sent or not.
///
/// When a presenter is lost, its calls are sent to the next one. But a call is not sent again if a worker died of it,
/// or if two workers died while they had it. A user whose calls repeatedly kill workers has to wait.
package struct PresenterCalls {
    /// Receives the answer to a call.
    package typealias Completion = @DBusActor (Result<PresenterAnswer, ListError>) -> Void

    /// An unanswered call.
    package struct Call {
        package let order: PresenterOrder
        /// The user on whose behalf the call is made; nil = listd itself.
        package let user: UInt32?
        /// Where the answer goes; nil for a `MoveItem`, which the list answers as it answers its writes.
        package let done: Completion?
        /// The client whose later reads of properties wait for the answer; nil = none does.
        fileprivate let client: ObjectIdentifier?
        /// The reads of properties that wait for the answer.
        package fileprivate(set) var reads: [@DBusActor () -> Void] = []
        /// Whether the present presenter has the call.
        package fileprivate(set) var isSent = false
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
    /// The objects in whose callbacks workers died.
    package var fatal = FatalObjects()

    /// Whether all calls are answered.
    package var isEmpty: Bool { calls.isEmpty }
    /// The number of unanswered calls.
    package var count: Int { calls.count }

    /// Adds a call, which is sent by ``popUnsent(asksPlugin:worker:)``. A `MoveItem` is sent by
    /// ``sendMove(_:asksPlugin:worker:position:)`` instead.
    package mutating func add(
        _ id: RequestID, _ order: PresenterOrder, by user: UInt32?, for client: ObjectIdentifier? = nil,
        done: Completion? = nil
    ) {
        calls[id] = Call(order: order, user: user, done: done, client: client)
        self.order.append(id)
        if calls[id]?.isMove == false { unsent.append(id) }
        if self.order.count > 64, self.order.count > 2 * calls.count { self.order.removeAll { calls[$0] == nil } }
    }

    /// Whether a call of a client is not answered.
    package func hasCall(of client: ObjectIdentifier) -> Bool { calls.values.contains { $0.client == client } }

    /// Keeps a read of properties until the client's calls, which are answered in order, are answered; returns `false` if
    /// they are.
    package mutating func hold(_ read: @escaping @DBusActor () -> Void, behindCallsOf client: ObjectIdentifier) -> Bool
    {
        guard let last = order.last(where: { calls[$0]?.client == client }) else { return false }
        calls[last]?.reads.append(read)
        return true
    }

    /// The unanswered call of a request.
    package subscript(_ id: RequestID) -> Call? { calls[id] }

    /// Removes and returns a call that is answered.
    @discardableResult
    package mutating func remove(_ id: RequestID) -> Call? { calls.removeValue(forKey: id) }

    /// The views that are about to be opened.
    package var openingViews: Set<ViewID> {
        Set(calls.values.compactMap { if case .openView(_, let view, _) = $0.order { view } else { nil } })
    }

    // MARK: Sending

    /// Returns the unsent calls in order, and marks them as sent. Refused calls are removed, and returned with the
    /// error.
    ///
    /// - Parameter asksPlugin: whether the calls reach the plugin's section controllers, so that some may be refused.
    package mutating func popUnsent(
        asksPlugin: Bool, worker: (any PresentingWorker)?
    ) -> [(id: RequestID, call: Call, error: ListError?)] {
        defer { unsent.removeAll(keepingCapacity: true) }
        return unsent.compactMap { id in
            guard let call = calls[id] else { return nil }
            // A move is not among the unsent calls.
            let error = asksPlugin ? refusal(of: call, worker: worker) { _ in nil } : nil
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
        let error = asksPlugin ? refusal(of: call, worker: worker, position: position) : nil
        calls[id]?.isSent = error == nil
        return error
    }

    /// Removes and returns the unsent calls of a view that is closed.
    package mutating func popUnsent(of view: ViewID) -> [Call] {
        remove(unsent.filter { calls[$0]?.order.view == view })
    }

    private mutating func remove(_ ids: [RequestID]) -> [Call] {
        defer { unsent.removeAll { calls[$0] == nil } }
        return ids.compactMap { calls.removeValue(forKey: $0) }
    }

    /// Removes and returns the calls that close views.
    package mutating func popClosings() -> [Call] {
        remove(
            order.filter { id in
                if case .view(_, _, .close)? = calls[id]?.order { true } else { false }
            })
    }

    /// Removes and returns all calls.
    package mutating func popAll() -> [Call] {
        defer { (calls, order, unsent) = ([:], [], []) }
        return order.compactMap { calls[$0] }
    }

    // MARK: Losing a presenter

    /// Marks all calls as unsent, so that the next presenter gets them, and removes those that must not be sent again.
    ///
    /// - Parameters:
    ///   - death: the death of the presenter's worker; nil = the list moves to another presenter.
    ///   - isKnown: whether the list has an object.
    /// - Returns: the removed calls with the error: a worker died of the call, or two workers died while they had it; and the
    ///   fault of the object that is at fault from this death on.
    package mutating func markUnsent(
        after death: Death?, worker: (any PresentingWorker)?, isKnown: (String) -> Bool
    ) -> (refused: [(id: RequestID, call: Call, error: ListError)], fault: SectionFault?) {
        let (blamed, fault) = death.map { record($0, worker: worker, isKnown: isKnown) } ?? (nil, nil)
        let reason = "the plugin's worker died during this call, in \(death?.place ?? "")"
        defer { unsent = order.filter { calls[$0]?.isMove == false } }
        let refused = order.compactMap { id -> (id: RequestID, call: Call, error: ListError)? in
            guard var call = calls[id], call.isSent else { return nil }
            call.isSent = false
            call.deaths += death == nil ? 0 : 1
            calls[id] = call
            guard id == blamed || call.deaths > 1 else { return nil }
            calls[id] = nil
            let known = id == blamed ? reason : "the plugin's worker died twice before it answered this call"
            return (id, call, ListError(.pluginFailed, known))
        }
        return (refused, fault)
    }

    /// Records whose call and which object a death is to blame on.
    ///
    /// - Returns: the request that is not sent again, nil = no request is known to be the cause; and a new fault.
    private mutating func record(
        _ death: Death, worker: (any PresentingWorker)?, isKnown: (String) -> Bool
    ) -> (RequestID?, SectionFault?) {
        guard let callback = death.callback else { return (nil, nil) }
        let id = calls[callback.request] == nil ? nil : callback.request
        if let id { calls[id]?.deathsInCallback += 1 }
        let call = id.flatMap { calls[$0] }
        // If several callbacks were running, a call is the cause when its callback is running at the next death, too.
        let isCause = death.isCertain || (call?.deathsInCallback ?? 0) > 1
        let isOfCaller = isCause && callback.isOfCaller
        let fault = isKnown(callback.object) ? fatal.record(death, isOfCaller: isOfCaller) : nil
        guard isCause else { return (nil, fault) }
        if let user = call?.user ?? callback.user { worker?.recordDeath(by: user) }
        return (id, fault)
    }

    // MARK: Refusing

    /// Returns the error with which a call is refused; nil = the call may be sent.
    ///
    /// - Parameter position: finds the section of an object.
    private func refusal(
        of call: Call, worker: (any PresentingWorker)?, position: (String) -> Int?
    ) -> ListError? {
        guard call.order.callsPlugin else { return nil }
        switch call.order {
        case .view(_, _, let command):
            if let error = fatal.refusal(of: command) { return error }
        case .moveItem(let move):
            if let error = fatal.refusal(ofMoveFrom: move.from.section, position: position) { return error }
        case .query, .openView, .hold, .allowChanges: break
        }
        return call.user.flatMap { worker?.refusal(of: $0, .pluginFailed) }
    }

    package init() {
    }
}

extension PresenterOrder {
    /// The view that the order is about; nil when it is about the list.
    fileprivate var view: ViewID? {
        switch self {
        case .openView(_, let view, _), .view(_, let view, _): view
        case .moveItem, .query, .hold, .allowChanges: nil
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
        case .openView, .query(_, .itemCounts), .hold, .allowChanges: false
        }
    }
}
