// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration

/// What each Unix user has under way, over all its connections: calls that are not answered yet, and bytes that wait.
///
/// The bytes of all users come out of one pool, which is shared as dbus-broker shares its pools: the more users hold
/// some of it, the less one of them may add, so that a newcomer always finds room. Bytes that were granted are never
/// taken back.
package struct UserAccounts: Sendable {
    /// The limits of all accounts.
    package struct Limits: Sendable, Equatable {
        /// The most calls of one user.
        package let callsPerUser: Int
        /// The most bytes of one user.
        package let bytesPerUser: Int
        /// The most bytes of all users together.
        package let bytes: Int

        /// Makes limits; the defaults are the contract's.
        package init(callsPerUser: Int = 1024, bytesPerUser: Int = 64 << 20, bytes: Int = 256 << 20) {
            self.callsPerUser = callsPerUser
            self.bytesPerUser = bytesPerUser
            self.bytes = bytes
        }
    }

    /// What a user has.
    package struct Use: Sendable, Equatable {
        /// Calls that are not answered yet.
        package var calls = 0
        /// Bytes that wait.
        package var bytes = 0

        /// Nothing.
        package init() {}
    }

    /// A user would have too much.
    package enum Refusal: Error, Equatable {
        /// As many calls as one user may have.
        case callsPerUser(limit: Int)
        /// More bytes than one user may have.
        case bytesPerUser(limit: Int)
        /// More than the user's share of what is left for all.
        case bytes(limit: Int)
    }

    /// Sets the limits from now on; what is booked already stays booked.
    package private(set) var limits: Limits
    /// The bytes of all users.
    package private(set) var bytes = 0
    /// Users that have bytes.
    private var holders = 0
    private var users: [UInt32: Use] = [:]

    /// Nothing is booked.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Limits what comes from now on; nothing is taken back.
    package mutating func setLimits(_ limits: Limits) { self.limits = limits }

    /// What a user has.
    package func use(of user: UInt32) -> Use { users[user] ?? Use() }

    /// How many users have something.
    package var count: Int { users.count }
}

// MARK: - Calls

extension UserAccounts {
    /// Counts a call of a user until `endCall`.
    ///
    /// - Parameters:
    ///   - limit: how many this user may have; nil = as many as any.
    ///   - isExempt: whether it passes at the limit, because it only gives back what is limited.
    /// - Complexity: O(1)
    package mutating func beginCall(of user: UInt32, limit: Int? = nil, isExempt: Bool = false) throws(Refusal) {
        let limit = limit ?? limits.callsPerUser
        guard isExempt || use(of: user).calls < limit else { throw .callsPerUser(limit: limit) }
        change(user) { $0.calls += 1 }
    }

    /// A call was answered, or needs no answer any more.
    package mutating func endCall(of user: UInt32) {
        change(user) { $0.calls = max(0, $0.calls - 1) }
    }
}

// MARK: - Bytes

extension UserAccounts {
    /// How many bytes a user may add now.
    ///
    /// - Complexity: O(1)
    package func room(for user: UInt32) -> Int {
        let held = use(of: user).bytes
        return max(0, min(limits.bytesPerUser, share(of: user)) - held)
    }

    /// Adds bytes to those of a user, all of them or none, until they are released.
    ///
    /// - Parameter limit: how many this user may have; nil = as many as any.
    /// - Complexity: O(1)
    package mutating func reserve(_ count: Int, for user: UInt32, limit: Int? = nil) throws(Refusal) {
        let limit = limit ?? limits.bytesPerUser
        let (sum, overflow) = use(of: user).bytes.addingReportingOverflow(max(0, count))
        guard !overflow, sum <= limit else { throw .bytesPerUser(limit: limit) }
        guard sum <= share(of: user) else { throw .bytes(limit: limits.bytes) }
        set(sum, for: user)
    }

    /// Adds bytes that are there whatever the limits say, as what has come of a message before anybody could ask.
    package mutating func adopt(_ count: Int, for user: UInt32) {
        let (sum, overflow) = use(of: user).bytes.addingReportingOverflow(max(0, count))
        if !overflow { set(sum, for: user) }
    }

    /// Releases bytes of a user.
    package mutating func release(_ count: Int, of user: UInt32) {
        set(max(0, use(of: user).bytes - max(0, count)), for: user)
    }

    /// The most that a user may have of the pool: a part of what the others have left.
    ///
    /// With n users, this one included, the part is 1 / ((n + 1) · log₂(n + 1) + n + 1): the number of users need not
    /// be known beforehand, and each of n users gets nearly 1/n, up to a factor of log² n.
    private func share(of user: UInt32) -> Int {
        let held = use(of: user).bytes
        let others = bytes - held
        let next = holders + (held > 0 ? 1 : 2)  // n + 1
        // Rounded up, so that a share is rather too small.
        let logarithm = Int.bitWidth - (next - 1).leadingZeroBitCount
        return max(0, limits.bytes - others) / (next * logarithm + next)
    }

    private mutating func set(_ sum: Int, for user: UInt32) {
        let held = use(of: user).bytes
        bytes += sum - held
        holders += (sum > 0 ? 1 : 0) - (held > 0 ? 1 : 0)
        change(user) { $0.bytes = sum }
    }

    private mutating func change(_ user: UInt32, _ body: (inout Use) -> Void) {
        var own = use(of: user)
        body(&own)
        users[user] = own == Use() ? nil : own
    }
}
