// SPDX-License-Identifier: Apache-2.0

package import ListKit
internal import Synchronization

/// Quotas of Unix users: the limits of each user, and the amounts that each user has booked (the contract's limits
/// `…PerUser`).
///
/// An increase beyond the limit is refused; a decrease always succeeds. Lists from configuration files do not count:
/// they are booked for no user.
package struct Quotas: Sendable {
    /// The resources that quotas limit.
    package enum Resource: String, Sendable, CaseIterable {
        /// Adapters that the user created.
        case adapters
        /// Views that the user's connections have open.
        case views
        /// Objects in the user's adapters.
        case objects
        /// Encoded bytes of the objects in the user's adapters.
        case bytes

        /// The limit on one user's amount of the resource.
        package var limitKey: LimitKey {
            switch self {
            case .adapters: .adaptersPerUser
            case .views: .viewsPerUser
            case .objects: .objectsPerUser
            case .bytes: .bytesPerUser
            }
        }
    }

    /// An amount of each resource.
    package struct Amounts: Sendable, Equatable {
        package var adapters: Int
        package var views: Int
        package private(set) var objects: Int
        /// The number of encoded bytes.
        package private(set) var bytes: Int

        /// Makes amounts; each is 0 by default.
        package init(adapters: Int = 0, views: Int = 0, objects: Int = 0, bytes: Int = 0) {
            self.adapters = adapters
            self.views = views
            self.objects = objects
            self.bytes = bytes
        }

        /// Amounts for a user without limits.
        package static let unlimited = Amounts(adapters: .max, views: .max, objects: .max, bytes: .max)

        /// The amount of one resource.
        package subscript(resource: Resource) -> Int {
            get {
                switch resource {
                case .adapters: adapters
                case .views: views
                case .objects: objects
                case .bytes: bytes
                }
            }
            set {
                switch resource {
                case .adapters: adapters = newValue
                case .views: views = newValue
                case .objects: objects = newValue
                case .bytes: bytes = newValue
                }
            }
        }

        /// Adds the amounts of each resource.
        package static func += (sum: inout Amounts, other: Amounts) {
            for resource in Resource.allCases { sum[resource] += other[resource] }
        }

        /// Subtracts the amounts of each resource.
        package static func -= (difference: inout Amounts, other: Amounts) {
            for resource in Resource.allCases { difference[resource] -= other[resource] }
        }

        fileprivate var isZero: Bool { self == Amounts() }
    }

    /// The error for a booking that would exceed a user's limit.
    package struct Exceeded: Error, Equatable {
        /// The exhausted resource.
        package var resource: Resource
        /// The limit that the booking would exceed.
        package var limit: Int

        /// Makes an error for the exhausted resource.
        package init(resource: Resource, limit: Int) {
            self.resource = resource
            self.limit = limit
        }

        /// Returns the error for the client; its message names the limit.
        package func refusal(_ message: String) -> ListError { resource.limitKey.refusal(.limitsExceeded, message) }
    }

    /// The limits of each user that has no limits of its own. A reload of the configuration can lower them; bookings
    /// above them remain.
    package private(set) var limits: Amounts
    /// The individual limits of users, which replace ``limits`` for these users.
    private var limitsOfUsers: [UInt32: Amounts] = [:]
    private var users: [UInt32: Amounts] = [:]

    /// Makes quotas without bookings.
    package init(limits: Amounts) {
        self.limits = limits
    }

    /// Changes the limits of all users that have no limits of their own.
    package mutating func setLimits(_ limits: Amounts) { self.limits = limits }

    /// Sets a user's own limits; nil = ``limits`` apply to the user.
    package mutating func setLimits(_ limits: Amounts?, of user: UInt32) { limitsOfUsers[user] = limits }

    /// Removes the individual limits of all users.
    package mutating func removeLimitsOfUsers() { limitsOfUsers = [:] }

    /// Returns the amounts that a user has booked.
    package func used(by user: UInt32) -> Amounts { users[user] ?? Amounts() }

    /// The sum of all users' amounts.
    package var total: Amounts {
        users.values.reduce(into: Amounts(), +=)
    }

    /// Books a change for a user, completely or not at all.
    ///
    /// A resource that decreases or stays the same is never refused, whatever its limit.
    package mutating func book(_ change: Amounts, for user: UInt32) throws(Exceeded) {
        var amounts = used(by: user)
        let limits = limitsOfUsers[user] ?? limits
        for resource in Resource.allCases {
            let (sum, overflow) = amounts[resource].addingReportingOverflow(change[resource])
            if change[resource] > 0, overflow || sum > limits[resource] {
                throw Exceeded(resource: resource, limit: limits[resource])
            }
            amounts[resource] = overflow ? 0 : max(0, sum)
        }
        users[user] = amounts.isZero ? nil : amounts
    }

    /// Books a change without checking the limits.
    package mutating func bookUnchecked(_ change: Amounts, for user: UInt32) {
        var amounts = used(by: user)
        for resource in Resource.allCases {
            let (sum, overflow) = amounts[resource].addingReportingOverflow(change[resource])
            amounts[resource] = overflow ? amounts[resource] : max(0, sum)
        }
        users[user] = amounts.isZero ? nil : amounts
    }

    /// Books bytes for a user as far as its limit has room, and returns how many.
    package mutating func bookBytes(upTo wanted: Int, for user: UInt32) -> Int {
        var amounts = used(by: user)
        let room = (limitsOfUsers[user] ?? limits).bytes - amounts.bytes
        let booked = max(0, min(wanted, room))
        amounts[.bytes] += booked
        users[user] = amounts.isZero ? nil : amounts
        return booked
    }

    /// Releases booked amounts of a user; never fails.
    package mutating func release(_ amounts: Amounts, for user: UInt32) {
        var left = used(by: user)
        for resource in Resource.allCases { left[resource] = max(0, left[resource] - amounts[resource]) }
        users[user] = left.isZero ? nil : left
    }
}

/// The quotas of all users. The bus thread books adapters and views, the hosts book objects and bytes.
package final class QuotaLedger: Sendable {
    private let quotas: Mutex<Quotas>

    /// Makes a ledger without bookings.
    package init(limits: Quotas.Amounts) {
        quotas = Mutex(Quotas(limits: limits))
    }

    /// The limits of each user that has no limits of its own.
    package var limits: Quotas.Amounts {
        get { quotas.withLock { $0.limits } }
        set { quotas.withLock { $0.setLimits(newValue) } }
    }

    /// Sets a user's own limits; nil = ``limits`` apply to the user.
    package func setLimits(_ limits: Quotas.Amounts?, of user: UInt32) {
        quotas.withLock { $0.setLimits(limits, of: user) }
    }

    /// Removes the individual limits of all users.
    package func removeLimitsOfUsers() { quotas.withLock { $0.removeLimitsOfUsers() } }

    /// The sum of all users' amounts.
    package var total: Quotas.Amounts { quotas.withLock { $0.total } }

    /// Books a change for a user, completely or not at all. A change that only decreases amounts always succeeds.
    package func book(_ change: Quotas.Amounts, for user: UInt32) throws(Quotas.Exceeded) {
        try quotas.withLock { (quotas) throws(Quotas.Exceeded) in try quotas.book(change, for: user) }
    }

    /// Books a change without checking the limits, for objects that exist already.
    package func bookUnchecked(_ change: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.bookUnchecked(change, for: user) }
    }

    /// Books bytes for a user as far as its limit has room, and returns how many.
    package func bookBytes(upTo wanted: Int, for user: UInt32) -> Int {
        quotas.withLock { $0.bookBytes(upTo: wanted, for: user) }
    }

    /// Releases booked amounts of a user.
    package func release(_ amounts: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.release(amounts, for: user) }
    }
}

/// The limits that error messages name, by their keys in the section `[Limits]` of `listd.conf`.
package enum LimitKey: String, Sendable, Hashable, CaseIterable {
    case payloadBytes = "PayloadBytes"
    case fileBytes = "FileBytes"
    case objectBytes = "ObjectBytes"
    case idBytes = "IdBytes"
    case adaptersPerUser = "AdaptersPerUser"
    case viewsPerUser = "ViewsPerUser"
    case objectsPerUser = "ObjectsPerUser"
    case bytesPerUser = "BytesPerUser"
    case callsPerConnection = "CallsPerConnection"
    case subscriptionsPerConnection = "SubscriptionsPerConnection"
    case callsPerUser = "CallsPerUser"
    case callsPerSecond = "CallsPerSecond"
    case waitingBytesPerUser = "WaitingBytesPerUser"
    case waitingBytes = "WaitingBytes"
    case directConnections = "DirectConnections"
    case directConnectionsPerUser = "DirectConnectionsPerUser"

    /// Returns the error for a request that would exceed the limit. Its message ends with the key in parentheses, so
    /// that the limit is recognised wherever the error comes from, also from a worker or from the code around
    /// libdbus.
    package func refusal(_ code: ListError.Code, _ message: String, cause: String? = nil) -> ListError {
        ListError(code, "\(message) (\(rawValue))", cause: cause)
    }

    /// Finds the limit that an error message names at its end; nil if there is no such name.
    package init?(namedAtEndOf message: String) {
        guard message.hasSuffix(")"), let open = message.lastIndex(of: "(") else { return nil }
        self.init(rawValue: String(message[message.index(after: open)...].dropLast()))
    }

    /// Whether the limit applies to what a user owns at a time, not to single requests or to calls.
    package var isQuota: Bool {
        switch self {
        case .adaptersPerUser, .viewsPerUser, .objectsPerUser, .bytesPerUser: true
        case .payloadBytes, .fileBytes, .objectBytes, .idBytes, .callsPerConnection, .subscriptionsPerConnection,
            .callsPerUser, .callsPerSecond, .waitingBytesPerUser, .waitingBytes, .directConnections,
            .directConnectionsPerUser:
            false
        }
    }
}
