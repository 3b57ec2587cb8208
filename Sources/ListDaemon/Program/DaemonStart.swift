// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListProtocol
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// The running daemon: its parts, and the order in which they start and stop.
@DBusActor
final class RunningDaemon {
    let options: DaemonOptions
    let log: Log
    let service: Service
    let configuration: CurrentConfiguration
    /// Whether the configuration had mistakes at the start, so that a list may be missing by mistake.
    let isConfigurationFaulty: Bool
    /// Stored lists whose configuration files have mistakes; they are restored when their files are corrected.
    let unclaimed = UnclaimedLists()
    private let link: BusLink
    /// The descriptors that systemd has passed to the process.
    private let passed: ActivatedDescriptors
    /// Whether a stop was requested; set before ``stop()`` is called.
    let stopFlag: StopFlag
    /// The reloads, one after the other; no reload begins or continues when the daemon stops.
    let reloads = ReloadTurns()
    private(set) var server: Server?
    /// Asks for an end of the daemon after which it is started again.
    private let restart: @Sendable () -> Void
    private(set) lazy var supervision = Supervision(of: service)

    /// Makes the parts that do not depend on others.
    ///
    /// - Parameters:
    ///   - stop: the flag that ends the start early when it is set; ``stop()`` must be called then, too.
    ///   - restart: asks for an end of the daemon after which it is started again.
    init(
        _ options: DaemonOptions, passed: ActivatedDescriptors, stop: StopFlag, log: Log,
        restart: @escaping @Sendable () -> Void
    ) throws {
        self.options = options
        self.restart = restart
        self.passed = passed
        stopFlag = stop
        self.log = log
        let loaded = try Self.loadConfiguration(options, log: log)
        let configuration = CurrentConfiguration(loaded.configuration)
        self.configuration = configuration
        isConfigurationFaulty = !loaded.faults.isEmpty
        service = Service(log: log, quotas: configuration.all.limits.perUser) { observer in
            PluginRegistry(
                directories: PluginDirectories(options.pluginDirectories),
                configuration: { configuration.plugin(named: $0) }, log: log, observer: observer)
        }
        service.adapters.setConfiguredNames(loaded.listNames)
        // On the session bus, every caller is the user who runs this daemon anyway.
        link = BusLink(
            address: options.bus, asksPolkit: options.bus != .session, service: service, log: log)
    }

    /// Starts the daemon. All objects exist before the bus name is acquired. After a stop is requested, no further
    /// list is restored, and the steps after the lists are skipped.
    func start() async throws {
        apply(configuration.all)
        stopFlag.onSet { [service] in
            Task { @DBusActor in
                service.beginShutdown()
                await service.plugins.registry.giveUpStarts()
            }
        }
        try await restoreLists()
        stopFlag.onSet(nil)
        guard !isStopping else { return }
        try listen()
        registerManager()
        try await connect()
        supervision.begin()
        log.reportLongTurns()
        log.notice("listd is ready on \(options.bus)", event: .ready)
    }

    /// Stops the daemon: refuses writing calls, finishes and stores the accepted requests, and closes the views.
    func stop() async {
        log.notice("stopping", event: .stopping)
        supervision.end()
        service.beginShutdown()
        await reloads.awaitEnd { [plugins = service.plugins.registry] in await plugins.giveUpStarts() }
        await service.lifecycle.stopHosts()
        await service.store?.close()
        service.calls.refuseSlowCalls()
        await service.calls.outbox.drain()
        await link.close()
        await server?.flush(timeout: .milliseconds(500))
        server?.close()
    }
}

// MARK: - Starting

extension RunningDaemon {
    private func listen() throws {
        do throws(DBusError) {
            server = try listen(options.direct)
            server?.objects = service.tree
            server?.account = service.calls.queue
            server?.connectionsOfUser = { [service] in service.calls.queue.limits(of: $0).directConnectionsPerUser }
            service.calls.queue.onBytesReleased { [weak self] in self?.server?.retryUnfinishedMessages() }
            server?.onDroppedBroadcast = { [service] peer in
                service.count(.signalsDropped)
                service.calls.pauseReadingIfBehind(peer)
            }
            server?.onDriverCall = { [service] peer in service.calls.pauseReadingIfBehind(peer) }
            server?.onStarvation = { [log] in
                log.warning(
                    "no file descriptors are left; new direct clients wait until others disconnect (LimitNOFILE=)")
            }
            server?.onRefusal = { [service] peer, refusal in
                service.calls.refusals.record(
                    refusal.limitKey.refusal(.limitsExceeded, refusal.message), of: "a direct connection",
                    user: peer.credentials?.userID)
            }
            server?.onUnfinishedMessage = { [log] peer, bytes in
                log.notice(
                    """
                    closed a direct connection of \(peer.userText): it sent \(bytes) bytes of a message, and then \
                    nothing for \(Self.messageTimeout)
                    """, .client(peer.name), limitedBy: peer.userText)
            }
        } catch {
            let place = options.direct.address ?? "no address"
            throw StartFailure(
                code: .noBus, message: "listd cannot listen for direct connections at \(place): \(error.message)")
        }
    }

    private func listen(_ direct: DirectListener) throws(DBusError) -> Server? {
        let limits = configuration.all.limits
        var settings = Server.Configuration(names: [ObjectNames.service])
        settings.maximumConnections = limits.directConnections
        settings.maximumConnectionsPerUser = limits.directConnectionsPerUser
        settings.authenticationTimeout = limits.authenticationTime
        settings.maximumMessageSize = limits.directMessageBytes
        settings.messageTimeout = Self.messageTimeout
        if case .passedSocket = direct, !passed.named(Self.socketName).isEmpty {
            return try Server.listen(on: Self.socketName, of: passed, settings)
        }
        passed.discardPlaces()
        guard let address = direct.address else { return nil }
        return try Server.listen(address, settings)
    }

    /// The maximum time between two parts of a direct client's message.
    private static let messageTimeout = Duration.seconds(30)

    /// The socket's name: `FileDescriptorName=` of `listd-direct.socket`.
    private static let socketName = "direct"

    private func registerManager() {
        // The signatures of the contract that is ready for 1.0 are in force.
        var features = ["contract-1.0"] + (server == nil ? [] : ["direct"])
        if service.store != nil { features.append("store") }
        features.append("workers")
        let manager = ManagerObject(
            service: service, features: features, directAddress: server?.address ?? "",
            reload: { [unowned self] origin in try await reload(by: origin) }, restart: restart)
        manager.register()
    }

    private func connect() async throws {
        do throws(DBusError) {
            try await link.connect()
        } catch {
            throw StartFailure(
                code: .noBus, message: "listd cannot use \(options.bus): \(error.message)\(advice(error))")
        }
    }
}

extension RunningDaemon {
    /// Returns what to do when the bus refuses listd its name; empty for another error.
    private func advice(_ error: DBusError) -> String {
        guard error.standard == .accessDenied, options.bus == .system else { return "" }
        let file = "\(ObjectNames.service).conf"
        return
            "; the file \(file) in /usr/share/dbus-1/system.d or /etc/dbus-1/system.d should allow it: install it again "
            + "(apt install --reinstall listd), and run busctl call org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig"
    }
}

extension DirectListener {
    /// The address to listen at; nil = direct connections are not accepted.
    fileprivate var address: String? {
        switch self {
        case .none: nil
        case .address(let address), .passedSocket(let address): address
        }
    }
}

extension Server.Refusal {
    /// The limit's key in listd.conf.
    fileprivate var limitKey: LimitKey {
        switch self {
        case .connections: .directConnections
        case .connectionsOfUser: .directConnectionsPerUser
        }
    }
}

/// The daemon's connection to its bus: connects, owns the bus name, and reconnects when the bus was restarted.
@DBusActor
final class BusLink {
    /// The first and the longest delay between two attempts to reconnect.
    private static let backoff = Backoff(from: .milliseconds(50), upTo: .seconds(5))

    private let address: BusAddress
    private let service: Service
    private let log: Log
    private let asksPolkit: Bool
    private var isClosed = false

    /// - Parameter asksPolkit: whether polkit is used on this bus.
    init(address: BusAddress, asksPolkit: Bool, service: Service, log: Log) {
        self.address = address
        self.asksPolkit = asksPolkit
        self.service = service
        self.log = log
    }

    /// Connects and acquires the bus name. From then on, callers find all objects of the tree.
    ///
    /// - Throws: an error if there is no bus, or if another process owns the name.
    func connect() async throws(DBusError) {
        try await connect(to: address)
    }

    private func connect(to address: BusAddress) async throws(DBusError) {
        let connection = try await Connection.open(address)
        do throws(DBusError) {
            connection.objects = service.tree
            if asksPolkit { await service.authority.polkit.setConnection(connection) }
            guard try await connection.requestName(ObjectNames.service, .doNotQueue) == .primaryOwner else {
                throw .failed("another process owns the bus name \(ObjectNames.service)")
            }
        } catch {
            connection.close()
            throw error
        }
        service.transports.setBus(connection)
        connection.onDisconnect { [weak self] in self?.handleConnectionLoss() }
    }

    /// Closes the connection after all messages were sent.
    func close() async {
        isClosed = true
        await service.transports.drain()
        service.transports.bus?.close()
    }

    /// Handles the loss of the bus: all its clients count as departed, and their views are closed.
    private func handleConnectionLoss() {
        guard !isClosed else { return }
        service.transports.setBus(nil)
        log.error("the bus closed the connection; listd reconnects when the bus is back")
        Task { @DBusActor in await reconnect() }
    }

    private func reconnect() async {
        var backoff = Self.backoff
        while !isClosed {
            do throws(DBusError) {
                try await connect(to: address.withoutBusIdentity())
                log.notice("listd has reconnected to the bus")
                return
            } catch {
                log.debug("the bus is not back yet: \(error)")
            }
            try? await Task.sleep(for: backoff.next())
        }
    }
}

extension BusAddress {
    /// Returns the address without the bus's identity (`guid=`), which changes when the bus is restarted.
    fileprivate func withoutBusIdentity() throws(DBusError) -> BusAddress {
        let places = try resolved().split(separator: ";").map { place in
            place.split(separator: ",").filter { !$0.hasPrefix("guid=") }.joined(separator: ",")
        }
        return .address(places.joined(separator: ";"))
    }
}
