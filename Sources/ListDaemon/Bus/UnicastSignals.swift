// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The last signals that went to single clients over the bus, so that what the bus gives back is known.
///
/// dbus-daemon drops a unicast signal whose receiver does not read, and answers with an error that carries its serial.
/// Nothing that comes later need show the loss: so the receiver is told a little later that it missed something, and
/// again until that arrives.
@DBusActor
final class UnicastSignals {
    /// The receiver of a signal.
    enum Receiver: Hashable {
        /// The owner of a view.
        case view(ViewID)
        /// A client that subscribed to the adapter with a name, by its unique name.
        case subscriber(String, adapter: String)
    }

    /// How many signals are remembered; the bus answers at once.
    private static let capacity = 4096
    /// How long to leave a client alone that does not read.
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

    /// Listens to what a connection gives back.
    func follow(_ connection: Connection) {
        receivers = [:]
        (serials, next) = ([], 0)
        connection.onUndelivered { [weak self] serial, _ in self?.undelivered(serial) }
    }

    /// Remembers whom a signal was for; O(1).
    func sent(_ serial: UInt32, to receiver: Receiver) {
        if serials.count < Self.capacity {
            serials.append(serial)
        } else {
            receivers[serials[next]] = nil
            serials[next] = serial
            next = (next + 1) % Self.capacity
        }
        receivers[serial] = receiver
    }

    private func undelivered(_ serial: UInt32) {
        guard let receiver = receivers.removeValue(forKey: serial), waiting.insert(receiver).inserted else { return }
        EventLoop.shared.addTimer(after: Self.pause) { [weak self] in
            guard let self, waiting.remove(receiver) != nil else { return }
            onLoss(receiver)
        }
    }
}
