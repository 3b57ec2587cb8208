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
    /// Called with the limits of a user that has its own, when they were found out.
    var onLimits: (@DBusActor (UInt32, Limits) -> Void)?
    /// The limits of all, and what some have instead.
    var all = Limits() {
        didSet { entries = [:] }
    }

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
        onLimits?(user, limits)
        return limits
    }
}
