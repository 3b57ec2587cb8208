// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import TestSupport
import Testing

@Suite("Call rate limits, and limits of single users", .timeLimit(.minutes(1)))
@DBusActor
struct RateLimitTests {
    private static let limit = Listd.standardError("LimitsExceeded")

    @Test(
        "a user sends more calls per second than allowed → calls are refused unless they release resources"
    )
    func rate() async throws {
        let stage = try await Stage(
            arguments: ["--log-level", "notice"],
            files: ["listd.conf": "[Limits user:\(geteuid())]\nCallsPerSecond=40\n"])
        let adapter = try await stage.createAdapter("limited")
        let answers = EventLog<DBusError?>()
        for _ in 0..<200 {
            let call = try adapter.by(stage.client).message("Subscribe") { (message) throws(DBusError) in
                try message.write([String]())
            }
            stage.client.call(call) { result in
                if case .failure(let error) = result { answers.record(error) } else { answers.record(nil) }
            }
        }
        var refused = 0
        for _ in 0..<200 {
            guard let error = try await answers.next() else { continue }
            refused += 1
            #expect(error.name == Self.limit && error.message.hasSuffix("(CallsPerSecond)"))
        }
        #expect(refused > 0 && refused <= 200 - 35)
        for _ in 0..<100 { try await adapter.by(stage.client).call("Unsubscribe", UInt64(0)) }
        if Agent.canBeOthers {
            let other = try await Agent(stage.bus.address, user: Agent.nobody)
            for _ in 0..<60 {
                #expect(try await other.call(Listd.manager, "Manager", "GetStatistics", "", "[]").error == nil)
            }
        }
        await stage.stop()
        let lines = stage.listd.standardError.split(separator: "\n").filter { $0.contains("(CallsPerSecond)") }
        #expect(lines.count >= 1 && lines.count <= 2, "\(lines)")  // a second line after ten seconds
    }

    @Test("listd.conf has limits for a user → these limits override the general limits")
    func ofUsers() async throws {
        let stage = try await Stage.withDirectSocket(
            files: [
                "listd.conf": """
                [Limits]
                AdaptersPerUser=1
                DirectConnectionsPerUser=1
                [Limits user:\(geteuid())]
                AdaptersPerUser=3
                DirectConnectionsPerUser=2
                """
            ])
        for number in 0..<3 { _ = try await stage.createAdapter("list\(number)") }
        let error = await #expect(throws: DBusError.self) { _ = try await stage.createAdapter("more") }
        #expect(error?.name == Self.limit && error?.message.hasSuffix("(AdaptersPerUser)") == true)
        let first = try await stage.connect(.direct)
        let second = try await stage.connect(.direct)
        await #expect(throws: DBusError.self) {
            let third = try await stage.connect(.direct)
            _ = try await stage.object(Listd.manager, "Manager", by: third).call(
                "GetStatistics", returning: [String: UInt64].self)
        }
        withExtendedLifetime((first, second)) {}
        await stage.stop()
    }
}
