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
        subscriptions.subscribe(":1.5", isDirect: false, to: .all)
        subscriptions.subscribe(":d.1", isDirect: true, to: .updates)
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: true, recipients: [":d.1"]))
        #expect(subscriptions.audience(of: .display) == Audience(broadcasts: true, recipients: []))
    }

    @Test(
        "an adapter is restricted → only subscribers get signals, and only the requested kinds", .rule("AO-01"))
    func restrictedAdapter() {
        var subscriptions = Subscriptions<String>(isRestricted: true)
        #expect(subscriptions.audience(of: .updates).isEmpty)
        subscriptions.subscribe(":1.5", isDirect: false, to: [.display, .selection])
        subscriptions.subscribe(":d.1", isDirect: true, to: .all)
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: false, recipients: [":d.1"]))
        #expect(subscriptions.audience(of: .display) == Audience(broadcasts: false, recipients: [":1.5", ":d.1"]))
    }

    @Test(
        "a client calls Subscribe again → the new events replace the old; it calls Unsubscribe → it gets no signals",
        .rule("AO-07"))
    func replacing() {
        var subscriptions = Subscriptions<String>(isRestricted: true)
        subscriptions.subscribe(":1.5", isDirect: false, to: .all)
        subscriptions.subscribe(":1.5", isDirect: false, to: .selection)
        #expect(subscriptions.count == 1)
        #expect(subscriptions.audience(of: .updates).isEmpty)
        subscriptions.unsubscribe(":1.5")
        subscriptions.unsubscribe(":1.6")
        #expect(subscriptions.audience(of: .selection).isEmpty)
    }

    @Test("access for readers becomes stricter → subscriptions of users without access end")
    func restriction() {
        var subscriptions = Subscriptions<String>(isRestricted: false)
        subscriptions.subscribe(":1.5", isDirect: false, to: .all)
        subscriptions.subscribe(":1.6", isDirect: false, to: .all)
        subscriptions.setRestricted(true) { $0 == ":1.6" }
        #expect(subscriptions.audience(of: .updates) == Audience(broadcasts: false, recipients: [":1.6"]))
    }

    @Test(
        "a signal is never broadcast → only clients that named the signal in Subscribe get it"
    )
    func unicast() {
        for isRestricted in [false, true] {
            var subscriptions = Subscriptions<String>(isRestricted: isRestricted)
            subscriptions.subscribe(":1.5", isDirect: false, to: .all)
            subscriptions.subscribe(":1.6", isDirect: false, to: [.actions])
            subscriptions.subscribe(":d.1", isDirect: true, to: [.actions, .updates])
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
