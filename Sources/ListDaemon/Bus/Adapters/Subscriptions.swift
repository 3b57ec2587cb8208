// SPDX-License-Identifier: Apache-2.0

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

    private struct Entry: Sendable {
        var peer: Peer
        var isDirect: Bool
        var subscriptions: [SubscriptionID: AdapterEvents]
        /// The events of all subscriptions.
        var events: AdapterEvents

        init(peer: Peer, isDirect: Bool) {
            (self.peer, self.isDirect, subscriptions, events) = (peer, isDirect, [:], [])
        }
    }

    /// Whether some users may not read the adapter.
    package private(set) var isRestricted: Bool
    private var entries: [Entry] = []

    /// Makes an empty set of subscriptions.
    package init(isRestricted: Bool) {
        self.isRestricted = isRestricted
    }

    /// The subscribed peers, in the order of their first subscriptions, and the number of subscriptions of each.
    package var counts: [(peer: Peer, count: Int)] { entries.map { ($0.peer, $0.subscriptions.count) } }

    /// Adds a subscription of a peer.
    ///
    /// - Parameter id: a number that no subscription has had.
    package mutating func subscribe(_ peer: Peer, isDirect: Bool, to events: AdapterEvents, as id: SubscriptionID) {
        let known = entries.firstIndex { $0.peer == peer }
        let index = known ?? entries.endIndex
        if known == nil { entries.append(Entry(peer: peer, isDirect: isDirect)) }
        entries[index].subscriptions[id] = events
        entries[index].events.formUnion(events)
    }

    /// Ends a subscription of a peer; returns `false` if the peer has no such subscription.
    package mutating func unsubscribe(_ peer: Peer, _ id: SubscriptionID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.peer == peer }),
            entries[index].subscriptions.removeValue(forKey: id) != nil
        else { return false }
        if entries[index].subscriptions.isEmpty {
            entries.remove(at: index)
        } else {
            entries[index].events = entries[index].subscriptions.values.reduce([]) { $0.union($1) }
        }
        return true
    }

    /// Ends all subscriptions of the peers for which `ends` returns `true`; returns these peers with the number of
    /// their subscriptions.
    package mutating func unsubscribe(where ends: (Peer) -> Bool) -> [(peer: Peer, count: Int)] {
        let ended = counts.filter { ends($0.peer) }
        entries.removeAll { ends($0.peer) }
        return ended
    }

    /// Changes whether the adapter is restricted.
    package mutating func setRestricted(_ restricted: Bool) { isRestricted = restricted }

    /// Returns the subscribers to a signal that is never broadcast; O(subscribers).
    package func subscribers(to event: AdapterEvents) -> [Peer] {
        entries.filter { $0.events.contains(event) }.map(\.peer)
    }

    /// Returns the receivers of a signal; O(subscribers).
    package func audience(of event: AdapterEvents) -> Audience {
        let hearing = entries.filter { $0.events.contains(event) && (isRestricted || $0.isDirect) }
        return Audience(broadcasts: !isRestricted, recipients: hearing.map(\.peer))
    }
}
