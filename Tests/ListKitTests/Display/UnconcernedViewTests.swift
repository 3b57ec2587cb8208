// SPDX-License-Identifier: Apache-2.0

import Testing

@testable @_spi(Daemon) import ListKit

@Suite("Updates beside many views")
struct UnconcernedViewTests {
    /// The number of rows that each view shows.
    private static let rows = 10

    /// A list of rows, and a view of each ten of them.
    private func list(views count: Int) throws -> TestHost {
        let list = TestHost(try (0..<count * Self.rows).map { try ListObject(id: "o\($0)", fields: ["height": 20.0]) })
        var options = ListViewOptions()
        options.buffer = 0
        for number in 0..<count {
            try list.adapter.openView(ViewID(number + 1), options: options)
            let rect = Rect(x: 0, y: Double(number * Self.rows * 20), width: 100, height: Double(Self.rows * 20))
            list.receive(try list.adapter.setViewport(view: ViewID(number + 1), seen: 0, rect: rect))
        }
        _ = list.takeEvents()
        return list
    }

    /// Performs an operation and returns the number of views that computed their elements anew.
    private func visits(_ list: TestHost, _ operation: UpdateRequest.Operation) throws -> Int {
        let views = list.adapter.presentation.views.views
        // While the old elements are kept, new ones have other memory.
        let before = views.map(\.elements)
        #expect(try list.perform(operation).revision != nil)
        return zip(views, before).count { $0.elements.address != $1.address }
    }

    @Test("an object moves within one of 200 views → of the others, only the neighbours are visited")
    func moves() throws {
        let list = try list(views: 200)
        #expect(try visits(list, .moveObject(id: "o1003", position: .after("o1006"))) == 1)
        #expect(try visits(list, .moveObject(id: "o1003", position: .before("o1004"))) == 1)
        #expect((2...3).contains(try visits(list, .moveObject(id: "o1009", position: .after("o1010")))))
        let events = list.takeEvents()
        #expect(events.count { if case .picture = $0 { true } else { false } } == 4)
    }

    @Test("objects between two views of 200 are replaced → the views outside are not visited")
    func replaced() throws {
        let list = try list(views: 200)
        let new = UpdateRequest.Upsert(
            try ListObject(id: "new", fields: ["height": 20.0]), position: .after("o1005"))
        #expect(try visits(list, .applyChanges(removed: ["o1003"], upserts: [new])) == 1)
    }

    @Test("an object moves whose height differs from the others → the views between are visited, too")
    func shifts() throws {
        let list = try list(views: 20)
        _ = try list.perform(
            .applyChanges(removed: [], upserts: [.init(try ListObject(id: "o55", fields: ["height": 30.0]))]))
        let visited = try visits(list, .moveObject(id: "o55", position: .after("o85")))
        #expect((4...5).contains(visited))
    }
}

extension [ViewElement] {
    /// Where the elements are in memory. Nothing is read there.
    fileprivate var address: Int { unsafe withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }
}
