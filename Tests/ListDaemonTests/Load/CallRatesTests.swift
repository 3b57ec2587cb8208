// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Limit of calls per second")
struct CallRatesTests {
    private let start = ContinuousClock.now

    @Test("users make more calls than the limit → each has a burst of one second's calls, then the limited rate")
    func burst() {
        var rates = CallRates()
        func acceptedCalls(of user: UInt32, after time: Duration) -> Int {
            (0..<1000).prefix { _ in rates.consume(user, limit: 50, at: start + time) }.count
        }
        #expect(acceptedCalls(of: 1, after: .zero) == 50)
        #expect(acceptedCalls(of: 1, after: .milliseconds(100)) == 5)
        #expect(acceptedCalls(of: 2, after: .milliseconds(100)) == 50)
        #expect(acceptedCalls(of: 1, after: .seconds(60)) == 50)
    }

    @Test("there are more users than can be tracked → users with an unused allowance are evicted")
    func forgotten() {
        var rates = CallRates()
        func isCallAccepted(of user: UInt32, after time: Duration) -> Bool {
            rates.consume(user, limit: 1, at: start + time)
        }
        for user in 0..<1024 as Range<UInt32> { #expect(isCallAccepted(of: user, after: .zero)) }
        #expect(isCallAccepted(of: 5000, after: .milliseconds(10)))
        #expect(!isCallAccepted(of: 7, after: .milliseconds(20)))
        #expect(isCallAccepted(of: 5001, after: .seconds(2)))
        #expect(isCallAccepted(of: 7, after: .seconds(2)))
    }
}
