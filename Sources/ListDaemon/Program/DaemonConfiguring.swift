// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListKit
internal import ListSupport
internal import Synchronization

/// The configuration in force.
///
/// The daemon changes it on `DBusActor`; code that starts plugins reads it from other threads. A lock protects it.
final class CurrentConfiguration: Sendable {
    private let configurations: Mutex<(active: Configuration, candidate: Configuration?)>

    init(_ configuration: Configuration) {
        configurations = Mutex((configuration, nil))
    }

    /// The whole configuration.
    var all: Configuration {
        get { configurations.withLock { $0.active } }
        set { configurations.withLock { $0.active = newValue } }
    }

    /// The new configuration, while the daemon checks whether it can take effect. Plugins that its lists need are
    /// started with its settings.
    var candidate: Configuration? {
        get { configurations.withLock { $0.candidate } }
        set { configurations.withLock { $0.candidate = newValue } }
    }

    /// Returns the configuration of a plugin in ``candidate``, or in ``all`` if there is no candidate.
    func plugin(named name: String) -> PluginConfiguration {
        configurations.withLock { $0.candidate ?? $0.active }.plugins[name] ?? PluginConfiguration(of: name)
    }
}

extension RunningDaemon {
    /// Loads the configuration at the start. Lists with mistakes are left out; a mistake in `listd.conf` ends the
    /// start.
    static func loadConfiguration(_ options: DaemonOptions, log: Log) throws(StartFailure) -> LoadedConfiguration {
        let loaded = ConfigurationLoader.load(options.configurationDirectory)
        for fault in loaded.faults { log.report(fault) }
        for fault in loaded.unknownAccounts { log.warning("\(fault)", .file(fault.place.file)) }
        guard !loaded.isDaemonFaulty else {
            throw StartFailure(
                code: .configuration,
                message: "listd.conf has a mistake, so access rights are unknown: "
                    + (loaded.faults.first?.description ?? options.configurationDirectory))
        }
        return loaded
    }

    /// Puts the limits and rights of a configuration into force.
    func apply(_ new: Configuration) {
        let haveChanged =
            service.limits.quotas.limits != new.limits.perUser
            || service.calls.queue.limits.ofUsers != new.limits.ofUsers
        service.calls.queue.limits = new.limits
        if haveChanged {
            service.limits.quotas.limits = new.limits.perUser
            service.limits.quotas.removeLimitsOfUsers()
            for adapter in service.adapters.all {
                _ = service.calls.queue.limits(of: adapter.access.owner)  // updates the owner's quotas
                adapter.source.retry()
            }
        }
        service.setLimits(new.limits, creators: new.creators ?? options.bus.defaultCreators)
        server?.limit(
            connections: new.limits.directConnections, perUser: new.limits.directConnectionsPerUser,
            authenticationTimeout: new.limits.authenticationTime)
        server?.limit(messageSize: new.limits.directMessageBytes)
    }
}

extension ListConfiguration {
    /// The access rules of a configured list: it belongs to root, and clients cannot remove it.
    var access: AdapterAccess {
        AdapterAccess(
            owner: 0, readers: options.readers, writers: options.writers, invokers: options.invokers, isConfigured: true
        )
    }
}

extension BusAddress {
    /// The users who may create lists if the configuration does not say so.
    fileprivate var defaultCreators: Creators { self == .system ? .administrators : .any }
}
