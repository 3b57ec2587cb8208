// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The daemon's end of the connection with one worker. It listens on a private socket and accepts only the started
/// process.
///
/// Orders are queued until the worker has connected. A process that connects before the daemon knows the worker's
/// process id is kept until ``setExpectedProcess(_:)``.
@DBusActor
final class WorkerConnection {
    private let link: WorkerLink
    private let onFailure: @DBusActor (DBusError) -> Void
    private let onDeparture: @DBusActor () -> Void
    private var socket: WorkerSocket?
    /// The only process that may connect; 0 = not known yet.
    private var process: Int32 = 0
    /// The process that connected before ``process`` was known.
    private var early: (process: Int32?, peer: Peer?) = (nil, nil)
    /// The orders that are sent once the worker has connected.
    private var waiting: [WorkerPacket] = []

    /// - Parameters:
    ///   - receive: called with each packet from the worker.
    ///   - onFailure: called when an order cannot be sent to the worker.
    ///   - onDeparture: called when the worker has disconnected.
    init(
        _ receive: @escaping @DBusActor (WorkerPacket) -> Void, onFailure: @escaping @DBusActor (DBusError) -> Void,
        onDeparture: @escaping @DBusActor () -> Void
    ) {
        link = WorkerLink(receive)
        self.onFailure = onFailure
        self.onDeparture = onDeparture
    }

    /// Whether the worker is connected.
    var isOpen: Bool { link.connection != nil }

    /// Whether reading from the worker is paused.
    var isPaused: Bool { link.connection?.readingIsPaused ?? false }

    /// Listens for the worker. Returns the address to which the worker connects.
    func listen() throws(ListError) -> String {
        let socket = try WorkerSocket.listen { [weak self] in self?.admits($0.processID) ?? false }
        self.socket = socket
        socket.server.objects = link.tree
        socket.server.onConnection { [weak self] peer in self?.handleConnection(of: peer) }
        return socket.address
    }

    /// Sets the process that may connect, the worker that was started.
    ///
    /// - Returns: the id of another process that has connected in place of the worker; nil = none has.
    func setExpectedProcess(_ process: Int32) -> Int32? {
        self.process = process
        let (dialled, peer) = early
        early = (nil, nil)
        if let dialled, dialled != process { return dialled }
        if let peer { handleConnection(of: peer) }
        return nil
    }

    /// Whether a process may connect: the started worker, or the first process while the worker's id is not known.
    private func admits(_ process: Int32?) -> Bool {
        guard let process else { return false }
        guard self.process == 0, early.process == nil else { return process == self.process }
        early.process = process
        return true
    }

    private func handleConnection(of peer: Peer) {
        guard process > 0 else { return early.peer = peer }
        guard link.connection == nil, let connection = peer.connection else { return }
        link.setConnection(connection)
        peer.onDeparture { [onDeparture] in onDeparture() }
        let orders = waiting
        waiting = []
        for order in orders { send(order) }
        socket?.hide()
    }

    /// Sends an order, or queues it until the worker has connected.
    func send(_ packet: WorkerPacket) {
        guard isOpen else { return waiting.append(packet) }
        do throws(DBusError) { try link.send(packet) } catch { onFailure(error) }
    }

    /// Pauses or resumes reading from the worker.
    func setPaused(_ isPaused: Bool) {
        guard let connection = link.connection, connection.readingIsPaused != isPaused else { return }
        connection.readingIsPaused = isPaused
    }

    /// Disconnects from the worker.
    func hangUp() {
        link.connection?.close()
        link.setConnection(nil)
    }

    /// Stops listening.
    func close() { socket?.close() }
}
