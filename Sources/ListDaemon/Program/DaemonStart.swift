// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListProtocol
internal import ListStore
internal import ListSupport
internal import ListWorkers

/// A daemon that serves: its parts, and the order in which they come up and go down.
@DBusActor
final class RunningDaemon {
    let options: DaemonOptions
    let log: Log
    let service: Service
    let configuration: CurrentConfiguration
    /// Whether something of the configuration was left out at the start: a list may be missing by mistake.
    let isConfigurationFaulty: Bool
    /// Stored lists of configuration files that were left out: they go on when their files are mended.
    let unclaimed = UnclaimedLists()
    private let link: BusLink
    /// What systemd has passed to the process.
    private let passed: ActivatedDescriptors
    /// Whether it is to end, known before ``stop()`` is called.
    let stopFlag: StopFlag
    /// None begins, or goes on, when the daemon ends.
    let reloads = ReloadTurns()
    private(set) var server: Server?
    private(set) lazy var supervision = Supervision(of: service)

    /// Makes the parts that need nobody else.
    ///
    /// - Parameter stop: the start ends early when it is set; ``stop()`` is to be called then too.
    init(_ options: DaemonOptions, passed: ActivatedDescriptors, stop: StopFlag, log: Log) throws {
        self.options = options
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
        // On the bus of a session everybody is the user whom this daemon obeys anyway.
        link = BusLink(
            address: options.bus, asksPolkit: options.bus != .session, service: service, log: log)
    }

    /// Comes up: everything that can be called is there before the name is owned. Once the end is asked for, no further list
    /// is brought back, and what comes after the lists is left out.
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
        log.notice("ready on \(options.bus)", event: .ready)
    }

    /// Goes down: refuses writing, finishes and stores what was accepted, closes the views.
    func stop() async {
        log.notice("stopping", event: .stopping)
        supervision.end()
        service.beginShutdown()
        await reloads.end { [plugins = service.plugins.registry] in await plugins.giveUpStarts() }
        await service.lifecycle.stopHosts()
        await service.store?.close()
        service.calls.refuseSlowCalls()
        await service.calls.reads.drain()
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
            server?.account = service.calls.admission
            server?.connectionsOfUser = { [service] in service.calls.admission.limits(of: $0).directConnectionsPerUser }
            service.calls.admission.onRoom { [weak self] in self?.server?.retryUnfinishedMessages() }
            server?.onStarvation = { [log] in
                log.warning("no file descriptors are left: direct clients wait until others leave (LimitNOFILE=)")
            }
            server?.onRefusal = { [service] peer, refusal in
                service.calls.refusals.record(
                    refusal.limitKey.refusal(.limitsExceeded, refusal.message), of: "a direct connection",
                    user: peer.credentials?.userID)
            }
            server?.onUnfinishedMessage = { [log] peer, bytes in
                log.notice(
                    """
                    a direct connection of \(peer.userText) was closed: nothing more of a message has come for \
                    \(Self.messageTimeout) after \(bytes) bytes
                    """, .client(peer.name), limitedBy: peer.userText)
            }
        } catch {
            let place = options.direct.address ?? "no address"
            throw StartFailure(code: .noBus, message: "no direct connections at \(place): \(error.message)")
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

    /// How long a direct client may take between two pieces of a message.
    private static let messageTimeout = Duration.seconds(30)

    /// `FileDescriptorName=` of `listd-direct.socket`.
    private static let socketName = "direct"

    private func registerManager() {
        var features = server == nil ? [] : ["direct"]
        if service.store != nil { features.append("store") }
        features.append("workers")
        let manager = ManagerObject(
            service: service, features: features, directAddress: server?.address ?? ""
        ) { [unowned self] origin in try await reload(by: origin) }
        manager.register()
    }

    private func connect() async throws {
        do throws(DBusError) {
            try await link.connect()
        } catch {
            throw StartFailure(code: .noBus, message: "no bus at \(options.bus): \(error.message)")
        }
    }
}

extension DirectListener {
    /// Where to listen; nil = nowhere.
    fileprivate var address: String? {
        switch self {
        case .none: nil
        case .address(let address), .passedSocket(let address): address
        }
    }
}

extension Server.Refusal {
    /// The limit in listd.conf.
    fileprivate var limitKey: LimitKey {
        switch self {
        case .connections: .directConnections
        case .connectionsOfUser: .directConnectionsPerUser
        }
    }
}
