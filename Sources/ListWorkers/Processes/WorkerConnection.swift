// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Glibc
internal import ListKit
internal import ListSupport

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

/// The private socket on which the daemon accepts the connection of one worker; in a directory that only its user may
/// enter.
@DBusActor
final class WorkerSocket {
    let server: Server
    private let directory: String
    private let path: String

    private init(server: Server, directory: String, path: String) {
        self.server = server
        self.directory = directory
        self.path = path
    }

    /// The address to which the worker connects.
    var address: String { server.address }

    /// Listens for one connection, from a process for whose credentials `admits` returns true.
    static func listen(admitting admits: @escaping @DBusActor (Credentials) -> Bool) throws(ListError) -> WorkerSocket {
        let directory = try makeDirectory()
        let path = directory + "/worker"
        var settings = Server.Configuration()
        settings.maximumConnections = 1
        settings.admits = admits
        do throws(DBusError) {
            let server = try Server.listen("unix:path=" + DBus.BusAddress.escape(path), settings)
            return WorkerSocket(server: server, directory: directory, path: path)
        } catch {
            _ = unsafe rmdir(directory)
            throw ListError(
                .pluginFailed, "the socket for a worker could not be made: \(path.shortenedPath)", cause: error.message)
        }
    }

    /// Removes the socket from the file system, after its worker has connected.
    func hide() {
        _ = unsafe unlink(path)
        _ = unsafe rmdir(directory)
    }

    /// Closes the connection and the socket.
    func close() {
        server.close()
        hide()
    }

    private static func makeDirectory() throws(ListError) -> String {
        let parents = ["RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"].compactMap(Environment.value)
        // RUNTIME_DIRECTORY of a service may be several paths, separated by colons. A socket's path has at most 108
        // bytes.
        let usable = parents.map { String($0.prefix { $0 != ":" }) }.filter { !$0.isEmpty && $0.utf8.count < 70 }
        var template = Array("\(usable.first ?? "/tmp")/listd-XXXXXX".utf8CString)
        // mkdtemp writes into the template, a local array.
        let made: String? = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let path = unsafe mkdtemp(start) else { return nil }
            return unsafe String(cString: path)
        }
        guard let made else {
            throw ListError(
                .pluginFailed, "the directory for a worker's socket could not be made", cause: SystemError.text(errno))
        }
        return made
    }
}

/// One end of the D-Bus connection between the daemon and a worker, which carries packets in both directions, in order.
///
/// Both ends export an object with the same interface at the same path. A packet is a method call without a reply. So
/// each end can limit its unsent bytes and pause its reading.
@DBusActor
final class WorkerLink {
    /// The exported object. The object tree retains it, so it must not retain the tree.
    private final class Inlet {
        let receive: @DBusActor (WorkerPacket) -> Void

        init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) { self.receive = receive }
    }

    /// The connection to the other end; nil before it is open and after it was closed.
    private(set) weak var connection: Connection?
    /// The objects that the other end can call.
    let tree = ObjectTree()

    private static let path: ObjectPath = "/org/listd/Worker"

    private static let interface = Interface<Inlet>(
        "org.listd.Worker1",
        [
            .method("Take", in: ["packet": "ay"]) { inlet, call in
                inlet.receive(.bytes(try call.arguments(as: [UInt8].self)))
            },
            .method("TakeFile", in: ["packet": "h"]) { inlet, call in
                inlet.receive(.file(try call.arguments(as: FileDescriptor.self)))
            },
        ])

    /// Makes an end that calls `receive` with each packet from the other end.
    init(_ receive: @escaping @DBusActor (WorkerPacket) -> Void) {
        tree.add(ExportedObject(Self.interface, of: Inlet(receive)), at: Self.path)
    }

    /// Sets the connection on which packets are sent; nil = packets are dropped.
    func setConnection(_ connection: Connection?) { self.connection = connection }

    /// Sends a packet, or drops it when there is no connection.
    func send(_ packet: WorkerPacket) throws(DBusError) {
        guard let connection else { return }
        switch packet {
        case .bytes(let bytes): try send("Take", bytes, on: connection)
        case .file(let file): try send("TakeFile", file, on: connection)
        }
    }

    private func send(_ member: String, _ value: some DBusEncodable, on connection: Connection) throws(DBusError) {
        var message = try Message.methodCall(
            to: nil, path: Self.path, interface: Self.interface.name, member: member)
        try message.write(value)
        try connection.callWithoutReply(message)
    }
}
