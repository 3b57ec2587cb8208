// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport

// Checks that need all lists.

extension Service {
    /// Looks again who may read each list: groups of users may have changed.
    func checkReaders() {
        authority.forgetGroups()
        for adapter in adapters.all { adapter.readersChanged() }
        adapters.followers.lookAgain()
    }

    /// Refuses a list that follows another one to those who may not read that, and one that would follow itself.
    ///
    /// - Throws: `noSuchAdapter`, `accessDenied`.
    func checkFollowing(_ base: String, by caller: Caller) throws(ListError) {
        guard try adapters.existing(base).allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(base.quoted)")
        }
    }

    /// Refuses a list that would follow itself.
    func checkCircle(
        _ name: String, _ source: SourceName, configured: [(name: String, base: String)] = []
    ) throws(ListError) {
        guard case .list(let base, _) = source,
            adapters.followers.closesCircle(name, following: base, configured: configured)
        else { return }
        throw ListError(.invalidArguments, "source: \(name.quoted) would follow itself, by way of \(base.quoted)")
    }

    /// The names of the lists that are filled, or shown, by a plugin.
    func users(ofPlugin name: String) -> [String] {
        adapters.all.filter { $0.options.uses(plugin: name) }.map(\.name)
    }
}

extension AdapterOptions {
    /// Whether the list is filled, or shown, by a plugin.
    func uses(plugin name: String) -> Bool {
        if case .plugin(name, _, _) = source { return true }
        return sectionControllers.values.contains { $0.hasPrefix(name + "/") }
    }
}
