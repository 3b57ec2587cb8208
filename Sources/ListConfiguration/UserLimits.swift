// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The limits of individual users and groups, which replace the general limits: the sections `[Limits user:NAME]` and
/// `[Limits group:NAME]`.
package struct UserLimits: Sendable, Equatable {
    /// A limit that can be set for a user. The raw value is the key in the file.
    fileprivate enum Key: String, CaseIterable {
        case adapters = "AdaptersPerUser"
        case views = "ViewsPerUser"
        case objects = "ObjectsPerUser"
        case bytes = "BytesPerUser"
        case callsPerConnection = "CallsPerConnection"
        case subscriptions = "SubscriptionsPerConnection"
        case calls = "CallsPerUser"
        case callsPerSecond = "CallsPerSecond"
        case waitingBytes = "WaitingBytesPerUser"
        case directConnections = "DirectConnectionsPerUser"
    }

    private var users: [String: [Key: Int]] = [:]
    private var groups: [String: [Key: Int]] = [:]

    /// Creates limits without any users or groups.
    package init() {}

    /// Whether no user or group has limits of its own.
    package var isEmpty: Bool { users.isEmpty && groups.isEmpty }

    /// Parses a line of a section.
    ///
    /// - Parameter subject: the second word of the section name: `user:NAME` or `group:NAME`.
    /// - Returns: the user or group that the section names.
    /// - Throws: `invalidArguments` for any other subject, an unknown key, or an invalid value.
    package mutating func parse(_ subject: String, key: String, value: String) throws(ListError) -> Account {
        guard let known = Key(rawValue: key) else {
            let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw ListError(.invalidArguments, "unknown key \(key.quoted); the keys for users and groups are \(keys)")
        }
        var limits = Limits()
        try Limits.table.parse(key: key, value: value, into: &limits)
        if let name = Self.name(in: subject, prefix: "user:") {
            users[name, default: [:]][known] = limits[known]
            return .user(name)
        }
        guard let name = Self.name(in: subject, prefix: "group:") else {
            throw ListError(
                .invalidArguments,
                "unknown section \("[Limits \(subject)]".quoted); the sections are [Limits user:NAME] and [Limits "
                    + "group:NAME]")
        }
        groups[name, default: [:]][known] = limits[known]
        return .group(name)
    }

    private static func name(in subject: String, prefix: String) -> String? {
        guard subject.hasPrefix(prefix), subject.count > prefix.count else { return nil }
        return String(subject.dropFirst(prefix.count))
    }

    /// Returns the limits of a user. The user's own limits come first, then the largest limits of the user's groups,
    /// then `all`.
    ///
    /// - Parameter names: the names under which a section may list the user.
    package func limits(ofUserNamed names: [String], groups members: Set<String>, otherwise all: Limits) -> Limits {
        var limits = all
        for key in Key.allCases {
            let own = names.compactMap { users[$0]?[key] }.first
            let ofGroups = members.compactMap { groups[$0]?[key] }.max()
            if let value = own ?? ofGroups { limits[key] = value }
        }
        return limits
    }
}

extension Limits {
    fileprivate subscript(key: UserLimits.Key) -> Int {
        get { self[keyPath: Self.path(of: key)] }
        set { self[keyPath: Self.path(of: key)] = newValue }
    }

    private static func path(of key: UserLimits.Key) -> WritableKeyPath<Limits, Int> {
        switch key {
        case .adapters: \.adaptersPerUser
        case .views: \.viewsPerUser
        case .objects: \.objectsPerUser
        case .bytes: \.bytesPerUser
        case .callsPerConnection: \.callsPerConnection
        case .subscriptions: \.subscriptionsPerConnection
        case .calls: \.callsPerUser
        case .callsPerSecond: \.callsPerSecond
        case .waitingBytes: \.waitingBytesPerUser
        case .directConnections: \.directConnectionsPerUser
        }
    }
}
