// SPDX-License-Identifier: Apache-2.0

/// The kinds of signal that an adapter sends to whoever listens.
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
    /// `Invoked`, for connections of the owner.
    package static let actions = AdapterEvents(rawValue: 32)
    /// Everything that an adapter says to all who may read it.
    package static let all: AdapterEvents = [.updates, .display, .workingRange, .selection, .nearEnd]

    /// The words of `Subscribe`, for messages.
    static let words = "updates, display, working-range, selection, near-end, actions"

    /// Reads the words of `Subscribe`; no word at all means everything but `actions`.
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

    /// A word that is none of them.
    package struct UnknownWord: Error, Equatable {
        /// The word as it came.
        package var word: String

        /// Names the word.
        package init(word: String) { self.word = word }
    }
}

/// The receivers of one adapter's signals (docs/rules/contract.md, "Announcing").
///
/// A public adapter broadcasts on the bus, where AddMatch is the subscription, and sends no second copy to subscribers
/// there. A restricted adapter sends to subscribers only. Direct connections know no broadcast: they always subscribe.
package struct Subscriptions<Peer: Hashable & Sendable>: Sendable {
    /// Where one signal goes.
    package struct Audience: Equatable, Sendable {
        /// Whether it is broadcast on the bus.
        package var broadcasts: Bool
        /// Who gets a copy addressed to them, in the order in which they subscribed.
        package var recipients: [Peer]

        /// Names the receivers of a signal.
        package init(broadcasts: Bool, recipients: [Peer]) {
            self.broadcasts = broadcasts
            self.recipients = recipients
        }

        /// Whether nobody receives the signal.
        package var isEmpty: Bool { !broadcasts && recipients.isEmpty }
    }

    private struct Entry: Sendable {
        var peer: Peer
        var isDirect: Bool
        var events: AdapterEvents
    }

    /// Whether strangers may not read the adapter.
    package private(set) var isRestricted: Bool
    private var entries: [Entry] = []

    /// There are no subscribers.
    package init(isRestricted: Bool) {
        self.isRestricted = isRestricted
    }

    /// How many have subscribed.
    package var count: Int { entries.count }

    /// The subscribers.
    package var peers: [Peer] { entries.map(\.peer) }

    /// Adds a peer, or replaces what it chose earlier.
    package mutating func subscribe(_ peer: Peer, isDirect: Bool, to events: AdapterEvents) {
        if let index = entries.firstIndex(where: { $0.peer == peer }) {
            entries[index].events = events
        } else {
            entries.append(Entry(peer: peer, isDirect: isDirect, events: events))
        }
    }

    /// Removes a peer; one without a subscription is no error.
    package mutating func unsubscribe(_ peer: Peer) {
        entries.removeAll { $0.peer == peer }
    }

    /// Takes over a new rule for readers: those that `mayRead` refuses are forgotten.
    package mutating func setRestricted(_ restricted: Bool, mayRead: (Peer) -> Bool) {
        isRestricted = restricted
        if restricted { entries.removeAll { !mayRead($0.peer) } }
    }

    /// Who has subscribed to a signal of a kind that is never broadcast; O(subscribers).
    package func subscribers(to event: AdapterEvents) -> [Peer] {
        entries.filter { $0.events.contains(event) }.map(\.peer)
    }

    /// Who hears a signal of a kind; O(subscribers).
    package func audience(of event: AdapterEvents) -> Audience {
        let hearing = entries.filter { $0.events.contains(event) && (isRestricted || $0.isDirect) }
        return Audience(broadcasts: !isRestricted, recipients: hearing.map(\.peer))
    }
}
