// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The recent signals to single clients over the bus, by which the receiver of an undelivered signal is found.
///
/// dbus-daemon drops a unicast signal if its receiver does not read, and sends an error with the signal's serial.
/// Later messages need not reveal the loss. So, after a pause, the receiver is notified that it missed a signal. The
/// notification is repeated until it is delivered.
@DBusActor
final class UnicastSignals {
    /// The receiver of a signal.
    enum Receiver: Hashable {
        /// The owner of a view.
        case view(ViewID)
        /// A client that has subscribed to the named adapter; the first value is the client's unique name.
        case subscriber(String, adapter: String)
    }

    /// The maximum number of remembered signals; that is enough, because the bus answers at once.
    private static let capacity = 4096
    /// The pause before a client that does not read is notified.
    private static let pause = Duration.seconds(1)

    private var receivers: [UInt32: Receiver] = [:]
    private var serials: [UInt32] = []
    private var next = 0
    private var waiting: Set<Receiver> = []
    private let onLoss: @DBusActor (Receiver) -> Void

    /// - Parameter onLoss: called some time after the bus returned a signal, to notify the receiver.
    nonisolated init(onLoss: @escaping @DBusActor (Receiver) -> Void) {
        self.onLoss = onLoss
    }

    /// Observes the undelivered signals of a connection.
    func observe(_ connection: Connection) {
        receivers = [:]
        (serials, next) = ([], 0)
        connection.onUndelivered { [weak self] serial, _ in self?.handleUndelivered(serial: serial) }
    }

    /// Records the receiver of a signal; O(1).
    func recordSent(_ serial: UInt32, to receiver: Receiver) {
        if serials.count < Self.capacity {
            serials.append(serial)
        } else {
            receivers[serials[next]] = nil
            serials[next] = serial
            next = (next + 1) % Self.capacity
        }
        receivers[serial] = receiver
    }

    private func handleUndelivered(serial: UInt32) {
        guard let receiver = receivers.removeValue(forKey: serial), waiting.insert(receiver).inserted else { return }
        EventLoop.shared.addTimer(after: Self.pause) { [weak self] in
            guard let self, waiting.remove(receiver) != nil else { return }
            onLoss(receiver)
        }
    }
}
