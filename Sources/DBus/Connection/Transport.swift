// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A private libdbus connection on the event loop. It transfers bytes and messages without interpreting them.
///
/// Each turn of the loop dispatches a limited number of messages, and libdbus callbacks dispatch none. So neither
/// timers nor other connections starve, and no handler is reentered.
@safe
@DBusActor
final class Transport {
    /// libdbus' connection, owned by this object and used on the loop thread only. It is closed and released by
    /// `close` or `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private var unfinished: UnfinishedMessage?
    /// Receives the messages that libdbus has read.
    private lazy var messages = LoopWork(.messages) { [weak self] in self?.receiveNext() ?? false }
    /// The connection that receives all events.
    private weak var connection: Connection?
    /// Whether the connection is open: `close` was not called, and its end was not reported.
    private(set) var isConnected = true

    /// Takes ownership of a reference to a private connection.
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
            throw DBusError(.noMemory, "there is not enough memory for a connection")
        }
        messages.begin()  // libdbus may have read messages during authentication
    }

    /// Sets the connection that receives all events, beginning with the next turn of the loop.
    func setConnection(_ connection: Connection) { self.connection = connection }

    deinit {
        guard let raw = unsafe raw else { return }
        nonisolated(unsafe) let orphan = unsafe raw  // nothing else refers to it any more
        EventLoop.shared.post { [watches] in unsafe Self.release(orphan, watches) }
    }

    /// Ends the connection. Queued messages are lost, and the connection gets no more events.
    func close() {
        guard let raw = unsafe raw else { return }
        unsafe self.raw = nil
        isConnected = false
        unfinished?.end()
        unsafe Self.release(raw, watches)
    }

    /// Closes and releases a connection to which nothing else refers any more.
    private static func release(_ raw: OpaquePointer, _ watches: WatchTable) {
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_connection_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        watches.removeAll()
        unsafe dbus_connection_unref(raw)
    }
}

// MARK: - Sending

extension Transport {
    /// Queues a message and writes as much as the socket accepts now. Never blocks.
    ///
    /// - Returns: the serial of the message.
    func send(_ message: Message) throws(DBusError) -> UInt32 {
        guard let raw = unsafe raw, isConnected else { throw .disconnected("the connection is closed") }
        guard message.body.descriptors.isEmpty || (unsafe dbus_connection_can_send_type(raw, 0x68) != 0)
        else { throw DBusError(.notSupported, "this connection cannot transfer file descriptors") }
        let form = try LibdbusMessage.sendable(message)
        var serial: UInt32 = 0
        guard unsafe dbus_connection_send(raw, form.raw, &serial) != 0 else {
            throw DBusError(.noMemory, "there is not enough memory to send a message")
        }
        // Writing may have found that the other end has closed; libdbus reports this only when messages are
        // dispatched.
        if !isAlive { messages.begin() }
        return serial
    }

    /// The number of bytes that are queued or that the other end has not read yet.
    var outgoingSize: Int { unsafe raw.map { unsafe Int(dbus_connection_get_outgoing_size($0)) } ?? 0 }
}

extension Transport {
    /// The number of the socket's descriptor; nil when the connection is closed.
    var descriptor: Int32? {
        var number: Int32 = -1
        guard let raw = unsafe raw, unsafe dbus_connection_get_socket(raw, &number) != 0 else { return nil }
        return number
    }

    /// Whether libdbus has not seen the end of the connection yet. The end is reported later, after all messages
    /// before it.
    var isAlive: Bool { unsafe raw.map { unsafe dbus_connection_get_is_connected($0) != 0 } ?? false }

    /// Sets the maximum size of received messages in bytes, beginning with the next message. A larger message ends
    /// the connection.
    func limit(messageSize: Int) {
        unsafe withRaw { raw in unsafe dbus_connection_set_max_message_size(raw, messageSize) }
    }

    /// Calls `body` with libdbus' connection; does nothing when the connection is closed.
    func withRaw(_ body: (OpaquePointer) -> Void) {
        if let raw = unsafe raw { unsafe body(raw) }
    }

    /// Whether the other end has authenticated.
    var isAuthenticated: Bool { unsafe raw.map { unsafe dbus_connection_get_is_authenticated($0) != 0 } ?? false }
}

// MARK: - Reading

extension Transport: WatchTableOwner {
    func didHandleWatches() {
        recordRead()
        connection?.handleProgress()
        checkForMessages()
    }

    func willRead() {
        recordRead()
        unfinished?.willRead()
    }

    func didResumeReading() { unfinished?.recordResumption() }

    func didHangUp() { end() }
}

// MARK: - Receiving

extension Transport {
    /// Whether reading is paused: received data stays in the socket and in libdbus' queue.
    var readingIsPaused: Bool {
        get { watches.readingIsPaused }
        set {
            watches.setReadingPaused(newValue)
            messages.begin()
        }
    }

    /// Whether the connection ends as soon as the other end closes the socket or its sending direction, even while
    /// reading is paused. Unread messages are then lost. Otherwise the end is detected by reading.
    var endsWhilePaused: Bool {
        get { watches.watchesHangUps }
        set { watches.setWatchesHangUps(newValue) }
    }

    /// Limits incomplete messages from the other end. An incomplete message that times out ends the connection. Call
    /// this before data is read.
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

    /// Tries again to reserve room for the message that waits for room, if any.
    func retryUnfinishedMessage() { unfinished?.retry() }

    private func recordRead() { unfinished?.didRead(isAuthenticated: isAuthenticated) }

    private func checkForMessages() {
        guard let raw = unsafe raw else { return }
        guard !readingIsPaused else {
            if endsWhilePaused, !isAlive { messages.begin() }
            return
        }
        switch DispatchStep(status: unsafe dbus_connection_get_dispatch_status(raw).rawValue) {
        case .drain: messages.begin()
        case .wait: unfinished?.recordAllDispatched()
        case .retryLater: retryLater()
        }
    }

    private func retryLater() {
        EventLoop.shared.addTimer(after: DispatchStep.retryDelay) { [weak self] in self?.checkForMessages() }
    }

    /// Receives the next message that libdbus has read; returns `false` if there is none.
    private func receiveNext() -> Bool {
        guard let raw = unsafe raw, isConnected else { return false }
        guard !readingIsPaused else {
            if endsWhilePaused, !isAlive { end() }
            return false
        }
        guard let next = unsafe dbus_connection_pop_message(raw) else {
            checkForMessages()
            return false
        }
        receive(unsafe LibdbusMessage(adopting: next))
        return true
    }

    private func receive(_ form: consuming LibdbusMessage) {
        guard !form.isEndOfConnection else { return end() }
        let result = Result { () throws(DBusError) in try form.read() }
        let hadRoom = unfinished?.releaseRoom(ofMessageWith: (try? result.get().size) ?? 0) == true
        switch result {
        case .success(var message):
            _ = consume form  // the message is a copy
            message.isAccountedFor = hadRoom
            connection?.receive(message)
        case .failure(let error): refuse(form, error)
        }
    }

    /// Answers a call that could not be read.
    private func refuse(_ form: LibdbusMessage, _ error: DBusError) {
        guard let raw = unsafe raw, unsafe dbus_message_get_type(form.raw) == DBUS_MESSAGE_TYPE_METHOD_CALL,
            let answer = unsafe dbus_message_new_error(form.raw, error.name, error.message)
        else { return }
        let reply = unsafe LibdbusMessage(adopting: answer)
        unsafe dbus_connection_send(raw, reply.raw, nil)
    }

    /// Reports the end of the connection once.
    private func end() {
        guard isConnected else { return }
        isConnected = false
        connection?.handleEnd()
    }
}

/// The next step after a check of libdbus' dispatch status.
public enum DispatchStep: Sendable {
    case drain
    case wait
    /// libdbus had no memory. Trying again at once would be a busy loop.
    case retryLater

    /// The delay before trying again when libdbus had no memory.
    public static let retryDelay = Duration.milliseconds(100)

    /// Converts a `DBusDispatchStatus`.
    public init(status: UInt32) {
        switch status {
        case DBUS_DISPATCH_DATA_REMAINS.rawValue: self = .drain
        case DBUS_DISPATCH_NEED_MEMORY.rawValue: self = .retryLater
        default: self = .wait
        }
    }
}
