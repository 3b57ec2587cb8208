// SPDX-License-Identifier: Apache-2.0

import ListKit
import Testing

/// Two errors with the same content are equal, wherever they are stored.
struct ListErrorTests {
    private static let error = ListError(.storeFailed, "list “feed”: not stored", cause: "disk full")

    @Test("an error with code, message and cause → the description contains all three")
    func parts() {
        #expect(Self.error.code == .storeFailed)
        #expect(Self.error.message == "list “feed”: not stored")
        #expect(Self.error.cause == "disk full")
        #expect("\(Self.error)" == "StoreFailed: list “feed”: not stored (disk full)")
        #expect("\(ListError(.readOnly, "list “feed”"))" == "ReadOnly: list “feed”")
    }

    @Test("two errors have the same parts → they are equal and have equal hashes")
    func equal() {
        let same = ListError(.storeFailed, "list “feed”: not stored", cause: "disk full")
        #expect(same == Self.error)
        #expect(Set([same, Self.error]).count == 1)
    }

    @Test(
        "two errors differ in one part → they are not equal",
        arguments: [
            ListError(.invalidObject, "list “feed”: not stored", cause: "disk full"),
            ListError(.storeFailed, "list “news”: not stored", cause: "disk full"),
            ListError(.storeFailed, "list “feed”: not stored", cause: "disk broken"),
            ListError(.storeFailed, "list “feed”: not stored"),
        ])
    func different(_ other: ListError) {
        #expect(other != Self.error)
        #expect(Set([other, Self.error]).count == 2)
    }
}
