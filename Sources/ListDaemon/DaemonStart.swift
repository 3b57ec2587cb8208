internal import DBus
internal import ListKit

/// A daemon that serves: its parts, and the order in which they come up and go down.
@DBusActor
final class RunningDaemon {
    private let options: DaemonOptions
    private let log: Log
    private let notify = Notify()
    private let service: Service
    private let link: BusLink
    private var server: Server?

    /// Makes the parts that need nobody else.
    init(_ options: DaemonOptions, log: Log) throws {
        self.options = options
        self.log = log
        service = Service(
            log: log, quotas: Quotas.Amounts(adapters: 64, views: 64, objects: 10_000_000, bytes: 2 << 30)
        ) {
            observer in
            PluginRegistry(
                directories: PluginDirectories(options.pluginDirectories),
                configuration: { _ in PluginConfiguration() },
                log: log, observer: observer)
        }
        link = BusLink(address: options.bus.address, service: service, log: log)
    }

    /// Comes up: everything that can be called is there before the name is owned.
    func start() async throws {
        try listen()
        registerManager()
        try await connect()
        notify.send(.ready, .status("serving"))
        log.notice("ready on \(options.bus)", event: .ready)
    }

    /// Goes down: refuses writing, finishes what was accepted, closes the views.
    func stop() async {
        log.notice("stopping", event: .stopping)
        notify.send(.stopping)
        service.phase = .shuttingDown
        await service.stopHosts()
        await link.close()
        server?.close()
    }

    /// Reads the configuration anew.
    func reload() async throws {
        notify.send(.reloading)
        notify.send(.ready)
    }
}

// MARK: - Starting

extension RunningDaemon {
    private func listen() throws {
        guard let address = options.direct.address else { return }
        do throws(DBusError) {
            let server = try Server.listen(address, Server.Configuration(names: [ObjectNames.service]))
            server.objects = service.tree
            self.server = server
        } catch {
            throw StartFailure(code: .noBus, message: "no direct connections at \(address): \(error.message)")
        }
    }

    private func registerManager() {
        let manager = ManagerObject(
            service: service, features: server == nil ? [] : ["direct"], directAddress: server?.address ?? ""
        ) { [unowned self] in try await reload() }
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

extension BusAddress {
    /// The same for the DBus module.
    fileprivate var address: DBus.BusAddress {
        switch self {
        case .system: .system
        case .session: .session
        case .address(let address): .address(address)
        }
    }
}
