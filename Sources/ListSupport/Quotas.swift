// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// What one Unix user may have at a time, and what each user has (the contract's limits `…PerUser`).
///
/// Taking more is refused at the limit; giving back never is. Configured lists do not count: nobody books them.
package struct Quotas: Sendable {
    /// The things that are counted.
    package enum Resource: String, Sendable, CaseIterable {
        /// Adapters that the user created.
        case adapters
        /// Views that the user's connections have open.
        case views
        /// Objects in the user's adapters.
        case objects
        /// Encoded bytes of those objects.
        case bytes

        /// The limit of what one user may have of it.
        package var limitKey: LimitKey {
            switch self {
            case .adapters: .adaptersPerUser
            case .views: .viewsPerUser
            case .objects: .objectsPerUser
            case .bytes: .bytesPerUser
            }
        }
    }

    /// How much of each resource there is, or is used.
    package struct Amounts: Sendable, Equatable {
        /// The number of adapters.
        package var adapters: Int
        /// The number of views.
        package var views: Int
        /// The number of objects.
        package private(set) var objects: Int
        /// The number of encoded bytes.
        package private(set) var bytes: Int

        /// Nothing at all by default.
        package init(adapters: Int = 0, views: Int = 0, objects: Int = 0, bytes: Int = 0) {
            self.adapters = adapters
            self.views = views
            self.objects = objects
            self.bytes = bytes
        }

        /// No limit at all.
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

        /// Adds other amounts to these.
        package static func += (sum: inout Amounts, other: Amounts) {
            for resource in Resource.allCases { sum[resource] += other[resource] }
        }

        /// Subtracts other amounts from these.
        package static func -= (difference: inout Amounts, other: Amounts) {
            for resource in Resource.allCases { difference[resource] -= other[resource] }
        }

        fileprivate var isZero: Bool { self == Amounts() }
    }

    /// A user would have more than the limit.
    package struct Exceeded: Error, Equatable {
        /// What there is no more of.
        package var resource: Resource
        /// The limit.
        package var limit: Int

        /// Names the exhausted resource.
        package init(resource: Resource, limit: Int) {
            self.resource = resource
            self.limit = limit
        }

        /// An error whose message names the limit.
        package func refusal(_ message: String) -> ListError { resource.limitKey.refusal(.limitsExceeded, message) }
    }

    /// What a user may have; a reload of the configuration may change it, and takes nothing away.
    package private(set) var limits: Amounts
    /// What single users may have instead.
    private var limitsOfUsers: [UInt32: Amounts] = [:]
    private var users: [UInt32: Amounts] = [:]

    /// Nothing is booked.
    package init(limits: Amounts) {
        self.limits = limits
    }

    /// Limits all users otherwise from now on, who have none of their own.
    package mutating func setLimits(_ limits: Amounts) { self.limits = limits }

    /// Gives a user limits of its own; nil = those of all.
    package mutating func setLimits(_ limits: Amounts?, of user: UInt32) { limitsOfUsers[user] = limits }

    /// Gives all users the same limits again.
    package mutating func removeLimitsOfUsers() { limitsOfUsers = [:] }

    /// What a user has booked.
    package func used(by user: UInt32) -> Amounts { users[user] ?? Amounts() }

    /// What all users have together.
    package var total: Amounts {
        users.values.reduce(into: Amounts(), +=)
    }

    /// Books a change for a user, all of it or nothing.
    ///
    /// A resource that shrinks or stays is never refused, whatever the limit says.
    package mutating func change(_ delta: Amounts, for user: UInt32) throws(Exceeded) {
        var amounts = used(by: user)
        let limits = limitsOfUsers[user] ?? limits
        for resource in Resource.allCases {
            let (sum, overflow) = amounts[resource].addingReportingOverflow(delta[resource])
            if delta[resource] > 0, overflow || sum > limits[resource] {
                throw Exceeded(resource: resource, limit: limits[resource])
            }
            amounts[resource] = overflow ? 0 : max(0, sum)
        }
        users[user] = amounts.isZero ? nil : amounts
    }

    /// Books a change even beyond the limits.
    package mutating func adopt(_ delta: Amounts, for user: UInt32) {
        var amounts = used(by: user)
        for resource in Resource.allCases {
            let (sum, overflow) = amounts[resource].addingReportingOverflow(delta[resource])
            amounts[resource] = overflow ? amounts[resource] : max(0, sum)
        }
        users[user] = amounts.isZero ? nil : amounts
    }

    /// Gives back what a user had booked; never fails.
    package mutating func release(_ amounts: Amounts, for user: UInt32) {
        var left = used(by: user)
        for resource in Resource.allCases { left[resource] = max(0, left[resource] - amounts[resource]) }
        users[user] = left.isZero ? nil : left
    }
}
