// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// A socket of libdbus on which clients come in.
@safe
@DBusActor
final class Listener {
    /// Takes a new connection in; one that is not referenced then is closed by libdbus.
    typealias Acceptor = @DBusActor (OpaquePointer) -> Void

    /// How long a socket rests whose clients cannot be taken in.
    private static let rest = Duration.milliseconds(100)

    /// Owned by this object, used on the loop thread only; given back by `close`, at the latest by `deinit`.
    private nonisolated(unsafe) var raw: OpaquePointer?
    private let watches = WatchTable()
    private var acceptor: Acceptor?
    /// Whether a connection came since the socket was ready last.
    private var hasAccepted = false
    /// Whether clients wait that cannot be taken in, because the process has no descriptor left.
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

    /// Hands new connections to `acceptor`.
    func setAcceptor(_ acceptor: @escaping Acceptor) { unsafe self.acceptor = unsafe acceptor }

    /// Calls `handler` when `isStarved` becomes true.
    func setStarvationHandler(_ handler: (@DBusActor () -> Void)?) { starvationHandler = handler }

    /// The address for clients, with the server's identity.
    var address: String {
        guard let raw = unsafe raw, let text = unsafe dbus_server_get_address(raw) else { return "" }
        defer { unsafe dbus_free(text) }
        return unsafe String(cString: text)
    }

    /// Stops listening; false when it had before.
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
    /// Lets the socket rest if it was ready and nothing came of it: accept(2) fails without a descriptor, and the client stays
    /// in the queue, so that the socket would be ready again at once and for ever.
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

/// A server of libdbus without an owner; whoever holds this is the only one.
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

/// What libdbus holds of a listener, to hand it new connections.
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
