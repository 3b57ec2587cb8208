// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSupport

// Lists that go with the connection that created them: the option `transient`.

extension Service {
    /// Removes a list when a peer leaves; at once when it has left.
    func remove(_ adapter: AdapterObject, with peer: Peer) {
        adapter.setCreator(peer)
        watchDeparture(of: peer)
        if peer.hasDeparted { removeTransients(of: peer) }
    }

    /// Removes the transient lists of a peer that has left.
    func removeTransients(of peer: Peer) {
        let origin = Origin(peer)
        for adapter in adapters.all where adapter.isTransient(of: peer) {
            Task { @DBusActor in
                do throws(ListError) {
                    try await remove(adapter)
                    log(adapter, "removed, as its creator has left,", by: origin, limitedBy: peer.userText)
                } catch {
                    guard error.code != .noSuchAdapter else { return }
                    log.error("transient adapter \(adapter.name.quoted) stays: \(error)", .adapter(adapter.name))
                }
            }
        }
    }
}
