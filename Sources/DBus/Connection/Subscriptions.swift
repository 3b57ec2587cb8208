// SPDX-License-Identifier: Apache-2.0

/// A wish for messages, until it is cancelled or the connection ends.
@DBusActor
public final class Subscription {
    let rule: MatchRule
    let onBus: Bool
    fileprivate let handler: @DBusActor (Message) -> Void
    private weak var connection: Connection?
    /// False once it is cancelled, even while a message is being handed round.
    fileprivate private(set) var isActive = true

    init(
        rule: MatchRule, onBus: Bool, connection: Connection, handler: @escaping @DBusActor (Message) -> Void
    ) {
        self.rule = rule
        self.onBus = onBus
        self.connection = connection
        self.handler = handler
    }

    /// Ends it: the handler is not called any more, and the bus is told when nobody else wants the same.
    public func cancel() {
        isActive = false
        connection?.cancel(self)
        connection = nil
    }
}

/// The subscriptions of one connection, and who owns the well-known names that they ask for.
@DBusActor
struct SubscriptionTable {
    /// A rule at the bus: how many subscriptions want it, and the request that brought it there.
    private struct RuleUse {
        var count: Int
        let request: SharedRequest
    }

    private(set) var active: [Subscription] = []
    private var rules: [String: RuleUse] = [:]
    private(set) var owners: [String: String] = [:]
    /// The names whose owner is being asked for the first time.
    private var trackings: [String: SharedRequest] = [:]

    nonisolated init() {}

    mutating func add(_ subscription: Subscription) {
        active.append(subscription)
    }

    /// False when it was not there.
    mutating func remove(_ subscription: Subscription) -> Bool {
        guard let index = active.firstIndex(where: { $0 === subscription }) else { return false }
        active.remove(at: index)
        return true
    }

    /// Counts one more use of a rule; `isNew` says that the bus has to be told.
    mutating func retain(_ rule: String) -> (request: SharedRequest, isNew: Bool) {
        let known = rules[rule]
        let request = known?.request ?? SharedRequest()
        rules[rule] = RuleUse(count: (known?.count ?? 0) + 1, request: request)
        return (request, known == nil)
    }

    /// True for the last use of a rule: the bus has to be told.
    mutating func release(_ rule: String) -> Bool {
        guard let use = rules[rule] else { return false }
        rules[rule] = use.count > 1 ? RuleUse(count: use.count - 1, request: use.request) : nil
        return use.count == 1
    }

    /// Forgets a rule that this request did not bring to the bus; false when it is not there any more.
    mutating func discard(_ rule: String, of request: SharedRequest) -> Bool {
        guard rules[rule]?.request === request else { return false }
        rules[rule] = nil
        return true
    }

    mutating func setOwner(_ owner: String, of name: String) {
        owners[name] = owner
    }

    func isTracked(_ name: String) -> Bool { owners[name] != nil }

    func tracking(of name: String) -> SharedRequest? { trackings[name] }

    mutating func beginTracking(of name: String) -> SharedRequest {
        let request = SharedRequest()
        trackings[name] = request
        return request
    }

    /// Whatever came of it, the next one who needs the name finds it tracked or begins anew.
    mutating func endTracking(of name: String, _ request: SharedRequest) {
        if trackings[name] === request { trackings[name] = nil }
    }

    /// On a direct connection there is only one sender, whatever the rules and the message call it.
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

    /// Messages carry unique names, rules may ask for well-known ones.
    private func senderMatches(_ wanted: String?, _ sender: String?) -> Bool {
        guard let wanted else { return true }
        return wanted == sender || (owners[wanted].map { $0 == sender } ?? false)
    }
}

extension Connection {
    /// Calls `handler` for each message that `rule` selects, in their order, until the subscription is cancelled.
    ///
    /// The bus is asked for the rule (once, however many want the same). With `onBus: false` it is not: signals sent to
    /// us alone come without asking. On a direct connection there is nobody to ask.
    /// - Throws: `MatchRuleInvalid`; what the bus answers, such as `LimitsExceeded` for too many rules; `Disconnected`.
    public func subscribe(
        _ rule: MatchRule, onBus: Bool = true, _ handler: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        try rule.validate()
        let subscription = Subscription(rule: rule, onBus: onBus && isBus, connection: self, handler: handler)
        if isBus, let sender = rule.sender, sender != Bus.name, Names.isWellKnownName(sender) {
            try await trackOwner(of: sender)
        }
        subscriptions.add(subscription)
        guard subscription.onBus else { return subscription }
        let request = addMatch(rule.text)
        do throws(DBusError) {
            try await request.wait()
            return subscription
        } catch {
            if request.hasFailed { _ = subscriptions.remove(subscription) } else { subscription.cancel() }
            throw error
        }
    }

    func cancel(_ subscription: Subscription) {
        guard subscriptions.remove(subscription), subscription.onBus else { return }
        guard subscriptions.release(subscription.rule.text) else { return }
        removeMatch(subscription.rule.text)
    }

    /// The first one who wants a rule asks the bus, at once; the others share its answer.
    func addMatch(_ rule: String) -> SharedRequest {
        let (request, isNew) = subscriptions.retain(rule)
        guard isNew else { return request }
        do throws(DBusError) {
            call(try busCall("AddMatch", rule)) { [weak self] result in
                self?.finish(request, for: rule, result.map { _ in })
            }
        } catch {
            finish(request, for: rule, .failure(error))
        }
        return request
    }

    private func finish(_ request: SharedRequest, for rule: String, _ result: Result<Void, DBusError>) {
        // Without an answer the bus may still have taken the rule.
        if case .failure = result, subscriptions.discard(rule, of: request) { removeMatch(rule) }
        request.finish(result)
    }

    private func removeMatch(_ rule: String) {
        guard let message = try? busCall("RemoveMatch", rule) else { return }
        try? callWithoutReply(message)
    }

    /// Follows who owns a name. Nobody goes on before the owner is known: its signals would not be taken for its own.
    private func trackOwner(of name: String) async throws(DBusError) {
        guard !subscriptions.isTracked(name) else { return }
        try await (subscriptions.tracking(of: name) ?? beginTracking(of: name)).wait()
    }

    /// Asks in a task of its own: the one who needs the name first may be cancelled, others need it too.
    private func beginTracking(of name: String) -> SharedRequest {
        let request = subscriptions.beginTracking(of: name)
        Task { @DBusActor in
            do throws(DBusError) {
                _ = try await watchOwner(of: name) { [weak self] owner in
                    self?.subscriptions.setOwner(owner ?? "", of: name)
                }
                subscriptions.endTracking(of: name, request)
                request.finish(.success(()))
            } catch {
                subscriptions.endTracking(of: name, request)
                request.finish(.failure(error))
            }
        }
        return request
    }

    func receivedSignal(_ message: Message) {
        if isBus && message.sender == Bus.name { receivedBusSignal(message) }
        subscriptions.deliver(message, ignoringSender: !isBus)
    }

    /// Signals of the bus to us alone: names that are, or are no longer, ours.
    private func receivedBusSignal(_ message: Message) {
        guard message.interface == Bus.name, let member = message.member else { return }
        guard member == "NameAcquired" || member == "NameLost", let name = try? message.decode(as: String.self) else {
            return
        }
        events.name(member == "NameLost" ? .lost(name) : .acquired(name))
    }
}
