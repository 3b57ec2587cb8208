// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The search for the listd that a command needs. It prints a message while listd is not running or does not answer.
///
/// `onChange` gets each new daemon, and nil when there is none. After `retryLater` it gets the last daemon again.
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

    /// Starts searching for listd, until `close` is called.
    func startSearch() {
        let client = ListClient(address: address) { [weak self] in self?.availabilityChanged($0) }
        self.client = client
        client.start()
    }

    /// Records that listd answered, so that the next timeout prints a message again.
    func recordAnswer() {
        backoff.reset()
        notice.end()
    }

    /// Calls `onChange` with the present daemon again after a delay, which grows with each retry. If the daemon ends
    /// before that, `onChange` is called only with a new daemon.
    func retryLater() {
        retry?.cancel()
        retry = EventLoop.shared.addTimer(after: backoff.next()) { [weak self] in
            guard let self, let daemon = self.daemon else { return }
            notice.report(.answer)
            onChange(daemon)
        }
    }

    /// Closes the connection. `onChange` is not called again.
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
