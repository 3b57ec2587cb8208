// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
package import ListSources
package import ListSupport

/// The limits for users and clients (the contract's section `[Limits]`). ``Amount/unlimited`` is no limit; it stands
/// as 0 in the file.
package struct Limits: Sendable, Equatable {
    /// The maximum size of a call's content in bytes.
    package var payloadBytes = 16 << 20
    /// The maximum size of a file that a call passes or a source reads, in bytes.
    package var fileBytes = 64 << 20
    /// The maximum size of an encoded object in bytes.
    package var objectBytes = 8 << 20
    /// The maximum length of an identifier, and of a type, in bytes.
    package var idBytes = 4 << 10
    /// The maximum number of adapters that a user created.
    package var adaptersPerUser = 64
    /// The maximum number of open views of a user.
    package var viewsPerUser = 512
    /// The maximum number of objects in all adapters of a user.
    package var objectsPerUser = 10_000_000
    /// The maximum size of all adapters of a user in bytes.
    package var bytesPerUser = 2 << 30
    /// The maximum number of unanswered calls of a connection.
    package var callsPerConnection = 256
    /// The maximum number of subscriptions of a connection, to all lists.
    package var subscriptionsPerConnection = 4096
    /// The maximum number of unanswered calls of a user on all connections.
    package var callsPerUser = 1024
    /// The maximum number of calls per second of a user on all connections.
    package var callsPerSecond = Amount.unlimited
    /// The maximum size of data that is queued for a user on all connections, in bytes: unfinished messages,
    /// payloads, answers.
    package var waitingBytesPerUser = 64 << 20
    /// The maximum size of data that is queued for all users together, in bytes.
    package var waitingBytes = 256 << 20
    /// The maximum number of direct connections.
    package var directConnections = 128
    /// The configured maximum number of direct connections of a user; nil = a quarter of
    /// ``directConnections``.
    package var ownDirectConnectionsPerUser: Int?
    /// The maximum duration of authentication on a direct connection.
    package var authenticationTime = Duration.seconds(10)

    /// The limits of individual users and groups.
    package var ofUsers = UserLimits()

    /// Creates the contract's defaults.
    package init() {}

    /// The maximum number of direct connections of a user: a quarter of all unless configured, but at least one if
    /// any are allowed.
    package var directConnectionsPerUser: Int {
        get { ownDirectConnectionsPerUser ?? min(directConnections, max(1, directConnections / 4)) }
        set { ownDirectConnectionsPerUser = newValue }
    }

    /// The maximum size of a message on the direct socket in bytes: the payload of a call, plus names and options.
    package var directMessageBytes: Int { min(payloadBytes, Self.largestDirectPayload) + (64 << 10) }

    /// The maximum payload on the direct socket in bytes, as a D-Bus message has at most 128 MiB.
    private static let largestDirectPayload = (1 << 27) - (64 << 10)

    package var objects: ObjectLimits { ObjectLimits(objectBytes: objectBytes, idBytes: idBytes) }

    /// The limits of one user.
    package var perUser: Quotas.Amounts {
        Quotas.Amounts(adapters: adaptersPerUser, views: viewsPerUser, objects: objectsPerUser, bytes: bytesPerUser)
    }

    /// The limits for lists that are passed through descriptors.
    package var bulk: BulkReader.Limits {
        var limits = BulkReader.Limits()
        limits.fileBytes = fileBytes
        limits.objects = objects
        return limits
    }

    /// The keys of the section.
    package static let table = OptionTable<Limits>([
        .init("payload-bytes", \.payloadBytes, .bytes),
        .init("file-bytes", \.fileBytes, .bytes),
        .init("object-bytes", \.objectBytes, .bytes),
        .init("id-bytes", \.idBytes, .bytes),
        .init("adapters-per-user", \.adaptersPerUser, .count),
        .init("views-per-user", \.viewsPerUser, .count),
        .init("objects-per-user", \.objectsPerUser, .count),
        .init("bytes-per-user", \.bytesPerUser, .bytes),
        .init("calls-per-connection", \.callsPerConnection, .count),
        .init("subscriptions-per-connection", \.subscriptionsPerConnection, .count),
        .init("calls-per-user", \.callsPerUser, .count),
        .init("calls-per-second", \.callsPerSecond, .count),
        .init("waiting-bytes-per-user", \.waitingBytesPerUser, .bytes),
        .init("waiting-bytes", \.waitingBytes, .bytes),
        .init("direct-connections", \.directConnections, .count),
        .init("direct-connections-per-user", \.ownDirectConnectionsPerUser, .optionalCount),
        .init("authentication-seconds", \.authenticationTime, .seconds),
    ])
}

/// The limits of individual users and groups, which replace the general limits: the sections `[Limits user:NAME]` and
/// `[Limits group:NAME]`.
package struct UserLimits: Sendable, Equatable {
    private var users: [String: [LimitKey: Int]] = [:]
    private var groups: [String: [LimitKey: Int]] = [:]

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
        guard let known = LimitKey(rawValue: key), let path = Limits.path(ofUserLimit: known) else {
            let keys = LimitKey.allCases.filter { Limits.path(ofUserLimit: $0) != nil }.map(\.rawValue)
                .joined(separator: ", ")
            throw ListError(.invalidArguments, "unknown key \(key.quoted); the keys for users and groups are \(keys)")
        }
        var limits = Limits()
        try Limits.table.parse(key: key, value: value, into: &limits)
        if let name = Self.name(in: subject, prefix: "user:") {
            users[name, default: [:]][known] = limits[keyPath: path]
            return .user(name)
        }
        guard let name = Self.name(in: subject, prefix: "group:") else {
            throw ListError(
                .invalidArguments,
                "unknown section \("[Limits \(subject)]".quoted); the sections are [Limits user:NAME] and [Limits "
                    + "group:NAME]")
        }
        groups[name, default: [:]][known] = limits[keyPath: path]
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
        for key in LimitKey.allCases {
            guard let path = Limits.path(ofUserLimit: key) else { continue }
            let own = names.compactMap { users[$0]?[key] }.first
            let ofGroups = members.compactMap { groups[$0]?[key] }.max()
            if let value = own ?? ofGroups { limits[keyPath: path] = value }
        }
        return limits
    }
}

extension Limits {
    /// The path of a limit that can be set for a single user or group; nil for any other limit.
    fileprivate static func path(ofUserLimit key: LimitKey) -> WritableKeyPath<Limits, Int>? {
        switch key {
        case .adaptersPerUser: \.adaptersPerUser
        case .viewsPerUser: \.viewsPerUser
        case .objectsPerUser: \.objectsPerUser
        case .bytesPerUser: \.bytesPerUser
        case .callsPerConnection: \.callsPerConnection
        case .subscriptionsPerConnection: \.subscriptionsPerConnection
        case .callsPerUser: \.callsPerUser
        case .callsPerSecond: \.callsPerSecond
        case .waitingBytesPerUser: \.waitingBytesPerUser
        case .directConnectionsPerUser: \.directConnectionsPerUser
        case .payloadBytes, .fileBytes, .objectBytes, .idBytes, .waitingBytes, .directConnections: nil
        }
    }
}
