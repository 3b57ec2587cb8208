// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Steps in a view of many items")
struct ElementEditTests {
    private static let height = 20.0

    /// A list of rows, of which a view shows the first ones.
    private func list(showing count: Int) throws -> TestHost {
        let list = TestHost(
            try (0..<count + 1000).map { try ListObject(id: "o\($0)", fields: ["height": .double(Self.height)]) })
        try list.adapter.openView(1)
        try scroll(list, to: 0, showing: count)
        return list
    }

    private func scroll(_ list: TestHost, to row: Int, showing count: Int) throws {
        let rect = Rect(x: 0, y: Double(row) * Self.height, width: 100, height: Double(count) * Self.height)
        list.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: rect))
    }

    /// Performs a step. Returns how many elements of the view were computed, or copied for another array.
    ///
    /// Elements that stay in their array are neither: they are in the memory in which they were, and those that all arrays share
    /// have no other.
    private func computed(_ list: TestHost, _ step: () throws -> some Any) throws -> Int {
        let view = try #require(list.adapter.presentation.views.view(1))
        let before = view.elements.address
        _ = try step()
        #expect(view.sender.isInStep(with: view))
        return view.elements.address == before ? 0 : view.elements.count
    }

    private func lastPicture(_ list: TestHost) throws -> PictureChange {
        let pictures = list.takeEvents().compactMap { event in
            if case .picture(let change) = event { change } else { nil }
        }
        return try #require(pictures.last)
    }

    @Test("a view of 2,000 rows scrolls by 20 → no element that stays is computed or copied, and the viewer gets 20")
    func scrolls() throws {
        let list = try list(showing: 2000)
        // The first scroll makes room behind the elements.
        try scroll(list, to: 20, showing: 2000)
        for row in [40, 20, 0, 20] {
            _ = list.takeEvents()
            #expect(try computed(list) { try scroll(list, to: row, showing: 2000) } == 0)
            let change = try lastPicture(list)
            #expect(change.shown.count == 20 || row == 0 || row == 20)
            #expect(change.placed.isEmpty && change.rebound.isEmpty)
            #expect(abs(change.shown.count - change.released.count) <= 1)
        }
    }

    @Test("an object moves in a view of 2,000 rows → the moved rows are placed, and no other is computed or copied")
    func moves() throws {
        let list = try list(showing: 2000)
        try scroll(list, to: 20, showing: 2000)
        for position in [UpdateRequest.Position.after("o110"), .before("o101")] {
            _ = list.takeEvents()
            #expect(try computed(list) { try list.perform(.moveObject(id: "o100", position: position)) } == 0)
            let change = try lastPicture(list)
            #expect(change.placed.count == 11 && change.shown.isEmpty && change.rebound.isEmpty)
        }
    }

    @Test("an object changes in a view of 2,000 rows → no element is copied")
    func patches() throws {
        let list = try list(showing: 2000)
        try scroll(list, to: 20, showing: 2000)
        for number in 0..<3 {
            _ = list.takeEvents()
            let new = try ListObject(
                id: "o100", fields: ["height": .double(Self.height), "n": .int64(Int64(number))])
            let change = UpdateRequest.Operation.applyChanges(removed: [], upserts: [.init(new)])
            #expect(try computed(list) { try list.perform(change) } == 0)
            #expect(try lastPicture(list).rebound.count == 1)
        }
    }

    @Test("a scroll by 20 of 2,000 rows would take more bytes than are left → it is refused, and the view is as before")
    func refused() throws {
        let list = try list(showing: 2000)
        try scroll(list, to: 20, showing: 2000)
        let view = try #require(list.adapter.presentation.views.view(1))
        let before = view.elements.map(\.key)
        let rect = Rect(x: 0, y: 40 * Self.height, width: 100, height: 2000 * Self.height)
        #expect(throws: ListError.self) {
            try list.adapter.presentation.setViewport(view: 1, seen: 0, rect: rect, growth: 0)
        }
        let same = Rect(x: 0, y: 10 * Self.height, width: 100, height: 2000 * Self.height)
        _ = list.adapter.presentation.takeEvents()
        #expect(view.elements.map(\.key) == before)
        list.receive(try list.adapter.setViewport(view: 1, seen: 0, rect: same))
        #expect(view.elements.map(\.key) == view.geometry.visibleElements().all.map(\.key))
    }
}

extension [ViewElement] {
    /// Where the elements are in memory. Nothing is read there.
    fileprivate var address: Int { unsafe withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
}
