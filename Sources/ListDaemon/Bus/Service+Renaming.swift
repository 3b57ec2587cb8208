// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit
internal import ListStore
internal import ListWorkers

extension Service {
    /// Renames a list: its object moves to the new path with objects, epoch and revision; views are closed and
    /// subscriptions end, as both refer to the path.
    ///
    /// Its views are closed, and who has subscribed hears nothing more: both know the list by its path.
    ///
    /// - Throws: `invalidArguments` or `adapterExists` for the new name, `noSuchAdapter` when somebody else has taken the list away,
    ///   `storeFailed`; the list is as it was then.
    func rename(_ adapter: AdapterObject, to new: String) async throws(ListError) {
        let old = adapter.name
        guard ExactText(old) != ExactText(new) else { throw AdapterDirectory.isTaken(new) }
        if adapters.followers.wouldCloseCircle(renaming: old, to: new) {
            throw ListError(
                .invalidArguments, "new: adapter \(old.debugDescription.prefix(64)) would follow itself under this name"
            )
        }
        try await adapters.reserve(new, isConfigured: false)
        defer { adapters.cancelReservation(new) }
        try await adapters.reserve(removalOf: adapter)
        defer { adapters.cancelReservation(old) }
        try await adapter.stored.rename(to: new)
        await closeViews(of: adapter)
        tree.remove(at: adapter.path)
        adapters.remove(adapter)
        adapter.take(name: new)
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        countsChanged()
    }

    /// How long the host of a list has to close its views in order.
    private static let closingLimit = Duration.seconds(2)

    /// Closes the views of a list that leaves its path, and lets no new one be opened; returns when their owners are told.
    ///
    /// Who has subscribed hears how everything displayed ends, unless the host of the list does not answer: a worker that
    /// hangs, or is being started again.
    private func closeViews(of adapter: AdapterObject) async {
        adapter.beginMove()
        let open = views.all.filter { $0.adapter === adapter }
        for view in open { adapter.send(.closeView(view.number, .adapterRemoved), by: view.user) }
        if !open.isEmpty, adapter.state != .paused { await views.wait(untilClosed: open, atMost: Self.closingLimit) }
        for view in views.all where view.adapter === adapter { view.closed(.adapterRemoved) }
        adapter.endMove()
    }
}
