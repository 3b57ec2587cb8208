// SPDX-License-Identifier: Apache-2.0

import DBus
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListDaemon
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Writes that clients make to a source", .timeLimit(.minutes(1)))
@DBusActor
struct SourceWritesTests {
    @Test(
        "a source answers writes out of order, twice or never → each write gets one answer"
    )
    func answers() throws {
        let writes = SourceWrites()
        var said: [String] = []
        let ids = try (0..<3).map { index in
            try writes.begin(bytes: 1) { said.append("\(index) \($0?.code.rawValue ?? "written")") }
        }
        writes.finish(ids[1], error: nil)
        writes.finish(ids[1], error: ListError(.pluginFailed, "again"))
        writes.finish(77, error: nil)
        writes.finish(ids[0], error: ListError(.revisionConflict, "late"))
        #expect(said == ["1 written", "0 RevisionConflict"])
        writes.refuseAll()
        writes.refuseAll()
        #expect(said.last == "2 SourceUnavailable" && said.count == 3)
    }

    @Test(
        "more pending writes or bytes than allowed → LimitsExceeded; a pending write ends → the next is accepted")
    func limits() throws {
        let writes = SourceWrites()
        let first = try writes.begin(bytes: 65 << 20) { _ in }  // a single write may have any size
        #expect(throws: ListError.self) { try writes.begin(bytes: 1) { _ in } }
        writes.finish(first, error: nil)
        let ids = try (0..<256).map { _ in try writes.begin(bytes: 10) { _ in } }
        let error = #expect(throws: ListError.self) { try writes.begin(bytes: 0) { _ in } }
        #expect(error?.code == .limitsExceeded)
        writes.finish(ids[5], error: nil)
        _ = try writes.begin(bytes: 10) { _ in }
    }
}
