// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport

// Checks that involve all lists.

extension Service {
    /// Reads group memberships again, and ends the subscriptions and views of clients that may no longer read a list.
    func updateReaders() {
        authority.forgetGroups()
        for adapter in adapters.all { adapter.updateReaders() }
        adapters.followers.reevaluateFollowers()
    }

    /// Throws if a caller may not read the list that a new list would follow.
    ///
    /// - Throws: `noSuchAdapter`, `accessDenied`.
    func checkFollowing(_ base: String, by caller: Caller) throws(ListError) {
        guard try adapters.existingObject(named: base).allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(base.quoted)")
        }
    }

    /// Throws if a list would follow itself.
    func checkForCycle(
        ofList name: String, source: SourceName, configured: [(name: String, base: String)] = []
    ) throws(ListError) {
        guard case .list(let base, _) = source,
            adapters.followers.closesCycle(name, following: base, configured: configured)
        else { return }
        throw ListError(.invalidArguments, "source: \(name.quoted) would follow itself through \(base.quoted)")
    }

    /// Returns the names of the lists that use a plugin for their source or their section controllers.
    func users(ofPlugin name: String) -> [String] {
        adapters.all.filter { $0.options.uses(plugin: name) }.map(\.name)
    }
}

extension AdapterOptions {
    /// Returns whether the list uses a plugin for its source or its section controllers.
    func uses(plugin name: String) -> Bool {
        if case .plugin(name, _, _) = source { return true }
        return sectionControllers.values.contains { $0.hasPrefix(name + "/") }
    }
}
