// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// The open views by number.
@DBusActor
final class ViewDirectory {
    private var views: [ViewID: ViewObject] = [:]
    /// The views of each adapter that has any.
    private var ofAdapter: [ObjectIdentifier: Set<ViewID>] = [:]
    private var last: ViewID = 0
    /// The views with pictures that wait for their turn.
    private var unsent: Set<ViewID> = []
    /// The closures to call when all of some views are closed.
    private var awaited: [(views: Set<ViewID>, done: @DBusActor () -> Void)] = []

    nonisolated init() {}

    /// The number of views.
    var count: Int { views.count }

    /// Returns the number of an adapter's views.
    func count(of adapter: AdapterObject) -> Int { ofAdapter[ObjectIdentifier(adapter)]?.count ?? 0 }

    /// All views, in the order of opening.
    var all: [ViewObject] { views.sorted { $0.key < $1.key }.map(\.value) }

    /// Returns an adapter's views, in the order of opening.
    func all(of adapter: AdapterObject) -> [ViewObject] {
        (ofAdapter[ObjectIdentifier(adapter)] ?? []).sorted().compactMap { views[$0] }
    }

    /// Returns the number of a new view; no number is used twice.
    func nextNumber() -> ViewID {
        last += 1
        return last
    }

    /// Returns the view with a number; nil if the view is closed.
    func object(_ number: ViewID) -> ViewObject? { views[number] }

    func add(_ view: ViewObject) {
        views[view.number] = view
        ofAdapter[ObjectIdentifier(view.adapter), default: []].insert(view.number)
    }

    /// Records whether pictures of a view wait for their turn.
    func setHasUnsent(_ view: ViewObject, _ flag: Bool) {
        if flag { unsent.insert(view.number) } else { unsent.remove(view.number) }
    }

    /// Prepares the waiting pictures of a list's views for the announcement of the list's next revision.
    func prepareUnsent(of signals: AdapterSignals, forUpdateTo revision: UInt64) {
        guard !unsent.isEmpty else { return }
        for number in unsent.sorted() {
            guard let view = views[number], view.adapter.signals === signals else { continue }
            view.prepare(forUpdateTo: revision)
        }
    }

    func remove(_ view: ViewObject) {
        guard views.removeValue(forKey: view.number) != nil else { return }
        let adapter = ObjectIdentifier(view.adapter)
        ofAdapter[adapter]?.remove(view.number)
        if ofAdapter[adapter]?.isEmpty == true { ofAdapter[adapter] = nil }
        for index in awaited.indices { awaited[index].views.remove(view.number) }
        let done = awaited.filter(\.views.isEmpty)
        awaited.removeAll(where: \.views.isEmpty)
        for (_, done) in done { done() }
    }

    /// Returns when all the views are closed, or after a time limit.
    func wait(untilClosed closing: [ViewObject], atMost limit: Duration) async {
        let open = Set(closing.map(\.number)).intersection(views.keys)
        guard !open.isEmpty else { return }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        awaited.append((open, { continuation.finish() }))
        let timer = EventLoop.shared.addTimer(after: limit) { continuation.finish() }
        for await _ in ends {}
        timer.cancel()
    }

    /// Closes all views of a connection that has ended.
    func close(ownedBy peer: Peer) {
        for view in views.values where view.owner === peer {
            view.adapter.host.closeView(view.number, .closed, by: view.user)
        }
    }
}

extension ObjectPath {
    /// The path of the view with a number.
    static func view(_ number: ViewID) -> ObjectPath { (try? ObjectPath("\(views)/\(number)")) ?? views }
}
