// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DBus

@Suite("Counting the connections of each user")
struct ConnectionCountsTests {
    @Test(
        "random connections open and close → the counts equal those of a model that keeps a list of connections",
        arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var counts = ConnectionCounts()
        var there: [(user: UInt32, decision: ConnectionCounts.Decision)] = []
        for _ in 0..<1000 {
            guard random.chance(oneIn: 3), let index = there.indices.randomElement(using: &random) else {
                let user = UInt32.random(in: 0..<8, using: &random)
                let served = there.filter { $0.decision == .served }
                let refused = there.filter { $0.decision != .served }
                let expected: ConnectionCounts.Decision? =
                    if served.filter({ $0.user == user }).count >= 5 {
                        .refused(.connectionsOfUser(limit: 5))
                    } else if served.count >= 20 {
                        .refused(.connections(limit: 20))
                    } else {
                        .served
                    }
                let isFull = refused.count >= 16 || refused.filter { $0.user == user }.count >= 4
                let decision = counts.decide(for: user, limit: 20, limitPerUser: 5)
                #expect(decision == (expected != .served && isFull ? nil : expected))
                if let decision {
                    counts.add(decision, of: user)
                    there.append((user, decision))
                }
                continue
            }
            let gone = there.remove(at: index)
            counts.remove(gone.decision, of: gone.user)
        }
    }
}
