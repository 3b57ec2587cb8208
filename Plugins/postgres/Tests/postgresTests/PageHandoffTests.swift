// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import postgres

@Suite("Pages passed between two threads")
struct PageHandoffTests {
    @Test("the sender abandons the pages before sending any → the reader gets an error, and the handoff is deallocated")
    func abandonedAtOnce() {
        let pages = PageHandoff<Int>()
        pages.abandon()
        // Two pages, because a handoff that ignored `abandon()` could store the first one.
        #expect(throws: (any Error).self) {
            for _ in 0..<2 { try pages.put([]) }
        }
    }

    @Test("a handoff is abandoned with a page still waiting → the page is freed without a trap")
    func abandonedWithPage() throws {
        let pages = PageHandoff<Int>()
        try pages.put([])
        pages.abandon()
        #expect(throws: (any Error).self) { try pages.put([]) }
    }

    @Test("pages and a result are passed → pages arrive in order, and the result can be read repeatedly")
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
