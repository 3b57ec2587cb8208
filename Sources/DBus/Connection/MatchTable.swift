// SPDX-License-Identifier: Apache-2.0

/// A subscription to messages; it lasts until it is cancelled or the connection ends.
@DBusActor
public final class Subscription {
    fileprivate let rule: MatchRule
    fileprivate let onBus: Bool
    fileprivate let handler: @DBusActor (Message) -> Void
    private weak var connection: Connection?
    private weak var table: MatchTable?
    private var cancelHandlers: [@DBusActor () -> Void] = []
    /// Whether the subscription was not cancelled; checked even while a message is being delivered.
    fileprivate private(set) var isActive = true

    fileprivate init(
        rule: MatchRule, onBus: Bool, connection: Connection, table: MatchTable,
        handler: @escaping @DBusActor (Message) -> Void
    ) {
        self.rule = rule
        self.onBus = onBus
        (self.connection, self.table) = (connection, table)
        self.handler = handler
    }

    /// Cancels the subscription. The handler is not called any more. The rule is removed from the bus if no other
    /// subscription uses it.
    public func cancel() {
        isActive = false
        if let connection { table?.cancel(self, on: connection) }
        connection = nil
        let handlers = cancelHandlers
        cancelHandlers = []
        for handler in handlers { handler() }
    }

    /// Adds a handler that is called once when the subscription is cancelled; at once if it was cancelled already.
    public func onCancel(_ handler: @escaping @DBusActor () -> Void) {
        if isActive { cancelHandlers.append(handler) } else { handler() }
    }
}

/// The match rules of one connection: who has subscribed with them, which of them the bus has, and the owners of the
/// well-known names in them.
@DBusActor
final class MatchTable {
    private var active: [Subscription] = []
    /// The rules that were added to the bus: the number of subscriptions of each, and the request that added it.
    private var rules: [String: (count: Int, request: SharedRequest)] = [:]
    private var owners: [String: String] = [:]
    /// The requests for the owners of names that are being looked up for the first time.
    private var trackings: [String: SharedRequest] = [:]

    nonisolated init() {}

    /// Removes all subscriptions after the connection has ended.
    func removeAll() {
        (active, rules, owners, trackings) = ([], [:], [:], [:])
    }

    /// Removes a subscription. Returns `false` when it was already removed.
    private func remove(_ subscription: Subscription) -> Bool {
        guard let index = active.firstIndex(where: { $0 === subscription }) else { return false }
        active.remove(at: index)
        return true
    }

    /// Counts one more subscription of a rule. If `isNew`, the caller must add the rule to the bus.
    private func retain(_ rule: String) -> (request: SharedRequest, isNew: Bool) {
        let known = rules[rule]
        let request = known?.request ?? SharedRequest()
        rules[rule] = ((known?.count ?? 0) + 1, request)
        return (request, known == nil)
    }

    /// Counts one subscription of a rule less. Returns `true` for the last one: the caller must remove the rule from
    /// the bus.
    private func release(_ rule: String) -> Bool {
        guard let use = rules[rule] else { return false }
        rules[rule] = use.count > 1 ? (use.count - 1, use.request) : nil
        return use.count == 1
    }

    /// Removes a rule that `request` failed to add. Returns `false` when the rule was already removed.
    private func discard(_ rule: String, of request: SharedRequest) -> Bool {
        guard rules[rule]?.request === request else { return false }
        rules[rule] = nil
        return true
    }

    /// Calls the handlers of all matching subscriptions.
    ///
    /// - Parameter ignoringSender: whether to ignore the sender in rules and messages, as on a direct connection, which
    ///   has a single sender.
    func deliver(_ message: Message, ignoringSender: Bool) {
        guard !active.isEmpty else { return }
        let sender = message.sender
        for subscription in active
        where subscription.isActive && (ignoringSender || senderMatches(subscription.rule.sender, sender))
            && subscription.rule.matchesIgnoringSender(message)
        {
            subscription.handler(message)
        }
    }

    /// Returns whether the sender of a message meets a rule. Messages carry unique names; rules may contain
    /// well-known names.
    private func senderMatches(_ wanted: String?, _ sender: String?) -> Bool {
        guard let wanted else { return true }
        return wanted == sender || (owners[wanted].map { $0 == sender } ?? false)
    }
}

// MARK: - Subscribing

extension MatchTable {
    /// Adds a subscription as `Connection.subscribe` does.
    func subscribe(
        _ rule: MatchRule, onBus: Bool, on connection: Connection, _ handler: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        try rule.validate()
        if connection.isBus, let sender = rule.sender, sender != Bus.name, Names.isWellKnownName(sender) {
            try await trackOwner(of: sender, on: connection)
        }
        let (subscription, request) = add(rule, onBus: onBus && connection.isBus, on: connection, handler)
        guard let request else { return subscription }
        do throws(DBusError) {
            try await request.wait()
            return subscription
        } catch {
            if request.hasFailed { _ = remove(subscription) } else { subscription.cancel() }
            throw error
        }
    }

    /// Adds a subscription without waiting. The request, if any, adds the rule to the bus.
    @discardableResult
    func add(
        _ rule: MatchRule, onBus: Bool, on connection: Connection, _ handler: @escaping @DBusActor (Message) -> Void
    ) -> (subscription: Subscription, request: SharedRequest?) {
        let subscription = Subscription(
            rule: rule, onBus: onBus, connection: connection, table: self, handler: handler)
        active.append(subscription)
        return (subscription, onBus ? addMatch(rule.text, on: connection) : nil)
    }

    fileprivate func cancel(_ subscription: Subscription, on connection: Connection) {
        guard remove(subscription), subscription.onBus else { return }
        guard release(subscription.rule.text) else { return }
        removeMatch(subscription.rule.text, on: connection)
    }

    /// Adds a rule to the bus. The first subscription with a rule sends the request, at once; later ones share its
    /// answer.
    private func addMatch(_ rule: String, on connection: Connection) -> SharedRequest {
        let (request, isNew) = retain(rule)
        guard isNew else { return request }
        do throws(DBusError) {
            connection.call(try connection.makeBusCall("AddMatch", argument: rule)) {
                [weak self, weak connection] result in
                guard let self, let connection else { return }
                finish(request, for: rule, result.map { _ in }, on: connection)
            }
        } catch {
            finish(request, for: rule, .failure(error), on: connection)
        }
        return request
    }

    private func finish(
        _ request: SharedRequest, for rule: String, _ result: Result<Void, DBusError>, on connection: Connection
    ) {
        // Without an answer, the bus may have added the rule nevertheless.
        if case .failure = result, discard(rule, of: request) { removeMatch(rule, on: connection) }
        request.finish(result)
    }

    private func removeMatch(_ rule: String, on connection: Connection) {
        guard let message = try? connection.makeBusCall("RemoveMatch", argument: rule) else { return }
        try? connection.callWithoutReply(message)
    }

    /// Tracks the owner of a name, and waits until the owner is known: until then, no signal of the owner matches.
    private func trackOwner(of name: String, on connection: Connection) async throws(DBusError) {
        guard owners[name] == nil else { return }
        try await (trackings[name] ?? beginTracking(of: name, on: connection)).wait()
    }

    /// Looks up the owner in a task of its own, because the task that needs the name first may be cancelled while
    /// others need it too.
    private func beginTracking(of name: String, on connection: Connection) -> SharedRequest {
        let request = SharedRequest()
        trackings[name] = request
        Task { @DBusActor in
            do throws(DBusError) {
                _ = try await connection.watchOwner(of: name) { [weak self] owner in self?.owners[name] = owner ?? "" }
                endTracking(of: name, request)
                request.finish(.success(()))
            } catch {
                endTracking(of: name, request)
                request.finish(.failure(error))
            }
        }
        return request
    }

    /// Ends the first lookup of a name. The next task that needs the name finds its owner, or repeats a failed
    /// lookup.
    private func endTracking(of name: String, _ request: SharedRequest) {
        if trackings[name] === request { trackings[name] = nil }
    }
}

/// A request to the bus that is sent once for all tasks that need its answer.
///
/// Cancelling a task ends only that task's wait: the request continues for the others.
@DBusActor
final class SharedRequest {
    private var answer: Result<Void, DBusError>?
    private var waiting: [Gate<Void>] = []

    /// Whether the request was refused or got no answer.
    var hasFailed: Bool { if case .failure = answer { true } else { false } }

    /// Passes the answer to all tasks that wait now or later.
    func finish(_ result: Result<Void, DBusError>) {
        answer = result
        let gates = waiting
        waiting = []
        for gate in gates { gate.open(result) }
    }

    /// Waits for the answer to the request.
    ///
    /// - Throws: the error of the request; `NoReply` when the waiting task is cancelled.
    func wait() async throws(DBusError) {
        if let answer { return try answer.get() }
        let gate = Gate<Void>()
        waiting.append(gate)
        let result = await withTaskCancellationHandler {
            await gate.result()
        } onCancel: {
            gate.open(.failure(.noReply("the call was cancelled")))
        }
        try result.get()
    }
}
