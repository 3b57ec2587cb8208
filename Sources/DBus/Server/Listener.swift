// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A socket of libdbus on which clients connect.
@safe
@DBusActor
final class Listener {
    /// Accepts a new connection; libdbus closes it unless it is referenced then.
    typealias Acceptor = @DBusActor (OpaquePointer) -> Void

    /// How long a socket is paused whose clients cannot be accepted.
    private static let rest = Duration.milliseconds(100)

    /// Owned by this object, used on the loop thread only; released by `close`, at the latest by `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private var acceptor: Acceptor?
    /// Whether a connection was accepted since the socket was last ready.
    private var hasAccepted = false
    /// Whether clients wait that cannot be accepted, because the process has no descriptor left.
    private(set) var isStarved = false
    private(set) var starvationHandler: (@DBusActor () -> Void)?

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
        if !succeeded { throw DBusError(.noMemory, "no memory for a server") }
    }

    deinit {
        guard let raw = unsafe raw else { return }
        let orphan = unsafe OrphanedServer(raw: raw, watches: watches)
        EventLoop.shared.post { orphan.close() }
    }

    /// Passes new connections to `acceptor`.
    func setAcceptor(_ acceptor: @escaping Acceptor) { unsafe self.acceptor = unsafe acceptor }

    /// Calls `handler` when `isStarved` becomes true.
    func setStarvationHandler(_ handler: (@DBusActor () -> Void)?) { starvationHandler = handler }

    /// The address for clients, with the server's GUID.
    var address: String {
        guard let raw = unsafe raw, let text = unsafe dbus_server_get_address(raw) else { return "" }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }

    /// Stops listening; false when it had stopped before.
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

// MARK: - Want of descriptors

extension Listener: WatchTableOwner {
    /// Pauses the socket if it was ready and no connection was accepted: accept(2) fails without a descriptor, and the
    /// client stays in the queue, so that the socket would be ready again at once and for ever.
    func didHandleWatches() {
        let wasStarved = isStarved
        isStarved = !hasAccepted
        hasAccepted = false
        guard isStarved else { return }
        watches.setReadingPaused(true)
        EventLoop.shared.addTimer(after: Self.rest) { [weak self] in self?.watches.setReadingPaused(false) }
        if !wasStarved { starvationHandler?() }
    }
}

/// A libdbus server; this value is its only owner.
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

/// The context of libdbus' callback, which passes new connections to the listener.
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
