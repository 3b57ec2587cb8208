// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// The kinds of signals that an adapter sends to subscribers.
package struct AdapterEvents: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `Updated`.
    package static let updates = AdapterEvents(rawValue: 1)
    /// `DisplayChanged`.
    package static let display = AdapterEvents(rawValue: 2)
    /// `WorkingRangeChanged`.
    package static let workingRange = AdapterEvents(rawValue: 4)
    /// `SelectionChanged`.
    package static let selection = AdapterEvents(rawValue: 8)
    /// `NearEnd`.
    package static let nearEnd = AdapterEvents(rawValue: 16)
    /// `Invoked`, only for connections of the owner.
    package static let actions = AdapterEvents(rawValue: 32)
    /// All signals that every reader may receive.
    package static let all: AdapterEvents = [.updates, .display, .workingRange, .selection, .nearEnd]

    /// The words that `Subscribe` accepts, for error messages.
    static let words = "updates, display, working-range, selection, near-end, actions"

    /// Each kind alone.
    static let kinds: [AdapterEvents] = [.updates, .display, .workingRange, .selection, .nearEnd, .actions]

    /// Parses the words of `Subscribe`; an empty list means all signals except `actions`.
    package init(words: [String]) throws(UnknownWord) {
        self = words.isEmpty ? .all : []
        for word in words {
            switch word {
            case "updates": insert(.updates)
            case "display": insert(.display)
            case "working-range": insert(.workingRange)
            case "selection": insert(.selection)
            case "near-end": insert(.nearEnd)
            case "actions": insert(.actions)
            default: throw UnknownWord(word: word)
            }
        }
    }

    /// The error for a word that `Subscribe` does not accept.
    package struct UnknownWord: Error, Equatable {
        /// The unknown word.
        package var word: String

        /// Makes the error for an unknown word.
        package init(word: String) { self.word = word }
    }
}

/// The number of a subscription, which no other subscription has while listd runs.
package typealias SubscriptionID = UInt64

/// The subscribers of one adapter's signals (docs/rules/contract.md, "Announcing").
///
/// A public adapter broadcasts its signals on the bus, where AddMatch is the subscription, and sends no second copy
/// to subscribers there. A restricted adapter sends to subscribers only. Direct connections have no broadcasts, so
/// their clients always subscribe. A peer may have several subscriptions, as components of a program share its
/// connection; it receives what any of them asks for, once.
package struct Subscriptions<Peer: Hashable & Sendable>: Sendable {
    /// The receivers of one signal.
    package struct Audience: Equatable, Sendable {
        /// Whether the signal is broadcast on the bus.
        package var broadcasts: Bool
        /// The peers that receive a copy, in the order of their subscriptions.
        package var recipients: [Peer]

        /// Makes the receivers of a signal.
        package init(broadcasts: Bool, recipients: [Peer]) {
            self.broadcasts = broadcasts
            self.recipients = recipients
        }

        /// Whether the signal has no receivers.
        package var isEmpty: Bool { !broadcasts && recipients.isEmpty }
    }

    private struct Subscriber: Sendable {
        let isDirect: Bool
        /// The place in the order of the peers' first subscriptions.
        let place: UInt64
        private(set) var subscriptions: [SubscriptionID: AdapterEvents] = [:]
        /// The number of subscriptions to each kind of signals that has any.
        private var uses: [AdapterEvents: Int] = [:]

        init(isDirect: Bool, place: UInt64) { (self.isDirect, self.place) = (isDirect, place) }

        /// The events of all subscriptions.
        var events: AdapterEvents { AdapterEvents(uses.keys) }

        mutating func add(_ id: SubscriptionID, to events: AdapterEvents) {
            subscriptions[id] = events
            for kind in AdapterEvents.kinds where events.contains(kind) { uses[kind, default: 0] += 1 }
        }

        /// Ends a subscription; returns `false` if there is no such subscription.
        mutating func end(_ id: SubscriptionID) -> Bool {
            guard let events = subscriptions.removeValue(forKey: id) else { return false }
            for kind in AdapterEvents.kinds where events.contains(kind) {
                uses.decrement(kind)
            }
            return true
        }
    }

    /// A peer that gets copies of signals.
    private struct Receiver: Sendable {
        let place: UInt64
        let peer: Peer
    }

    /// Whether some users may not read the adapter.
    package private(set) var isRestricted: Bool
    private var subscribers: [Peer: Subscriber] = [:]
    private var lastPlace: UInt64 = 0
    /// The peers that get copies of each kind of signals, in the order of their first subscriptions, so that a signal
    /// does not look at peers that do not get it.
    private var receivers: [AdapterEvents: [Receiver]] = [:]

    /// Makes an empty set of subscriptions.
    package init(isRestricted: Bool) {
        self.isRestricted = isRestricted
    }

    /// The subscribed peers, in the order of their first subscriptions, and the number of subscriptions of each.
    package var counts: [(peer: Peer, count: Int)] {
        inOrder(subscribers).map { ($0.key, $0.value.subscriptions.count) }
    }

    private func inOrder(_ subscribers: [Peer: Subscriber]) -> [(key: Peer, value: Subscriber)] {
        subscribers.sorted { $0.value.place < $1.value.place }
    }

    /// Adds a subscription of a peer.
    ///
    /// - Parameter id: a number that no subscription has had.
    /// - Complexity: O(log receivers), apart from moving the receivers in memory.
    package mutating func subscribe(_ peer: Peer, isDirect: Bool, to events: AdapterEvents, as id: SubscriptionID) {
        if subscribers[peer] == nil {
            lastPlace += 1
            subscribers[peer] = Subscriber(isDirect: isDirect, place: lastPlace)
        }
        update(peer) { $0.add(id, to: events) }
    }

    /// Ends a subscription of a peer; returns `false` if the peer has no such subscription.
    ///
    /// - Complexity: that of `subscribe`.
    package mutating func unsubscribe(_ peer: Peer, _ id: SubscriptionID) -> Bool {
        var isKnown = false
        update(peer) { isKnown = $0.end(id) }
        if subscribers[peer]?.subscriptions.isEmpty == true { subscribers[peer] = nil }
        return isKnown
    }

    /// Ends all subscriptions of a peer; returns their number.
    package mutating func unsubscribe(_ peer: Peer) -> Int {
        guard let subscriber = subscribers.removeValue(forKey: peer) else { return 0 }
        updateReceivers(peer, subscriber.place, from: copies(for: subscriber), to: [])
        return subscriber.subscriptions.count
    }

    /// Ends all subscriptions of the peers for which `ends` returns `true`; returns these peers with the number of
    /// their subscriptions.
    package mutating func unsubscribe(where ends: (Peer) -> Bool) -> [(peer: Peer, count: Int)] {
        inOrder(subscribers.filter { ends($0.key) }).map { peer, _ in (peer, unsubscribe(peer)) }
    }

    /// Changes whether the adapter is restricted.
    package mutating func setRestricted(_ restricted: Bool) {
        guard restricted != isRestricted else { return }
        isRestricted = restricted
        receivers = [:]
        for (peer, subscriber) in inOrder(subscribers) {
            updateReceivers(peer, subscriber.place, from: [], to: copies(for: subscriber))
        }
    }

    /// Returns the subscribers to a signal that is never broadcast.
    package func subscribers(to event: AdapterEvents) -> [Peer] { receivers[event]?.map(\.peer) ?? [] }

    /// Returns the receivers of a signal that a public adapter broadcasts; O(recipients).
    package func audience(of event: AdapterEvents) -> Audience {
        Audience(broadcasts: !isRestricted, recipients: subscribers(to: event))
    }

    /// Returns whether a peer gets copies of a signal.
    package func isRecipient(_ peer: Peer, of event: AdapterEvents) -> Bool {
        subscribers[peer].map { copies(for: $0).contains(event) } ?? false
    }

    /// Returns the kinds of signals of which a peer gets copies: on the bus, a public adapter broadcasts all others.
    private func copies(for subscriber: Subscriber) -> AdapterEvents {
        isRestricted || subscriber.isDirect ? subscriber.events : subscriber.events.intersection(.actions)
    }

    private mutating func update(_ peer: Peer, _ body: (inout Subscriber) -> Void) {
        guard let old = subscribers[peer].map({ ($0.place, copies(for: $0)) }) else { return }
        // The subscriber is changed in its place, because a copy of it would copy all subscriptions of the peer.
        body(&subscribers[peer, default: Subscriber(isDirect: false, place: old.0)])
        updateReceivers(peer, old.0, from: old.1, to: subscribers[peer].map { copies(for: $0) } ?? [])
    }

    private mutating func updateReceivers(
        _ peer: Peer, _ place: UInt64, from old: AdapterEvents, to new: AdapterEvents
    ) {
        for kind in AdapterEvents.kinds where old.contains(kind) != new.contains(kind) {
            let index = receivers[kind]?.partitionPoint { $0.place < place } ?? 0
            if new.contains(kind) {
                receivers[kind, default: []].insert(Receiver(place: place, peer: peer), at: index)
            } else {
                receivers[kind]?.remove(at: index)
            }
        }
    }
}
