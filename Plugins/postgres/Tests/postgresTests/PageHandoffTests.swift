// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import postgres

@Suite("Pages passed between two threads")
struct PageHandoffTests {
    @Test("the sender abandons the pages before the first one → the reader gets an error, and the handoff is freed")
    func abandonedAtOnce() {
        let pages = PageHandoff<Int>()
        pages.abandon()
        // Two pages, because a handoff that ignored `abandon()` could store the first one.
        #expect(throws: (any Error).self) {
            for _ in 0..<2 { try pages.put([]) }
        }
    }

    @Test("a page is waiting when the handoff is abandoned → freed without a trap")
    func abandonedWithPage() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        pages.abandon()
        #expect(throws: (any Error).self) { try pages.put([]) }
    }

    @Test("pages and a result are passed → they arrive in order, and the result stays available")
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
