// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListSupport

/// The limits of each user, as the configuration says and the system's databases, which are asked now and then.
@DBusActor
final class LimitsByUser {
    private struct Entry {
        let limits: Limits
        let expiry: ContinuousClock.Instant
    }

    private var entries: [UInt32: Entry] = [:]
    private var handler: (@DBusActor (UInt32, Limits) -> Void)?
    /// The limits of all, and what some have instead.
    private(set) var all = Limits()

    /// Sets the limits of all, and what some have instead.
    func setLimits(_ limits: Limits) {
        all = limits
        entries = [:]
    }

    /// Calls `handler` with the limits of each user that may have its own, when they were found out.
    func onLimits(_ handler: @escaping @DBusActor (UInt32, Limits) -> Void) { self.handler = handler }

    /// The limits of one user.
    ///
    /// - Complexity: O(1), but for a look into the databases in every ``UnixGroups/freshness``
    func limits(of user: UInt32) -> Limits {
        guard !all.ofUsers.isEmpty else { return all }
        let now = ContinuousClock.now
        if let entry = entries[user], entry.expiry > now { return entry.limits }
        entries = entries.filter { $0.value.expiry > now }
        let names = [UnixGroups.name(ofUser: user), String(user)].compactMap(\.self)
        let limits = all.ofUsers.limits(
            ofUserNamed: names, groups: UnixGroups.names(ofUser: user), otherwise: all)
        entries[user] = Entry(limits: limits, expiry: now + UnixGroups.freshness)
        handler?(user, limits)
        return limits
    }
}
