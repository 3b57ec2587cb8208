// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import ListWorkers

/// The open views by their numbers.
@DBusActor
final class ViewDirectory {
    private var views: [ViewID: ViewObject] = [:]
    private var last: ViewID = 0
    /// Those who wait until some views are closed.
    private var awaited: [(views: Set<ViewID>, done: @DBusActor () -> Void)] = []

    nonisolated init() {}

    /// How many there are.
    var count: Int { views.count }

    /// All of them, in the order in which they were opened.
    var all: [ViewObject] { views.sorted { $0.key < $1.key }.map(\.value) }

    /// A number for a new view; no number is given twice.
    func nextNumber() -> ViewID {
        last += 1
        return last
    }

    /// The view with a number; nil when it is closed.
    func object(_ number: ViewID) -> ViewObject? { views[number] }

    func add(_ view: ViewObject) { views[view.number] = view }

    func remove(_ view: ViewObject) {
        views[view.number] = nil
        for index in awaited.indices { awaited[index].views.remove(view.number) }
        let done = awaited.filter(\.views.isEmpty)
        awaited.removeAll(where: \.views.isEmpty)
        for (_, done) in done { done() }
    }

    /// Returns when views are closed, or some time has passed.
    func wait(untilClosed closing: [ViewObject], atMost limit: Duration) async {
        let open = Set(closing.map(\.number)).intersection(views.keys)
        guard !open.isEmpty else { return }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        awaited.append((open, { continuation.finish() }))
        let timer = EventLoop.shared.addTimer(after: limit) { continuation.finish() }
        for await _ in ends {}
        timer.cancel()
    }

    /// How many look at each adapter that anybody looks at.
    ///
    /// - Complexity: O(views)
    var countByAdapter: [ObjectIdentifier: Int] {
        views.values.reduce(into: [:]) { $0[ObjectIdentifier($1.adapter), default: 0] += 1 }
    }

    /// Ends all views of a connection that has left.
    func close(ownedBy peer: Peer) {
        for view in views.values where view.owner === peer {
            view.adapter.send(.closeView(view.number, .closed), by: view.user)
        }
    }
}

extension ObjectPath {
    /// The path of the view with a number.
    static func view(_ number: ViewID) -> ObjectPath { (try? ObjectPath("\(views)/\(number)")) ?? views }
}
