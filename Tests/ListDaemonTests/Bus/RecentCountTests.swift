// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Event counts of the last ten seconds")
struct RecentCountTests {
    @Test("events occur in several seconds → the count is the sum of the last ten seconds")
    func window() {
        var count = RecentCount()
        #expect(count.total(at: 100) == 0)
        count.add(at: 100)
        count.add(4, at: 100)
        count.add(2, at: 105)
        #expect(count.total(at: 105) == 7)
        #expect(count.total(at: 109) == 7)
        #expect(count.total(at: 110) == 2)
        count.add(1, at: 111)
        #expect(count.total(at: 114) == 3)
        #expect(count.total(at: 115) == 1)
        #expect(count.total(at: 121) == 0)
        count.add(9, at: 1_000_000_000)
        #expect(count.total(at: 1_000_000_000) == 9)
        // An event whose time is before that of the previous event counts for the previous event's second.
        count.add(1, at: 999_999_999)
        #expect(count.total(at: 1_000_000_000) == 10)
    }

    @Test("over half of at least 1,000 objects is removed → the removal counts as large; otherwise → it does not")
    func removals() {
        #expect(LargeRemoval(objects: 999, total: 999) == nil)
        #expect(LargeRemoval(objects: 500, total: 1000) == nil)
        #expect(LargeRemoval(objects: 501, total: 1000)?.objects == 501)
        #expect(LargeRemoval(objects: 501, total: 1001) != nil)
    }
}
