// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListWorkers

extension AdapterLifecycle {
    /// Returns when the host of an adapter has reported its list's status.
    func awaitHost(of adapter: AdapterObject) async {
        await withCheckedContinuation { continuation in
            adapter.host.ping { EventLoop.shared.post { continuation.resume() } }
        }
    }

    /// Returns when the hosts of all adapters have reported their lists' status, so that no property is outdated.
    func awaitHosts() async {
        await forEachAdapter { adapter, done in
            adapter.host.ping { EventLoop.shared.post { done() } }
        }
    }

    /// The time that workers have to end their lists: half of the daemon's `TimeoutStopSec=`.
    private static let workersLimit = Duration.seconds(5)

    /// Ends all hosts: accepted requests are finished, the views are closed, and every call is answered.
    ///
    /// A worker that exceeds the time limit is killed, and its lists end without it.
    func stopHosts() async {
        let limit = EventLoop.shared.addTimer(after: Self.workersLimit) { [plugins] in
            Task { await plugins.giveUpWorkers() }
        }
        await forEachAdapter { adapter, done in adapter.end(.shuttingDown, completion: done) }
        limit.cancel()
    }

    /// Calls `act` for each adapter; returns when all have called `done`.
    private func forEachAdapter(_ act: (AdapterObject, _ done: @escaping @DBusActor () -> Void) -> Void) async {
        let all = adapters.all
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var left = all.count
            if left == 0 { continuation.resume() }
            for adapter in all {
                act(adapter) {
                    left -= 1
                    if left == 0 { continuation.resume() }
                }
            }
        }
    }
}
