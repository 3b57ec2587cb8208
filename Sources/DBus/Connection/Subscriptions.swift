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
    private(set) var active: [Subscription] = []
    private var ruleUses: [String: Int] = [:]
    private(set) var owners: [String: String] = [:]

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

    /// True for the first use of a rule: the bus has to be told.
    mutating func retain(_ rule: String) -> Bool {
        ruleUses[rule, default: 0] += 1
        return ruleUses[rule] == 1
    }

    /// True for the last use of a rule: the bus has to be told.
    mutating func release(_ rule: String) -> Bool {
        guard let uses = ruleUses[rule] else { return false }
        ruleUses[rule] = uses > 1 ? uses - 1 : nil
        return uses == 1
    }

    mutating func setOwner(_ owner: String, of name: String) {
        owners[name] = owner
    }

    func isTracked(_ name: String) -> Bool { owners[name] != nil }

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
        guard subscription.onBus, subscriptions.retain(rule.text) else { return subscription }
        do throws(DBusError) {
            try await bus.call("AddMatch", rule.text)
            return subscription
        } catch {
            _ = subscriptions.remove(subscription)
            _ = subscriptions.release(rule.text)
            throw error
        }
    }

    func cancel(_ subscription: Subscription) {
        guard subscriptions.remove(subscription), subscription.onBus else { return }
        guard subscriptions.release(subscription.rule.text) else { return }
        removeMatch(subscription.rule.text)
    }

    private func removeMatch(_ rule: String) {
        let message = try? Message.methodCall(to: Bus.name, path: Bus.path, interface: Bus.name, member: "RemoveMatch")
        guard let message, (try? message.write(rule)) != nil else { return }
        try? callWithoutReply(message)
    }

    /// Follows who owns a name. Everything is asked in this order on one connection, so that no signal of the owner
    /// arrives before the owner is known.
    private func trackOwner(of name: String) async throws(DBusError) {
        guard !subscriptions.isTracked(name) else { return }
        subscriptions.setOwner("", of: name)
        _ = try await watchOwner(of: name) { [weak self] owner in
            self?.subscriptions.setOwner(owner ?? "", of: name)
        }
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
