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

/// The subscribers of one adapter's signals (docs/rules/contract.md, "Announcing").
///
/// A public adapter broadcasts its signals on the bus, where AddMatch is the subscription, and sends no second copy
/// to subscribers there. A restricted adapter sends to subscribers only. Direct connections have no broadcasts, so
/// their clients always subscribe.
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
        var events: AdapterEvents
    }

    /// Whether some users may not read the adapter.
    package private(set) var isRestricted: Bool
    private var entries: [Entry] = []

    /// Makes an empty set of subscriptions.
    package init(isRestricted: Bool) {
        self.isRestricted = isRestricted
    }

    /// The number of subscribers.
    package var count: Int { entries.count }

    /// All subscribed peers.
    package var peers: [Peer] { entries.map(\.peer) }

    /// Subscribes a peer, or replaces the events of its subscription.
    package mutating func subscribe(_ peer: Peer, isDirect: Bool, to events: AdapterEvents) {
        if let index = entries.firstIndex(where: { $0.peer == peer }) {
            entries[index].events = events
        } else {
            entries.append(Entry(peer: peer, isDirect: isDirect, events: events))
        }
    }

    /// Ends the subscription of a peer, if it has one.
    package mutating func unsubscribe(_ peer: Peer) {
        entries.removeAll { $0.peer == peer }
    }

    /// Changes whether the adapter is restricted; if it is, the subscriptions of peers that `mayRead` refuses end.
    package mutating func setRestricted(_ restricted: Bool, mayRead: (Peer) -> Bool) {
        isRestricted = restricted
        if restricted { entries.removeAll { !mayRead($0.peer) } }
    }

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
