// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListStore
internal import ListSupport
internal import ListWorkers

extension AdapterLifecycle {
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
        adapter.setName(new)
        adapters.add(adapter)
        tree.add(ExportedObject(AdapterObject.interface, of: adapter), at: adapter.path)
        counts.changed()
    }

    /// How long the host of a list has to close its views in order.
    private static let closingLimit = Duration.seconds(2)

    /// Closes the views of a list that leaves its path, and lets no new one be opened; returns when their owners are told.
    ///
    /// Who has subscribed hears how everything displayed ends, unless the host of the list does not answer: a worker that
    /// hangs, or is being started again.
    private func closeViews(of adapter: AdapterObject) async {
        adapter.beginMove()
        let open = service.views.all.filter { $0.adapter === adapter }
        for view in open { adapter.send(.closeView(view.number, .adapterRemoved), by: view.user) }
        if !open.isEmpty, adapter.state != .paused {
            await service.views.wait(untilClosed: open, atMost: Self.closingLimit)
        }
        for view in service.views.all where view.adapter === adapter { view.closed(.adapterRemoved) }
        adapter.endMove()
    }
}

// MARK: - Lists that go with the connection that created them: the option `transient`

extension AdapterLifecycle {
    /// Removes a list when a peer leaves; at once when it has left.
    func remove(_ adapter: AdapterObject, with peer: Peer) {
        adapter.setCreator(peer)
        service.calls.watchDeparture(of: peer)
        if peer.hasDeparted { removeTransients(of: peer) }
    }

    /// Removes the transient lists of a peer that has left.
    func removeTransients(of peer: Peer) {
        let origin = Origin(peer)
        for adapter in adapters.all where adapter.isTransient(of: peer) {
            Task { @DBusActor in
                do throws(ListError) {
                    try await remove(adapter)
                    service.log(adapter, "removed, as its creator has left,", by: origin, limitedBy: peer.userText)
                } catch {
                    guard error.code != .noSuchAdapter else { return }
                    log.error("transient adapter \(adapter.name.quoted) stays: \(error)", .adapter(adapter.name))
                }
            }
        }
    }
}
