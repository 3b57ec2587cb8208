// SPDX-License-Identifier: Apache-2.0

import ListDaemon
import ListKit
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Renamed lists in the store", .timeLimit(.minutes(2)))
struct RenamedListTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> OpenedStore { try SQLiteStore.open(directory: directory.path) }

    @Test("a list is renamed → all of its content and later writes have the new name")
    func renamed() async throws {
        let store = try open().store
        try await store.write(.create(adapter("x")))
        try await store.write(.update("x", 1, .replace([object("a", 1), object("b", 1)])))
        try await store.write(.cursor(name: "x", [0, 1, 255]))
        try await store.write(.rename(name: "x", to: "y"))
        try await store.write(.update("y", 2, .replace([object("b", 2)])))
        await #expect(throws: ListError.self) { try await store.write(.update("x", 3, .replace([]))) }
        await store.close()
        let opened = try open()
        let restored = try #require(opened.adapters.first)
        #expect(opened.adapters.count == 1 && restored.adapter.name == "y" && restored.adapter.epoch == "e1")
        #expect(try restored.revision == 2 && restored.objects == [object("b", 2)])
        #expect(restored.cursor == [0, 1, 255])
        await opened.store.close()
    }

    @Test(
        "another list has the new name → the renamed list replaces it; the list to rename is missing → StoreFailed"
    )
    func names() async throws {
        let store = try open().store
        for name in ["x", "y"] { try await store.write(.create(adapter(name))) }
        try await store.write(.update("y", 1, .replace([object("theirs", 1)])))
        try await store.write(.rename(name: "x", to: "y"))
        await #expect(throws: ListError.self) { try await store.write(.rename(name: "x", to: "z")) }
        await #expect(throws: ListError.self) { try await store.write(.cursor(name: "x", [1])) }
        try await store.write(.create(adapter("x")))
        await store.close()
        let opened = try open()
        #expect(opened.adapters.map(\.adapter.name) == ["x", "y"] && opened.adapters.allSatisfy(\.objects.isEmpty))
        await opened.store.close()
    }
}
