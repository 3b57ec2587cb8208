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

// MARK: - Opening

extension AdapterObject {
    func openView(_ call: Call) throws {
        try checkReadingAccess(call)
        try service.decode(call) { (reader) throws(DBusError) in
            try reader.readOptions()
        } then: { [self] values in
            try checkReadingAccess(call)
            try checkStaying()
            try openView(call, try ListViewOptions(values))
        }
    }

    private func openView(_ call: Call, _ options: ListViewOptions) throws {
        let user = try service.authority.caller(call.peer).user
        do throws(Quotas.Exceeded) {
            try service.quotas.change(Quotas.Amounts(views: 1), for: user)
        } catch {
            throw error.refusal("user \(user) has \(error.limit) views open")
        }
        let view = ViewObject(
            number: service.views.nextNumber(), adapter: self, owner: call.peer, user: user, options: options,
            service: service)
        service.views.add(view)
        service.countsChanged()
        service.tree.add(ExportedObject(ViewObject.interface, of: view), at: view.path)
        service.watchDeparture(of: call.peer)
        request(by: user) { outcome in
            if case .failure = outcome { view.discard() }
            call.answer(outcome) { answer, writer in
                guard case .opened(let revision, let sections, let items) = answer else { return false }
                writer.append(view.path)
                writer.append(revision)
                writer.append(UInt32(clamping: sections))
                writer.append(UInt32(clamping: items))
                return true
            }
        } _: { id in
            .openView(id, view.number, options)
        }
    }
}
