// SPDX-License-Identifier: Apache-2.0

import ListDaemon
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
