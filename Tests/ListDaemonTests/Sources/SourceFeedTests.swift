// SPDX-License-Identifier: Apache-2.0

import DBus
import Dispatch
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Delivering a source's events to its list", .timeLimit(.minutes(1)))
struct SourceFeedTests {
    @Test("the list repeatedly refuses an event → each retry waits twice as long as the previous retry")
    func backsOff() async throws {
        let attempts = EventLog<ContinuousClock.Instant>()
        let feed = SourceFeed()
        await feed.setTarget { _, completion in
            attempts.record(.now)
            completion(ListError(.limitsExceeded, "no room"))
        }
        DispatchQueue.global().async { feed.submit(.ready) }
        let first = try await attempts.next()
        let second = try await attempts.next()
        let third = try await attempts.next()
        await feed.close()
        #expect(first.duration(to: second) >= .milliseconds(990))
        #expect(second.duration(to: third) >= .milliseconds(1990))
    }
}
