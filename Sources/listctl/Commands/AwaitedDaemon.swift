// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// Finds the listd that a command needs: waits when it is away, restarts or does not answer, and reports that.
///
/// Owned by `DBusActor`. The owner gets each new daemon, or nil when there is none; after `askLater` the same one
/// again.
@DBusActor
final class AwaitedDaemon {
    private let address: BusAddress
    private let onChange: @DBusActor (ListDaemonClient?) -> Void
    private var client: ListClient?
    private var daemon: ListDaemonClient?
    private var retry: LoopTimer?
    private var backoff = Backoff(from: .milliseconds(200), upTo: .seconds(30))
    private var notice = WaitingNotice()

    init(at address: BusAddress, onChange: @escaping @DBusActor (ListDaemonClient?) -> Void) {
        self.address = address
        self.onChange = onChange
    }

    /// Searches until `close`.
    func start() {
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        client.start()
    }

    /// Records an answer, so that the next missing one is reported again.
    func hasAnswered() {
        backoff.reset()
        notice.end()
    }

    /// Reports the daemon again in a while, unless it is gone then: in that case waits for a new one.
    func askLater() {
        retry?.cancel()
        retry = EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
            guard let self, let daemon = self.daemon else { return }
            notice.report(.answer)
            onChange(daemon)
        }
    }

    /// Ends the connection; no report follows.
    func close() {
        retry?.cancel()
        client?.close()
    }

    private func availabilityChanged(_ availability: ListClient.Availability) {
        retry?.cancel()
        switch availability {
        case .available(let daemon): self.daemon = daemon
        case .noDaemon:
            daemon = nil
            notice.report(.listd)
        case .noBus(let error):
            daemon = nil
            notice.report(.bus, error.message)
        }
        onChange(daemon)
    }
}
