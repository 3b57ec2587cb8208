// SPDX-License-Identifier: Apache-2.0

/// A subscription to messages, until it is cancelled or the connection ends.
@DBusActor
public final class Subscription {
    fileprivate let rule: MatchRule
    fileprivate let onBus: Bool
    fileprivate let handler: @DBusActor (Message) -> Void
    private weak var connection: Connection?
    private weak var subscriptions: Subscriptions?
    /// False once it is cancelled, even while a message is being delivered.
    fileprivate private(set) var isActive = true

    fileprivate init(
        rule: MatchRule, onBus: Bool, connection: Connection, subscriptions: Subscriptions,
        handler: @escaping @DBusActor (Message) -> Void
    ) {
        self.rule = rule
        self.onBus = onBus
        (self.connection, self.subscriptions) = (connection, subscriptions)
        self.handler = handler
    }

    /// Cancels it: the handler is not called any more, and the rule is removed from the bus if no other subscription
    /// has it.
    public func cancel() {
        isActive = false
        if let connection { subscriptions?.cancel(self, on: connection) }
        connection = nil
    }
}

/// The subscriptions of one connection, and the owners of the well-known names in their rules.
@DBusActor
final class Subscriptions {
    /// A rule at the bus: the number of subscriptions with it, and the request that added it.
    private struct RuleUse {
        var count: Int
        let request: SharedRequest
    }

    private var active: [Subscription] = []
    private var rules: [String: RuleUse] = [:]
    private var owners: [String: String] = [:]
    /// The names whose owner is being asked for the first time.
    private var trackings: [String: SharedRequest] = [:]

    nonisolated init() {}

    /// Removes everything, when the connection has ended.
    func removeAll() {
        (active, rules, owners, trackings) = ([], [:], [:], [:])
    }

    /// Removes a subscription; false when there was none.
    private func remove(_ subscription: Subscription) -> Bool {
        guard let index = active.firstIndex(where: { $0 === subscription }) else { return false }
        active.remove(at: index)
        return true
    }

    /// Counts one more use of a rule; `isNew` means that it must be added to the bus.
    private func retain(_ rule: String) -> (request: SharedRequest, isNew: Bool) {
        let known = rules[rule]
        let request = known?.request ?? SharedRequest()
        rules[rule] = RuleUse(count: (known?.count ?? 0) + 1, request: request)
        return (request, known == nil)
    }

    /// True for the last use of a rule: it must be removed from the bus.
    private func release(_ rule: String) -> Bool {
        guard let use = rules[rule] else { return false }
        rules[rule] = use.count > 1 ? RuleUse(count: use.count - 1, request: use.request) : nil
        return use.count == 1
    }

    /// Removes a rule that this request failed to add; false when it was removed before.
    private func discard(_ rule: String, of request: SharedRequest) -> Bool {
        guard rules[rule]?.request === request else { return false }
        rules[rule] = nil
        return true
    }

    /// A direct connection has only one sender, whatever the rules and the message call it.
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

    /// Messages have unique names, rules may have well-known ones.
    private func senderMatches(_ wanted: String?, _ sender: String?) -> Bool {
        guard let wanted else { return true }
        return wanted == sender || (owners[wanted].map { $0 == sender } ?? false)
    }
}

// MARK: - Subscribing

extension Subscriptions {
    /// Adds a subscription, as `Connection.subscribe`.
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

    /// Adds a subscription at once; the request, if there is one, adds the rule to the bus.
    @discardableResult
    func add(
        _ rule: MatchRule, onBus: Bool, on connection: Connection, _ handler: @escaping @DBusActor (Message) -> Void
    ) -> (subscription: Subscription, request: SharedRequest?) {
        let subscription = Subscription(
            rule: rule, onBus: onBus, connection: connection, subscriptions: self, handler: handler)
        active.append(subscription)
        return (subscription, onBus ? addMatch(rule.text, on: connection) : nil)
    }

    fileprivate func cancel(_ subscription: Subscription, on connection: Connection) {
        guard remove(subscription), subscription.onBus else { return }
        guard release(subscription.rule.text) else { return }
        removeMatch(subscription.rule.text, on: connection)
    }

    /// The first subscription with a rule sends the request, at once; the others share its answer.
    private func addMatch(_ rule: String, on connection: Connection) -> SharedRequest {
        let (request, isNew) = retain(rule)
        guard isNew else { return request }
        do throws(DBusError) {
            connection.call(try connection.busCall("AddMatch", rule)) { [weak self, weak connection] result in
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
        // Without an answer the bus may still have added the rule.
        if case .failure = result, discard(rule, of: request) { removeMatch(rule, on: connection) }
        request.finish(result)
    }

    private func removeMatch(_ rule: String, on connection: Connection) {
        guard let message = try? connection.busCall("RemoveMatch", rule) else { return }
        try? connection.callWithoutReply(message)
    }

    /// Follows the owner of a name. Subscribers wait until the owner is known: before, its signals would not match.
    private func trackOwner(of name: String, on connection: Connection) async throws(DBusError) {
        guard owners[name] == nil else { return }
        try await (trackings[name] ?? beginTracking(of: name, on: connection)).wait()
    }

    /// Asks in a task of its own: the task that needs the name first may be cancelled, while others need it too.
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

    /// Whatever the outcome, the next task that needs the name finds it tracked or asks again.
    private func endTracking(of name: String, _ request: SharedRequest) {
        if trackings[name] === request { trackings[name] = nil }
    }
}
