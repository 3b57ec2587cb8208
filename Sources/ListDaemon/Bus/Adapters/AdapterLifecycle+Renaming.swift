// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListStore
internal import ListSupport
internal import ListWorkers

extension AdapterLifecycle {
    /// Renames a list. Its bus object moves to the new path; the list keeps its objects, epoch and revision.
    ///
    /// Views are closed and subscriptions end, because clients know the list by its path.
    ///
    /// - Throws: `invalidArguments` or `adapterExists` for the new name, `noSuchAdapter` if the list was removed in
    ///   between, `storeFailed`; the list then keeps its name.
    func rename(_ adapter: AdapterObject, to new: String) async throws(ListError) {
        let old = adapter.name
        guard ExactText(old) != ExactText(new) else { throw AdapterDirectory.nameTakenError(new) }
        if adapters.followers.wouldCloseCycle(renaming: old, to: new) {
            throw ListError(
                .invalidArguments, "new_name: adapter \(old.quoted) would follow itself under this name"
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
        counts.notifyChange()
    }

    /// The time that the host of a list has to close its views in order.
    private static let closingLimit = Duration.seconds(2)

    /// Closes the views of a list whose path is about to change, and refuses new ones; returns when the views' owners
    /// were notified.
    ///
    /// Subscribers are notified that everything displayed is no longer displayed, unless the list's host does not
    /// answer, because its worker hangs or is being restarted.
    private func closeViews(of adapter: AdapterObject) async {
        adapter.beginMove()
        let open = service.views.all(of: adapter)
        for view in open { adapter.host.closeView(view.number, .adapterRemoved, by: view.user) }
        if !open.isEmpty, adapter.state != .paused {
            await service.views.wait(untilClosed: open, atMost: Self.closingLimit)
        }
        for view in service.views.all(of: adapter) { view.finishClosing(.adapterRemoved) }
        adapter.endMove()
    }
}

// MARK: - Lists that end with their creator's connection: the option `transient`

extension AdapterLifecycle {
    /// Marks a list for removal when a peer disconnects; removes it at once if the peer has already disconnected.
    func removeWhenDeparted(_ adapter: AdapterObject, creator peer: Peer) {
        adapter.setCreator(peer)
        service.calls.watchDeparture(of: peer)
        if peer.hasDeparted { removeTransients(of: peer) }
    }

    /// Removes the transient lists of a peer that has disconnected.
    func removeTransients(of peer: Peer) {
        let origin = Origin(peer)
        for adapter in adapters.all where adapter.isTransient(of: peer) {
            Task { @DBusActor in
                do throws(ListError) {
                    try await remove(adapter)
                    service.log("removed (its creator disconnected)", of: adapter, by: origin, limitedBy: peer.userText)
                } catch {
                    guard error.code != .noSuchAdapter else { return }
                    log.error(
                        "transient adapter \(adapter.name.quoted) could not be removed: \(error)",
                        .adapter(adapter.name))
                }
            }
        }
    }
}
