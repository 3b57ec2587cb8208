// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import Synchronization

/// The configuration that holds now.
///
/// Changed by the daemon on `DBusActor`, read by whoever starts a plugin too; the lock keeps it whole.
final class CurrentConfiguration: Sendable {
    private struct State {
        var holding: Configuration
        var candidate: Configuration?
    }

    private let state: Mutex<State>

    init(_ configuration: Configuration) {
        state = Mutex(State(holding: configuration))
    }

    /// All of it.
    var all: Configuration {
        get { state.withLock { $0.holding } }
        set { state.withLock { $0.holding = newValue } }
    }

    /// The configuration that is about to take effect, while the daemon checks whether it can: plugins that its lists
    /// need are started with its settings.
    var candidate: Configuration? {
        get { state.withLock { $0.candidate } }
        set { state.withLock { $0.candidate = newValue } }
    }

    /// The configuration of a plugin.
    func plugin(named name: String) -> PluginConfiguration {
        state.withLock { $0.candidate ?? $0.holding }.plugins[name] ?? PluginConfiguration(of: name)
    }
}

extension RunningDaemon {
    /// Reads the configuration for the start: lists with a fault are left out, a faulty `listd.conf` ends it.
    static func loadConfiguration(_ options: DaemonOptions, log: Log) throws(StartFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        for fault in loaded.faults { log.report(fault) }
        guard !loaded.isDaemonFaulty else {
            throw StartFailure(
                code: .configuration,
                message: "listd.conf in \(options.configurationDirectory) has a fault: who may do what is not known")
        }
        return loaded
    }

    /// Makes the limits and rights of a configuration hold.
    func apply(_ new: Configuration) {
        let haveChanged =
            service.limits.quotas.limits != new.limits.perUser
            || service.calls.admission.limits.ofUsers != new.limits.ofUsers
        service.calls.admission.limits = new.limits
        if haveChanged {
            service.limits.quotas.limits = new.limits.perUser
            service.limits.quotas.forgetLimitsOfUsers()
            for adapter in service.adapters.all {
                _ = service.calls.admission.limits(of: adapter.access.owner)  // the quotas are told
                adapter.source.retry()
            }
        }
        var limits = ServiceLimits.OfCalls()
        limits.payloadBytes = new.limits.payloadBytes
        limits.objects = new.limits.objects
        limits.bulk = new.limits.bulk
        limits.creators = (new.daemon.creators ?? options.bus.defaultCreators).accessRule
        service.setLimits(limits)
        server?.limit(
            connections: new.limits.directConnections, perUser: new.limits.directConnectionsPerUser,
            authenticationTimeout: new.limits.authenticationTime)
        server?.limit(messageSize: new.limits.directMessageBytes)
    }
}

extension ListConfiguration {
    /// Configured lists belong to root, and nobody removes them over the bus.
    var access: AdapterAccess {
        AdapterAccess(
            owner: 0, readers: options.readers, writers: options.writers, invokers: options.invokers, isConfigured: true
        )
    }
}

extension Creators {
    /// The same as a rule of access to what root owns.
    fileprivate var accessRule: AccessRule {
        switch self {
        case .any: .any
        case .administrators: .owner
        case .group(let name): .group(name)
        }
    }
}

extension BusAddress {
    /// Who may create lists where the configuration does not say.
    fileprivate var defaultCreators: Creators { self == .system ? .administrators : .any }
}
