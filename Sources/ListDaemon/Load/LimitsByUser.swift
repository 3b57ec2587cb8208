// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListSupport

/// The limits of each user, from the configuration and the system's user databases, whose answers are cached.
@DBusActor
final class LimitsByUser {
    private struct Entry {
        let limits: Limits
        let expiry: ContinuousClock.Instant
    }

    private var entries: [UInt32: Entry] = [:]
    private var handler: (@DBusActor (UInt32, Limits) -> Void)?
    /// The limits of all users, with the exceptions of single users and groups.
    private(set) var all = Limits()

    /// Changes the limits of all users and the exceptions.
    func setLimits(_ limits: Limits) {
        all = limits
        entries = [:]
    }

    /// Registers a handler that is called with the limits of a user whenever they were looked up. Without individual
    /// limits in the configuration, it is not called.
    func onLimitsLookup(_ handler: @escaping @DBusActor (UInt32, Limits) -> Void) { self.handler = handler }

    /// Returns the limits of one user.
    ///
    /// - Complexity: O(1), except for a query of the user databases once in every ``UnixGroups/freshness``
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
