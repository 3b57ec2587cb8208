// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Subscriptions of an adapter")
struct SubscriptionsTests {
    private typealias Audience = Subscriptions<String>.Audience

    @Test(
        "an adapter is public → signals are broadcast, and only subscribers on direct connections get their own copy",
        .rule("AO-01"))
    func publicAdapter() {
        var subscriptions = Subscriptions<String>(isRestricted: false)
        subscriptions.subscribe(":1.5", isDirect: false, to: .all, as: 1)
        subscriptions.subscribe(":d.1", isDirect: true, to: .updates, as: 2)
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: true, recipients: [":d.1"]))
        #expect(subscriptions.audience(of: .display) == Audience(broadcasts: true, recipients: []))
    }

    @Test(
        "an adapter is restricted → only subscribers get signals, and only the requested kinds", .rule("AO-01"))
    func restrictedAdapter() {
        var subscriptions = Subscriptions<String>(isRestricted: true)
        #expect(subscriptions.audience(of: .updates).isEmpty)
        subscriptions.subscribe(":1.5", isDirect: false, to: [.display, .selection], as: 3)
        subscriptions.subscribe(":d.1", isDirect: true, to: .all, as: 4)
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: false, recipients: [":d.1"]))
        #expect(subscriptions.audience(of: .display) == Audience(broadcasts: false, recipients: [":1.5", ":d.1"]))
    }

    @Test(
        "a client calls Subscribe again → it gets what any subscription asks for, until that one ends", .rule("AO-07"))
    func counting() {
        var subscriptions = Subscriptions<String>(isRestricted: true)
        subscriptions.subscribe(":1.5", isDirect: false, to: .all, as: 1)
        subscriptions.subscribe(":1.5", isDirect: false, to: [.selection, .actions], as: 2)
        #expect(subscriptions.counts.map(\.peer) == [":1.5"] && subscriptions.counts.map(\.count) == [2])
        #expect(subscriptions.audience(of: .selection).recipients == [":1.5"])
        #expect(!subscriptions.unsubscribe(":1.6", 1) && !subscriptions.unsubscribe(":1.5", 3))
        #expect(subscriptions.unsubscribe(":1.5", 1) && !subscriptions.unsubscribe(":1.5", 1))
        #expect(subscriptions.audience(of: .updates).isEmpty)
        #expect(subscriptions.audience(of: .selection).recipients == [":1.5"])
        let ended = subscriptions.unsubscribe { $0 == ":1.5" }
        #expect(ended.map(\.count) == [1] && subscriptions.counts.isEmpty)
        #expect(subscriptions.audience(of: .selection).isEmpty)
    }

    @Test("access for readers becomes stricter → subscriptions of users without access end")
    func restriction() {
        var subscriptions = Subscriptions<String>(isRestricted: false)
        subscriptions.subscribe(":1.5", isDirect: false, to: .all, as: 1)
        subscriptions.subscribe(":1.6", isDirect: false, to: .all, as: 2)
        subscriptions.setRestricted(true)
        _ = subscriptions.unsubscribe { $0 != ":1.6" }
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: false, recipients: [":1.6"]))
    }

    @Test(
        "a signal is never broadcast → only clients that named the signal in Subscribe get it"
    )
    func unicast() {
        for isRestricted in [false, true] {
            var subscriptions = Subscriptions<String>(isRestricted: isRestricted)
            subscriptions.subscribe(":1.5", isDirect: false, to: .all, as: 9)
            subscriptions.subscribe(":1.6", isDirect: false, to: [.actions], as: 10)
            subscriptions.subscribe(":d.1", isDirect: true, to: [.actions, .updates], as: 11)
            #expect(subscriptions.subscribers(to: .actions) == [":1.6", ":d.1"])
        }
    }

    /// A peer whose comparisons with others are counted.
    private struct Counted: Hashable, Sendable {
        static let comparisons = Mutex(0)
        let number: Int

        static func == (left: Counted, right: Counted) -> Bool {
            comparisons.withLock { $0 += 1 }
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test("a client subscribes and unsubscribes beside 10,000 others → it is compared with few of them")
    func few() {
        var subscriptions = Subscriptions<Counted>(isRestricted: true)
        for number in 0..<10_000 {
            subscriptions.subscribe(Counted(number: number), isDirect: false, to: .selection, as: UInt64(number))
        }
        Counted.comparisons.withLock { $0 = 0 }
        subscriptions.subscribe(Counted(number: 10_000), isDirect: false, to: .updates, as: 10_000)
        #expect(subscriptions.audience(of: .updates).recipients.map(\.number) == [10_000])
        let wasKnown = subscriptions.unsubscribe(Counted(number: 10_000), 10_000)
        #expect(wasKnown)
        #expect(subscriptions.audience(of: .updates).isEmpty)
        let comparisons = Counted.comparisons.withLock { $0 }
        #expect(comparisons < 100)
    }

    @Test("clients subscribe and unsubscribe at random → each signal has its receivers, in the order of subscribing")
    func random() {
        let kinds: [AdapterEvents] = [.updates, .display, .workingRange, .selection, .nearEnd, .actions]
        for seed in 0..<10 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var subscriptions = Subscriptions<Int>(isRestricted: false)
            var (known, isRestricted, last) = ([(peer: Int, ids: [UInt64: AdapterEvents])](), false, 0 as UInt64)
            for _ in 0..<300 {
                let peer = Int.random(in: 0..<12, using: &random)
                let place = known.firstIndex { $0.peer == peer }
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    isRestricted.toggle()
                    subscriptions.setRestricted(isRestricted)
                case 1:
                    let ended = subscriptions.unsubscribe { $0 == peer }
                    #expect(ended.map(\.count) == (place.map { [known[$0].ids.count] } ?? []))
                    known.removeAll { $0.peer == peer }
                case 2, 3, 4:
                    guard let place, let id = known[place].ids.keys.min() else { continue }
                    let wasKnown = subscriptions.unsubscribe(peer, id)
                    #expect(wasKnown)
                    known[place].ids[id] = nil
                    if known[place].ids.isEmpty { known.remove(at: place) }
                default:
                    last += 1
                    let events = AdapterEvents(rawValue: UInt8.random(in: 1..<64, using: &random))
                    subscriptions.subscribe(peer, isDirect: peer % 2 == 0, to: events, as: last)
                    if place == nil { known.append((peer, [:])) }
                    known[place ?? known.endIndex - 1].ids[last] = events
                }
                for kind in kinds {
                    let hearing = known.filter { $0.ids.values.contains { $0.contains(kind) } }.map(\.peer)
                    if kind == .actions {
                        #expect(subscriptions.subscribers(to: kind) == hearing)
                    } else {
                        let recipients = hearing.filter { isRestricted || $0 % 2 == 0 }
                        #expect(
                            subscriptions.audience(of: kind)
                                == .init(broadcasts: !isRestricted, recipients: recipients))
                    }
                }
            }
        }
    }

    @Test(
        "Subscribe gets event names → these are sent; no names → all but actions are; an unknown name → an error",
        .rule("AO-07"))
    func words() throws {
        #expect(try AdapterEvents(words: []) == .all)
        #expect(try !AdapterEvents(words: []).contains(.actions) && AdapterEvents(words: ["actions"]) == .actions)
        #expect(try AdapterEvents(words: []).contains(.nearEnd) && AdapterEvents(words: ["near-end"]) == .nearEnd)
        #expect(try AdapterEvents(words: ["updates", "working-range"]) == [.updates, .workingRange])
        #expect(try AdapterEvents(words: ["display", "selection", "display"]) == [.display, .selection])
        #expect(throws: AdapterEvents.UnknownWord(word: "Updates")) {
            try AdapterEvents(words: ["display", "Updates"])
        }
    }
}
