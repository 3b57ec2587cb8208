// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListWorkers

extension AdapterLifecycle {
    /// Returns when the host of one adapter has reported what its list is.
    func awaitHost(of adapter: AdapterObject) async {
        await withCheckedContinuation { continuation in
            adapter.ping { EventLoop.shared.post { continuation.resume() } }
        }
    }

    /// Returns when the hosts that are there have reported what their lists are, so that no property lags behind them.
    func awaitHosts() async {
        await forEachAdapter { adapter, done in
            adapter.ping { EventLoop.shared.post { done() } }
        }
    }

    /// How long workers have to end their lists: half of what the unit gives the whole daemon (`TimeoutStopSec=`).
    private static let workersLimit = Duration.seconds(5)

    /// Ends all hosts: what was accepted is finished, the views are closed, every caller is answered.
    ///
    /// A worker that does not do that in time is ended, and its lists end without it.
    func stopHosts() async {
        let limit = EventLoop.shared.addTimer(after: Self.workersLimit) { [plugins] in
            Task { await plugins.giveUpWorkers() }
        }
        await forEachAdapter { adapter, done in adapter.end(.shuttingDown, completion: done) }
        limit.cancel()
    }

    /// Lets every adapter do something; returns when all have done it.
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
