// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
internal import ListSupport

/// The accounts of all Unix users: the unanswered calls and the buffered bytes of a user on all its connections.
///
/// The bytes of all users come from one pool, which is shared in the way of dbus-broker: the more users hold bytes,
/// the less each of them may add, so that a new user always finds room. Granted bytes are never revoked.
package struct UserAccounts: Sendable {
    /// The limits of all accounts.
    package struct Limits: Sendable, Equatable {
        /// The maximum number of calls of one user.
        package let callsPerUser: Int
        /// The maximum number of bytes of one user.
        package let bytesPerUser: Int
        /// The maximum number of bytes of all users together.
        package let bytes: Int

        /// Makes limits; the defaults are those of the contract.
        package init(callsPerUser: Int = 1024, bytesPerUser: Int = 64 << 20, bytes: Int = 256 << 20) {
            self.callsPerUser = callsPerUser
            self.bytesPerUser = bytesPerUser
            self.bytes = bytes
        }
    }

    /// The resources that a user occupies.
    package struct Use: Sendable, Equatable {
        /// The number of calls that are not answered yet.
        package var calls = 0
        /// The number of buffered bytes.
        package var bytes = 0

        /// Makes an empty account.
        package init() {}
    }

    /// The error for a request beyond the limits of an account.
    package enum Refusal: Error, Equatable {
        /// The user has the maximum number of calls.
        case callsPerUser(limit: Int)
        /// The user would have more bytes than one user may have.
        case bytesPerUser(limit: Int)
        /// The user would have more than its share of the bytes that all users have left.
        case bytes(limit: Int)
    }

    /// The limits of all accounts that have no limits of their own.
    package private(set) var limits: Limits
    /// The sum of all users' bytes.
    package private(set) var bytes = 0
    /// The number of users that have bytes.
    private var holders = 0
    private var users: [UInt32: Use] = [:]

    /// Makes accounts without bookings.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Changes the limits; what is booked already stays booked.
    package mutating func setLimits(_ limits: Limits) { self.limits = limits }

    /// Returns the calls and bytes of a user.
    package func usage(of user: UInt32) -> Use { users[user] ?? Use() }

    /// The number of users with calls or bytes.
    package var count: Int { users.count }
}

// MARK: - Calls

extension UserAccounts {
    /// Counts a call of a user until `endCall`.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of this user's calls; nil = the limit of all users.
    ///   - isExempt: whether the call is accepted at the limit, because it only releases limited resources.
    /// - Complexity: O(1)
    package mutating func beginCall(of user: UInt32, limit: Int? = nil, isExempt: Bool = false) throws(Refusal) {
        let limit = limit ?? limits.callsPerUser
        guard isExempt || usage(of: user).calls < limit else { throw .callsPerUser(limit: limit) }
        updateUse(of: user) { $0.calls += 1 }
    }

    /// Removes a call that was answered, or needs no answer any more, from its user's account.
    package mutating func endCall(of user: UInt32) {
        updateUse(of: user) { $0.calls = max(0, $0.calls - 1) }
    }
}

// MARK: - Bytes

extension UserAccounts {
    /// Returns the number of bytes that a user may add now.
    ///
    /// - Complexity: O(1)
    package func room(for user: UInt32) -> Int {
        let held = usage(of: user).bytes
        return max(0, min(limits.bytesPerUser, share(of: user)) - held)
    }

    /// Reserves bytes for a user, all or none, until they are released.
    ///
    /// - Parameter limit: the maximum number of this user's bytes; nil = the limit of all users.
    /// - Complexity: O(1)
    package mutating func reserve(_ count: Int, for user: UInt32, limit: Int? = nil) throws(Refusal) {
        let limit = limit ?? limits.bytesPerUser
        let (sum, overflow) = usage(of: user).bytes.addingReportingOverflow(max(0, count))
        guard !overflow, sum <= limit else { throw .bytesPerUser(limit: limit) }
        guard sum <= share(of: user) else { throw .bytes(limit: limits.bytes) }
        setBytes(sum, of: user)
    }

    /// Books bytes that exist already, whatever the limits, such as the first part of a message that was received
    /// before its size was known.
    package mutating func reserveUnchecked(_ count: Int, for user: UInt32) {
        let (sum, overflow) = usage(of: user).bytes.addingReportingOverflow(max(0, count))
        if !overflow { setBytes(sum, of: user) }
    }

    /// Releases bytes of a user.
    package mutating func release(_ count: Int, of user: UInt32) {
        setBytes(max(0, usage(of: user).bytes - max(0, count)), of: user)
    }

    /// Returns the maximum number of bytes that a user may have of the pool: a fraction of what the others leave.
    ///
    /// With n users, including this one, the fraction is 1 / ((n + 1) · log₂(n + 1) + n + 1). So the number of users
    /// need not be known beforehand, and each of n users gets nearly 1/n, up to a factor of log² n.
    private func share(of user: UInt32) -> Int {
        let held = usage(of: user).bytes
        let others = bytes - held
        let next = holders + (held > 0 ? 1 : 2)  // n + 1
        // The logarithm is rounded up, so that a share is rather too small than too large.
        let logarithm = Int.bitWidth - (next - 1).leadingZeroBitCount
        return max(0, limits.bytes - others) / (next * logarithm + next)
    }

    private mutating func setBytes(_ sum: Int, of user: UInt32) {
        let held = usage(of: user).bytes
        bytes += sum - held
        holders += (sum > 0 ? 1 : 0) - (held > 0 ? 1 : 0)
        updateUse(of: user) { $0.bytes = sum }
    }

    private mutating func updateUse(of user: UInt32, _ body: (inout Use) -> Void) {
        var own = usage(of: user)
        body(&own)
        users[user] = own == Use() ? nil : own
    }
}

/// The call rate limits of all users. Each user has a burst of one second's calls, which refills with time.
struct CallRates {
    private struct Bucket {
        var left: Double
        var filled: ContinuousClock.Instant
    }

    /// Above this number of users, the users whose burst is refilled are evicted.
    private static let mostUsers = 1024

    private var buckets: [UInt32: Bucket] = [:]

    /// Consumes one call of a user's rate limit; returns `false` if the limit is reached.
    ///
    /// - Parameter limit: the number of calls per second, at least 1.
    /// - Complexity: O(1), amortised
    mutating func consume(_ user: UInt32, limit: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        if buckets[user] == nil, buckets.count >= Self.mostUsers {
            buckets = buckets.filter { now - $0.value.filled < .seconds(1) }
        }
        var bucket = buckets[user] ?? Bucket(left: Double(limit), filled: now)
        let seconds = max(0, (now - bucket.filled) / .seconds(1))
        bucket = Bucket(left: min(Double(limit), bucket.left + seconds * Double(limit)), filled: now)
        let isLeft = bucket.left >= 1
        if isLeft { bucket.left -= 1 }
        buckets[user] = bucket
        return isLeft
    }
}

/// The limits of each user, from the configuration and the system's user databases, whose answers are cached.
@DBusActor
final class LimitsByUser {
    private var lookedUp: [UInt32: (limits: Limits, expiry: ContinuousClock.Instant)] = [:]
    private var handler: (@DBusActor (UInt32, Limits) -> Void)?
    /// The limits of all users, with the exceptions of single users and groups.
    private(set) var all = Limits()

    /// Changes the limits of all users and the exceptions.
    func setLimits(_ limits: Limits) {
        all = limits
        lookedUp = [:]
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
        if let known = lookedUp[user], known.expiry > now { return known.limits }
        lookedUp = lookedUp.filter { $0.value.expiry > now }
        let names = [UnixGroups.name(ofUser: user), String(user)].compactMap(\.self)
        let limits = all.ofUsers.limits(
            ofUserNamed: names, groups: UnixGroups.names(ofUser: user), otherwise: all)
        lookedUp[user] = (limits, now + UnixGroups.freshness)
        handler?(user, limits)
        return limits
    }
}

extension Dictionary where Value == Int {
    /// Takes one off a count; a count that reaches 0 is removed.
    mutating func decrement(_ key: Key) { self[key] = self[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
}
