// SPDX-License-Identifier: Apache-2.0

package import ListKit

/// The limits that some users have instead of those of all: the sections `[Limits user:NAME]` and `[Limits group:NAME]`.
package struct UserLimits: Sendable, Equatable {
    /// What can be limited for one user; the raw value is the key in the file.
    fileprivate enum Key: String, CaseIterable {
        case adapters = "AdaptersPerUser"
        case views = "ViewsPerUser"
        case objects = "ObjectsPerUser"
        case bytes = "BytesPerUser"
        case callsPerConnection = "CallsPerConnection"
        case calls = "CallsPerUser"
        case callsPerSecond = "CallsPerSecond"
        case waitingBytes = "WaitingBytesPerUser"
        case directConnections = "DirectConnectionsPerUser"

        /// A limit of a resource: the largest of several groups counts.
        func amount(_ value: Int) -> Int { self == .callsPerSecond && value == 0 ? .max : value }
    }

    private var users: [String: [Key: Int]] = [:]
    private var groups: [String: [Key: Int]] = [:]

    /// No user has limits of its own.
    package init() {}

    /// Whether no user has limits of its own.
    package var isEmpty: Bool { users.isEmpty && groups.isEmpty }

    /// Takes a line of a section.
    ///
    /// - Parameter subject: the section's second word: `user:NAME` or `group:NAME`.
    /// - Returns: the group, if it is one.
    /// - Throws: `invalidArguments` for another subject, an unknown key, or a value that it cannot have.
    package mutating func parse(_ subject: String, key: String, value: String) throws(ListError) -> String? {
        guard let known = Key(rawValue: key) else {
            let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw ListError(.invalidArguments, "unknown key \(key); for users and groups there are \(keys)")
        }
        var limits = Limits()
        try Limits.table.parse(key: key, value: value, into: &limits)
        if let name = Self.name(subject, "user:") {
            users[name, default: [:]][known] = limits[known]
            return nil
        }
        guard let name = Self.name(subject, "group:") else {
            throw ListError(
                .invalidArguments,
                "unknown section [Limits \(subject)]; there are [Limits user:NAME] and [Limits group:NAME]")
        }
        groups[name, default: [:]][known] = limits[known]
        return name
    }

    private static func name(_ subject: String, _ kind: String) -> String? {
        guard subject.hasPrefix(kind), subject.count > kind.count else { return nil }
        return String(subject.dropFirst(kind.count))
    }

    /// The limits of a user: its own before those of its groups, of which the largest count, before those of all.
    ///
    /// - Parameter names: the names by which a section may mean the user.
    package func limits(ofUserNamed names: [String], groups members: Set<String>, otherwise all: Limits) -> Limits {
        var limits = all
        for key in Key.allCases {
            let own = names.compactMap { users[$0]?[key] }.first
            let ofGroups = members.compactMap { groups[$0]?[key] }.max { key.amount($0) < key.amount($1) }
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
        case .calls: \.callsPerUser
        case .callsPerSecond: \.callsPerSecond
        case .waitingBytes: \.waitingBytesPerUser
        case .directConnections: \.directConnectionsPerUser
        }
    }
}
