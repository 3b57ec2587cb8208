// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import CSystemd
internal import Glibc

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
        let succeeded = unsafe Self.withMechanisms { mechanisms in
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
        nonisolated(unsafe) let orphan = unsafe raw  // nothing else refers to it any more
        EventLoop.shared.post { [watches] in unsafe Self.release(orphan, watches) }
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
        unsafe Self.release(raw, watches)
        return true
    }

    /// Closes and releases a server to which nothing else refers any more.
    private static func release(_ raw: OpaquePointer, _ watches: WatchTable) {
        unsafe dbus_server_disconnect(raw)
        unsafe dbus_server_set_watch_functions(raw, nil, nil, nil, nil, nil)
        unsafe dbus_server_set_timeout_functions(raw, nil, nil, nil, nil, nil)
        watches.removeAll()
        unsafe dbus_server_unref(raw)
    }

    fileprivate func accept(_ raw: OpaquePointer) {
        hasAccepted = true
        unsafe acceptor?(raw)
    }

    /// Calls `body` with a nil-terminated list of the authentication mechanisms that a server allows: only EXTERNAL.
    private static func withMechanisms<R>(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> R) -> R {
        unsafe "EXTERNAL".withCString { name in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: 2) { list in
                unsafe list[0] = unsafe name
                unsafe list[1] = nil
                // trap: no input reaches this, because an allocation of two pointers has an address
                guard let start = list.baseAddress else { preconditionFailure("no buffer of pointers") }
                return unsafe body(start)
            }
        }
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

/// The descriptors that systemd passed to this process (sd_listen_fds(3)), with their names.
///
/// libdbus' own socket activation takes over all descriptors, fails when one is not a listening socket (as in the
/// descriptor store), and ignores the names. So this type receives the descriptors, and passes only selected sockets
/// to libdbus.
public struct ActivatedDescriptors: Sendable {
    private static let first = SD_LISTEN_FDS_START

    /// Duplicates of the passed descriptors, in the order of systemd. The name is the value of `FileDescriptorName=` of
    /// the socket unit, or the name in the descriptor store.
    public let all: [(name: String, descriptor: FileDescriptor)]
    private let places: Int

    /// Takes over the passed descriptors. Call this once at the start of the program, before threads read the
    /// environment and before other files are opened. The result is empty if descriptors are missing, or if their
    /// number differs from the number of names.
    ///
    /// The original descriptors stay open as placeholders until `Server.listen(on:)` or `discardPlaces`, because
    /// libdbus takes over sockets only at the numbers from 3 on.
    public static func receive() -> ActivatedDescriptors {
        var texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        // systemd returns one name for each descriptor, in memory that the caller owns.
        let count = unsafe sd_listen_fds_with_names(1, &texts)
        guard count > 0, let texts = unsafe texts else { return ActivatedDescriptors(all: [], places: 0) }
        defer { unsafe free(texts) }
        var all: [(name: String, descriptor: FileDescriptor)] = []
        for index in 0..<count {
            let text = unsafe texts[Int(index)]
            defer { unsafe free(text) }
            let copy = fcntl(first + index, F_DUPFD_CLOEXEC, first + count)
            guard copy >= 0 else { continue }
            let name = unsafe text.map { unsafe String(cString: $0) } ?? "unknown"
            all.append((name, FileDescriptor(adopting: copy)))
        }
        return ActivatedDescriptors(all: all, places: Int(count))
    }

    /// Returns the descriptors with a name.
    public func named(_ name: String) -> [FileDescriptor] {
        all.filter { $0.name == name }.map(\.descriptor)
    }

    /// Closes the placeholders. Call this when no server will listen on passed sockets.
    public func discardPlaces() {
        for index in 0..<places { close(Self.first + Int32(index)) }
    }

    /// Duplicates `sockets` to the numbers at which libdbus expects them, and sets the environment variables that
    /// libdbus reads.
    fileprivate func moveToLibdbusNumbers(_ sockets: [FileDescriptor], named name: String) throws(DBusError) {
        guard !sockets.isEmpty, sockets.count <= places else {
            throw .invalidArgs("systemd passed no socket with the name \(name.quoted)")
        }
        guard sockets.allSatisfy(Self.isLocal) else {
            throw DBusError(.badAddress, "the socket \(name.quoted) that systemd passed is not a Unix socket")
        }
        for (index, socket) in sockets.enumerated() {
            let place = Self.first + Int32(index)
            guard dup2(socket.rawValue, place) >= 0, fcntl(place, F_SETFD, FD_CLOEXEC) >= 0 else {
                throw .failed("the socket \(name.quoted) that systemd passed cannot be duplicated (errno \(errno))")
            }
        }
        for index in sockets.count..<places { close(Self.first + Int32(index)) }
        unsafe setenv("LISTEN_PID", String(getpid()), 1)
        unsafe setenv("LISTEN_FDS", String(sockets.count), 1)
    }

    /// Returns whether a socket is a Unix socket. Other sockets have no client credentials.
    private static func isLocal(_ socket: FileDescriptor) -> Bool {
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getsockname(socket.rawValue, &address, &length) == 0 && address.sa_family == sa_family_t(AF_UNIX)
    }
}

extension Server {
    /// Listens on the sockets that systemd passed under `name`. Call this at most once in a process.
    ///
    /// - Throws: `InvalidArgs` when there is no such socket, `BadAddress` when one of them is not a listening stream
    ///   socket.
    public static func listen(
        on name: String, of passed: ActivatedDescriptors, _ configuration: Configuration = Configuration()
    ) throws(DBusError) -> Server {
        try passed.moveToLibdbusNumbers(passed.named(name), named: name)
        defer { for variable in ["LISTEN_PID", "LISTEN_FDS"] { unsafe unsetenv(variable) } }
        return try listen("systemd:", configuration)
    }
}
