// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// The receiver of a transport's events.
@DBusActor
protocol TransportDelegate: AnyObject {
    /// A message has arrived; messages come in the order of the other end.
    func transport(_ transport: Transport, received message: Message)
    /// Either side has ended the connection; no call follows.
    func transportDidDisconnect(_ transport: Transport)
    /// Something was read or written: authentication or the outgoing queue may have changed.
    func transportDidProgress(_ transport: Transport)
}

/// One private libdbus connection on the event loop: it moves bytes and messages without interpreting them.
///
/// Messages are dispatched with a budget per turn of the loop, never from a libdbus callback, so that neither timers
/// nor other connections starve and no handler is reentered.
@safe
@DBusActor
final class Transport: TurnTaker {
    /// Owned by this object, used on the loop thread only; closed and released by `close`, at the latest by `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private var unfinished: UnfinishedMessage?
    private weak var delegate: (any TransportDelegate)?
    /// False after `close`, and once the end has been reported.
    private(set) var isConnected = true

    /// Takes over a reference to a private connection.
    init(adopting raw: OpaquePointer) throws(DBusError) {
        unsafe self.raw = unsafe raw
        unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
        watches.setOwner(self)
        guard
            unsafe dbus_connection_set_watch_functions(
                raw, WatchTable.addWatch, WatchTable.removeWatch, WatchTable.toggleWatch,
                watches.retainedForLibdbus(), WatchTable.release) != 0,
            unsafe dbus_connection_set_timeout_functions(
                raw, WatchTable.addTimeout, WatchTable.removeTimeout, WatchTable.toggleTimeout,
                watches.retainedForLibdbus(), WatchTable.release) != 0
        else {
            close()
            throw DBusError(.noMemory, "no memory for a connection")
        }
        EventLoop.shared.reactor.giveTurn(to: self)  // authentication may have read messages already
    }

    /// Makes `delegate` the receiver of all events from the next turn of the loop on.
    func setDelegate(_ delegate: any TransportDelegate) { self.delegate = delegate }

    deinit {
        guard let raw = unsafe raw else { return }
        let orphan = unsafe OrphanedConnection(raw: raw, watches: watches)
        EventLoop.shared.post { orphan.close() }
    }

    /// Ends the connection; queued messages are lost, and the delegate gets no further call.
    func close() {
        guard let raw = unsafe raw else { return }
        unsafe self.raw = nil
        isConnected = false
        unfinished?.end()
        unsafe OrphanedConnection(raw: raw, watches: watches).close()
    }
}

/// A connection; this value is its only owner.
@safe
private struct OrphanedConnection: @unchecked Sendable {
    let raw: OpaquePointer
    let watches: WatchTable

    @DBusActor
    func close() {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        watches.removeAll()
        unsafe dbus_connection_unref(raw)
    }
}

// MARK: - Sending

extension Transport {
    /// Queues a message and writes as much as the socket accepts now; never blocks.
    ///
    /// - Returns: the message's serial.
    func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard let raw = unsafe raw, isConnected else { throw .disconnected("the connection is closed") }
        guard message.bodySize >= 0 else { throw .invalidArgs("the message was not written completely") }
        let made = try unsafe message.raw
        guard unsafe dbus_message_contains_unix_fds(made) == 0 || dbus_connection_can_send_type(raw, 0x68) != 0
        else { throw DBusError(.notSupported, "this connection does not carry file descriptors") }
        var serial: UInt32 = 0
        guard unsafe dbus_connection_send(raw, made, &serial) != 0 else {
            throw DBusError(.noMemory, "no memory to send a message")
        }
        // Writing may have found that the other end has closed; libdbus reports that to dispatching only.
        if !isAlive { EventLoop.shared.reactor.giveTurn(to: self) }
        return serial
    }

    /// The number of bytes that the other end has not read yet.
    var outgoingSize: Int { unsafe raw.map { unsafe Int(dbus_connection_get_outgoing_size($0)) } ?? 0 }
}

extension Transport {
    /// The socket; nil once it is closed.
    var descriptor: Int32? {
        var number: Int32 = -1
        guard let raw = unsafe raw, unsafe dbus_connection_get_socket(raw, &number) != 0 else { return nil }
        return number
    }

    /// False as soon as libdbus has seen the end, which is reported only after the messages before it.
    var isAlive: Bool { unsafe raw.map { unsafe dbus_connection_get_is_connected($0) != 0 } ?? false }

    /// Ends the connection when the other end sends a larger message, from its next one on.
    func limit(messageSize: Int) {
        unsafe withRaw { raw in unsafe dbus_connection_set_max_message_size(raw, messageSize) }
    }

    /// Sets how many bytes of unreleased messages stop the reading.
    func limit(unreleasedBytes: Int) {
        unsafe withRaw { raw in unsafe dbus_connection_set_max_received_size(raw, unreleasedBytes) }
    }

    /// Lets an extension configure libdbus; does nothing once closed.
    func withRaw(_ body: (OpaquePointer) -> Void) {
        if let raw = unsafe raw { unsafe body(raw) }
    }

    /// True once the other end is authenticated.
    var isAuthenticated: Bool { unsafe raw.map { unsafe dbus_connection_get_is_authenticated($0) != 0 } ?? false }
}

// MARK: - Reading

extension Transport: WatchTableOwner {
    func didHandleWatches() {
        recordRead()
        delegate?.transportDidProgress(self)
        checkForMessages()
    }

    func willRead() {
        recordRead()
        unfinished?.willRead()
    }

    func didResumeReading() { unfinished?.resume() }

    func didHangUp() { end() }
}

// MARK: - Receiving

extension Transport {
    /// While true, received data stays in the socket and in libdbus' queue.
    var readingIsPaused: Bool {
        get { watches.readingIsPaused }
        set {
            watches.setReadingPaused(newValue)
            EventLoop.shared.reactor.giveTurn(to: self)
        }
    }

    /// Whether the connection ends as soon as the other end closes, or shuts down its sending direction, also while
    /// reading is paused: unread messages are lost then. Otherwise the end is found by reading.
    var endsWhilePaused: Bool {
        get { watches.watchesHangUps }
        set { watches.setWatchesHangUps(newValue) }
    }

    /// Limits incomplete messages of the other end; one that times out ends the connection. Call it before anything is
    /// read.
    func limitUnfinishedMessages(_ limits: UnfinishedLimits) {
        guard let descriptor else { return }
        var limits = limits
        limits.onTimeout = { [weak self, onTimeout = limits.onTimeout] bytes in
            onTimeout(bytes)
            self?.end()
        }
        unfinished = UnfinishedMessage(
            socket: descriptor, limits: limits, isReading: { [weak watches] in watches?.isReading ?? false }
        ) { [weak watches] waits in
            watches?.setWaitsForRoom(waits)
        }
    }

    /// Asks again for room for a message that was begun when there was none.
    func retryUnfinishedMessage() { unfinished?.retry() }

    private func recordRead() { unfinished?.didRead(isAuthenticated: isAuthenticated) }

    private func checkForMessages() {
        guard let raw = unsafe raw else { return }
        guard !readingIsPaused else {
            if endsWhilePaused, !isAlive { EventLoop.shared.reactor.giveTurn(to: self) }
            return
        }
        switch DispatchStep(status: unsafe dbus_connection_get_dispatch_status(raw).rawValue) {
        case .drain: EventLoop.shared.reactor.giveTurn(to: self)
        case .wait: unfinished?.settle()
        case .retryLater: retryLater()
        }
    }

    private func retryLater() {
        EventLoop.shared.addTimer(after: DispatchStep.retryDelay) { [weak self] in self?.checkForMessages() }
    }

    /// The number of messages that are dispatched before other connections and timers get their turn.
    nonisolated static let messagesPerTurn = 1024

    func runTurn(until deadline: UInt64) -> Bool {
        for number in 0..<Self.messagesPerTurn {
            guard number % 4 < 3 || TimerQueue.now() < deadline else { return true }
            guard let raw = unsafe raw, isConnected else { return false }
            guard !readingIsPaused else {
                if endsWhilePaused, !isAlive { end() }
                return false
            }
            guard let next = unsafe dbus_connection_pop_message(raw) else {
                checkForMessages()
                return false
            }
            deliver(unsafe Message(adopting: next))
            EventLoop.shared.runPosted()  // a task that awaited this message continues before the next one is delivered
        }
        return true
    }

    private var hasMoreMessages: Bool {
        unsafe raw.map { unsafe dbus_connection_get_dispatch_status($0) == DBUS_DISPATCH_DATA_REMAINS } ?? false
    }

    private func deliver(_ message: Message) {
        guard !message.isLocalDisconnected else { return end() }
        if unfinished?.delivers(message) == true { message.markAccountedFor() }
        delegate?.transport(self, received: message)
    }

    /// Reports the end, once.
    private func end() {
        guard isConnected else { return }
        isConnected = false
        delegate?.transportDidDisconnect(self)
    }
}

/// The next step after checking libdbus' dispatch status.
public enum DispatchStep: Sendable {
    case drain
    case wait
    /// libdbus had no memory: trying again at once would spin.
    case retryLater

    /// How long to wait for memory.
    public static let retryDelay = Duration.milliseconds(100)

    /// From a `DBusDispatchStatus`.
    public init(status: UInt32) {
        switch status {
        case DBUS_DISPATCH_DATA_REMAINS.rawValue: self = .drain
        case DBUS_DISPATCH_NEED_MEMORY.rawValue: self = .retryLater
        default: self = .wait
        }
    }
}
