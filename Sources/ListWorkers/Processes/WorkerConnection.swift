// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListKit

/// The daemon's end of the connection with one worker: awaited on a private socket, for the process that was started.
///
/// What is reported to the worker before it has dialled waits. A process that dials before it is known which one that has to be
/// is kept until ``expect(_:)``.
@DBusActor
final class WorkerConnection {
    private let link: WorkerLink
    private let onFailure: @DBusActor (DBusError) -> Void
    private let onDeparture: @DBusActor () -> Void
    private var socket: WorkerSocket?
    /// The process that has to dial; 0 = not known yet.
    private var process: Int32 = 0
    /// The process that dialled before that was known.
    private var early: (process: Int32?, peer: Peer?) = (nil, nil)
    private var waiting: [WorkerPacket] = []

    /// - Parameters:
    ///   - receive: gets what the worker says.
    ///   - onFailure: called when something cannot be reported to the worker.
    ///   - onDeparture: called when the worker has hung up.
    init(
        _ receive: @escaping @DBusActor (WorkerPacket) -> Void, onFailure: @escaping @DBusActor (DBusError) -> Void,
        onDeparture: @escaping @DBusActor () -> Void
    ) {
        link = WorkerLink(receive)
        self.onFailure = onFailure
        self.onDeparture = onDeparture
    }

    /// Whether the worker has dialled and has not hung up.
    var isOpen: Bool { link.connection != nil }

    /// Whether what the worker says is left unread.
    var isPaused: Bool { link.connection?.readingIsPaused ?? false }

    /// Awaits the worker; answers where it is to dial.
    func listen() throws(ListError) -> String {
        let socket = try WorkerSocket.listen { [weak self] in self?.admits($0.processID) ?? false }
        self.socket = socket
        socket.server.objects = link.tree
        socket.server.onConnection { [weak self] peer in self?.connected(peer) }
        return socket.address
    }

    /// Says which process has to dial.
    ///
    /// - Returns: another process that has dialled in its place; nil = none has.
    func expect(_ process: Int32) -> Int32? {
        self.process = process
        let (dialled, peer) = early
        early = (nil, nil)
        if let dialled, dialled != process { return dialled }
        if let peer { connected(peer) }
        return nil
    }

    /// Whether a process may dial: the one that was started, or whoever comes before that is known.
    private func admits(_ process: Int32?) -> Bool {
        guard let process else { return false }
        guard self.process == 0, early.process == nil else { return process == self.process }
        early.process = process
        return true
    }

    private func connected(_ peer: Peer) {
        guard process > 0 else { return early.peer = peer }
        guard link.connection == nil, let connection = peer.connection else { return }
        link.use(connection)
        peer.onDeparture { [onDeparture] in onDeparture() }
        let orders = waiting
        waiting = []
        for order in orders { send(order) }
        socket?.hide()
    }

    /// Sends an order; until the worker has dialled it waits.
    func send(_ packet: WorkerPacket) {
        guard isOpen else { return waiting.append(packet) }
        do throws(DBusError) { try link.send(packet) } catch { onFailure(error) }
    }

    /// Reads what the worker says, or lets it wait.
    func pause(_ isPaused: Bool) {
        guard let connection = link.connection, connection.readingIsPaused != isPaused else { return }
        connection.readingIsPaused = isPaused
    }

    /// Hangs up.
    func hangUp() {
        link.connection?.close()
        link.use(nil)
    }

    /// Awaits nobody any more.
    func close() { socket?.close() }
}
