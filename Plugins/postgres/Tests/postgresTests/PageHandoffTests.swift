// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import postgres

@Suite("Pages passed between two threads")
struct PageHandoffTests {
    @Test("sender abandons the pages before the first one → the maker gets an error, the handoff can be freed")
    func abandonedAtOnce() {
        let pages = PageHandoff<Int>()
        pages.abandon()
        // The second page finds the place taken in a handoff that nobody reads.
        #expect(throws: (any Error).self) {
            for _ in 0..<2 { try pages.put([]) }
        }
    }

    @Test("a page is left when the handoff is abandoned → freed without a trap")
    func abandonedWithPage() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        pages.abandon()
        #expect(throws: (any Error).self) { try pages.put([]) }
    }

    @Test("pages and the end are passed → they arrive in order, and the end is kept")
    func inOrder() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        #expect(try pages.next()?.isEmpty == true)
        pages.finish(.success(7))
        #expect(try pages.next() == nil)
        #expect(try pages.next() == nil)
        #expect(pages.end == 7)
    }
}
