// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Access rules of an adapter")
struct AccessTests {
    private static let owner = Caller(user: 1000)
    private static let member = Caller(user: 1001, groups: ["garden"])
    private static let stranger = Caller(user: 1002, groups: ["other"])
    private static let administrator = Caller(user: 1003, isAdministrator: true)

    @Test(
        "an access rule and a caller → admitted or refused according to the rule", .rule("AC-02"),
        arguments: [
            (AccessRule.any, [true, true, true, true]),
            (.owner, [true, false, false, true]),
            (.group("garden"), [true, true, false, true]),
        ])
    func admission(rule: AccessRule, expected: [Bool]) {
        let callers = [Self.owner, Self.member, Self.stranger, Self.administrator]
        let reading = AdapterAccess(owner: 1000, readers: rule, writers: .owner)
        let writing = AdapterAccess(owner: 1000, readers: .any, writers: rule)
        #expect(callers.map(reading.allowsReading) == expected)
        #expect(callers.map(writing.allowsWriting) == expected)
    }

    @Test(
        "a user removes an adapter → owner and administrators may; nobody may remove a configured adapter",
        .rule("AC-01"))
    func removing() {
        let callers = [Self.owner, Self.member, Self.stranger, Self.administrator]
        let created = AdapterAccess(owner: 1000, readers: .any, writers: .any)
        let configured = AdapterAccess(owner: 1000, isConfigured: true)
        #expect(callers.map(created.allowsRemoving) == [true, false, false, true])
        #expect(callers.map(configured.allowsRemoving) == [false, false, false, false])
    }

    @Test(
        "a text is not an access rule → it is refused",
        arguments: ["", "anyone", "group", "group:", "Owner", " any", "user:1"]
    )
    func badRule(text: String) {
        #expect(AccessRule(text) == nil)
    }

    @Test(
        "an access rule is printed and parsed → it is unchanged",
        arguments: ["any", "owner", "group:garden", "group:a:b"])
    func roundTrip(text: String) {
        #expect(AccessRule(text)?.text == text)
    }

    @Test("an access rule other than “any” for readers → the adapter is restricted")
    func restricted() {
        #expect(!AdapterAccess(owner: 0).isRestricted)
        #expect(AdapterAccess(owner: 0, readers: .owner).isRestricted)
        #expect(AdapterAccess(owner: 0, readers: .group("x")).isRestricted)
    }
}
