@_spi(Daemon) internal import ListKit

/// A list as one host leaves it and another one goes on with it.
struct HostLegacy: Sendable {
    /// The objects in their order, and the revision that they are.
    var objects: [ListObject]
    var revision: UInt64
    /// The last transactions.
    var changes: [Transaction]
    /// Whether each transaction is stored.
    var isStored: Bool
    /// The views as their viewers know them; helpers were told that nothing is displayed in them any more.
    var views: [ViewResumption]
    /// The selected items.
    var selection: [SelectedItem]
}

extension AdapterHost {
    /// Finishes what was accepted, then ends without a word to those who look: another host goes on for them.
    ///
    /// - Parameter completion: called on the host's executor, after everything was said; what is sent to this host later is
    ///   refused.
    nonisolated func handOver(_ completion: @escaping @Sendable (HostLegacy) -> Void) {
        executor.post {
            self.assumeIsolated { host in
                host.successor = completion
                host.isHeld = false
                host.feed()
            }
        }
    }

    /// Ends for a successor.
    func leave(to successor: @Sendable (HostLegacy) -> Void) {
        let known = (try? changes.changes(since: changes.oldestRevision, byteLimit: .max)) ?? []
        let legacy = HostLegacy(
            objects: adapter.objects(from: 0, limit: .max), revision: adapter.revision, changes: known,
            isStored: isStored, views: adapter.openViews.compactMap { try? adapter.resumption(of: $0) },
            selection: adapter.selectedItems)
        for view in adapter.openViews {
            guard let events = try? adapter.closeView(view) else { continue }
            yield(events.filter { if case .closed = $0 { false } else { true } })
        }
        account?.close()
        phase = .stopped
        successor(legacy)
    }
}
