// SPDX-License-Identifier: Apache-2.0

import PluginAPI
import Testing

@testable import postgres

@Suite("Cursors of a PostgreSQL list")
struct CursorTests {
    @Test("a cursor is encoded and decoded → it is unchanged; malformed bytes are decoded → the result is nil")
    func bytes() {
        let cursor = ListCursor(generation: "7/a-b", snapshot: "10:20:12,15", fingerprint: "x1")
        #expect(ListCursor(cursor.bytes) == cursor)
        for text in ["", "1 a 10:20: x y", "2 a 10:20: x", "1 a 10:20 x", "1 a x:20: x", "1 a 10:20:a x"] {
            #expect(ListCursor(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("a snapshot → transactions that ended earlier are visible, running and later ones are not")
    func visibleTransactions() {
        let cursor = ListCursor(generation: "g", snapshot: "10:20:12,15", fingerprint: "")
        #expect([9, 10, 11, 13, 19].allSatisfy { cursor.includes($0) })
        #expect(![12, 15, 20, 21].contains { cursor.includes($0) })
    }
}
