// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A listening socket of libdbus, to which clients connect.
@safe
@DBusActor
final class Listener {
    /// A function that accepts a new connection. libdbus closes the connection unless the function retains it.
    typealias Acceptor = @DBusActor (OpaquePointer) -> Void

    /// How long the socket is paused when connections cannot be accepted.
    private static let acceptPause = Duration.milliseconds(100)

    /// libdbus' server, owned by this object and used on the loop thread only. It is released by `close` or `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private var acceptor: Acceptor?
    /// Whether a connection was accepted since the socket was last ready.
    private var hasAccepted = false
    /// Whether clients are waiting that cannot be accepted because the process can open no more descriptors.
    private(set) var isStarved = false
    private(set) var starvationHandler: (@DBusActor () -> Void)?

    /// Listens on an address.
    ///
    /// - Throws: `BadAddress`, `AddressInUse`, `FileNotFound` and the like; `NoMemory`.
    init(_ address: String) throws(DBusError) {
        guard !address.utf8.contains(0) else { throw DBusError(.badAddress, "the address contains a NUL character") }
        let raw = try unsafe LibdbusError.check { error in unsafe dbus_server_listen(address, error) }
        unsafe self.raw = unsafe raw
        let context = AcceptContext(listener: self)
        let succeeded = unsafe AuthenticationMechanisms.withExternal { mechanisms in
            unsafe dbus_server_set_auth_mechanisms(raw, mechanisms) != 0
                && dbus_server_set_watch_functions(
                    raw, WatchTable.addWatch, WatchTable.removeWatch, WatchTable.toggleWatch,
                    watches.retainedForLibdbus(), WatchTable.release) != 0
                && dbus_server_set_timeout_functions(
                    raw, WatchTable.addTimeout, WatchTable.removeTimeout, WatchTable.toggleTimeout,
                    watches.retainedForLibdbus(), WatchTable.release) != 0
        }
        watches.setOwner(self)
        unsafe dbus_server_set_new_connection_function(
            raw, AcceptContext.accept, Unmanaged.passRetained(context).toOpaque(), AcceptContext.release)
        if !succeeded { throw DBusError(.noMemory, "there is not enough memory for a server") }
    }

    deinit {
        guard let raw = unsafe raw else { return }
        let orphan = unsafe OrphanedServer(raw: raw, watches: watches)
        EventLoop.shared.post { orphan.close() }
    }

    /// Sets the function that accepts new connections.
    func setAcceptor(_ acceptor: @escaping Acceptor) { unsafe self.acceptor = unsafe acceptor }

    /// Sets a handler that is called when `isStarved` becomes true.
    func setStarvationHandler(_ handler: (@DBusActor () -> Void)?) { starvationHandler = handler }

    /// The address for clients, which includes the server's GUID.
    var address: String {
        guard let raw = unsafe raw, let text = unsafe dbus_server_get_address(raw) else { return "" }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }

    /// Stops listening. Returns `false` when the listener was already closed.
    func close() -> Bool {
        guard let raw = unsafe raw else { return false }
        unsafe self.raw = nil
        unsafe OrphanedServer(raw: raw, watches: watches).close()
        return true
    }

    fileprivate func accept(_ raw: OpaquePointer) {
        hasAccepted = true
        unsafe acceptor?(raw)
    }
}

// MARK: - Lack of descriptors

extension Listener: WatchTableOwner {
    /// Pauses the socket if it was ready but no connection was accepted. Without a free descriptor accept(2) fails
    /// and the client stays in the queue, so the socket would be ready again immediately, in an endless loop.
    func didHandleWatches() {
        let wasStarved = isStarved
        isStarved = !hasAccepted
        hasAccepted = false
        guard isStarved else { return }
        watches.setReadingPaused(true)
        EventLoop.shared.addTimer(after: Self.acceptPause) { [weak self] in self?.watches.setReadingPaused(false) }
        if !wasStarved { starvationHandler?() }
    }
}

/// A libdbus server that this value alone owns.
@safe
private struct OrphanedServer: @unchecked Sendable {
    let raw: OpaquePointer
    let watches: WatchTable

    @DBusActor
    func close() {
        unsafe dbus_server_disconnect(raw)
        unsafe dbus_server_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_server_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        watches.removeAll()
        unsafe dbus_server_unref(raw)
    }
}

/// The context of libdbus' callback for new connections.
private final class AcceptContext: Sendable {
    @DBusActor private weak var listener: Listener?

    @DBusActor
    init(listener: Listener) {
        self.listener = listener
    }

    static let accept: DBusNewConnectionFunction = { _, connection, data in
        guard let connection = unsafe connection, let data = unsafe data else { return }
        let context = unsafe Unmanaged<AcceptContext>.fromOpaque(data).takeUnretainedValue()
        nonisolated(unsafe) let raw = unsafe connection  // libdbus calls on the loop thread
        DBusActor.assumeIsolated { unsafe context.listener?.accept(raw) }
    }

    static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<AcceptContext>.fromOpaque(data).release() }
    }
}
