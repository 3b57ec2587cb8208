// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Limits of users and groups")
struct UserLimitsTests {
    private let directory = TemporaryDirectory()

    private func load(_ text: String) throws -> LoadedConfiguration {
        try Writing.write(text, to: directory.file("listd.conf"))
        return ConfigurationLoader.load(directory.path)
    }

    @Test(
        "limits of a user, the user's groups and all users are set → the first applies; among groups, the largest does"
    )
    func order() throws {
        let loaded = try load(
            """
            [Limits]
            CallsPerSecond=10
            ViewsPerUser=5
            WaitingBytesPerUser=1M
            [Limits user:ada]
            ViewsPerUser=1
            [Limits group:staff]
            ViewsPerUser=7
            CallsPerSecond=50
            DirectConnectionsPerUser=3
            [Limits group:robots]
            CallsPerSecond=0
            DirectConnectionsPerUser=2
            [Limits user:1234]
            AdaptersPerUser=9
            """)
        #expect(loaded.faults.isEmpty)
        let limits = loaded.configuration.limits
        let ada = limits.ofUsers.limits(ofUserNamed: ["ada"], groups: ["staff", "others"], otherwise: limits)
        #expect(ada.viewsPerUser == 1 && ada.callsPerSecond == 50 && ada.directConnectionsPerUser == 3)
        #expect(ada.waitingBytesPerUser == 1 << 20 && ada.adaptersPerUser == 64)
        let robot = limits.ofUsers.limits(ofUserNamed: ["bob"], groups: ["staff", "robots"], otherwise: limits)
        #expect(
            robot.viewsPerUser == 7 && robot.callsPerSecond == Amount.unlimited && robot.directConnectionsPerUser == 3)
        let number = limits.ofUsers.limits(ofUserNamed: ["eve", "1234"], groups: [], otherwise: limits)
        #expect(number.adaptersPerUser == 9 && number.viewsPerUser == 5 && number.callsPerSecond == 10)
        #expect(!limits.ofUsers.isEmpty && Limits().ofUsers.isEmpty)
    }

    @Test(
        "a key does not apply to users, or its value or section is wrong → the error has the line number",
        arguments: [
            ("[Limits user:ada]\nWaitingBytes=1M\n", "unknown key “WaitingBytes”"),
            ("[Limits group:staff]\nCallsPerUser=-1\n", "CallsPerUser: "),
            ("[Limits user:]\nCallsPerUser=1\n", "unknown section “[Limits user:]”"),
            ("[Limits ada]\nCallsPerUser=1\n", "unknown section “[Limits ada]”"),
        ])
    func faults(text: String, message: String) throws {
        let loaded = try load(text)
        #expect(loaded.isDaemonFaulty && loaded.faults.count == 1)
        #expect(loaded.faults.first?.message.hasPrefix(message) == true)
        #expect(loaded.faults.first?.place.line == 2)
    }

    @Test("the system does not know a group → the check of the configuration reports the group")
    func unknownGroup() throws {
        let loaded = try load("[Limits group:nobody-has-this]\nCallsPerUser=1\n")
        #expect(loaded.faults.isEmpty && loaded.unknownAccounts.count == 1)
    }

    @Test("limits of one user are set → effective for only this user, until the limits are removed")
    func quotas() throws {
        let ledger = QuotaLedger(limits: Quotas.Amounts(adapters: 1, views: 1))
        ledger.setLimits(Quotas.Amounts(adapters: 2, views: 1), of: 7)
        for _ in 0..<2 { try ledger.book(Quotas.Amounts(adapters: 1), for: 7) }
        #expect(throws: Quotas.Exceeded(resource: .adapters, limit: 2)) {
            try ledger.book(Quotas.Amounts(adapters: 1), for: 7)
        }
        try ledger.book(Quotas.Amounts(adapters: 1), for: 8)
        #expect(throws: Quotas.Exceeded(resource: .adapters, limit: 1)) {
            try ledger.book(Quotas.Amounts(adapters: 1), for: 8)
        }
        ledger.removeLimitsOfUsers()
        #expect(throws: Quotas.Exceeded(resource: .adapters, limit: 1)) {
            try ledger.book(Quotas.Amounts(adapters: 1), for: 7)
        }
    }
}
