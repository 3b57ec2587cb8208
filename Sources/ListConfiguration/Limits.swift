// SPDX-License-Identifier: Apache-2.0

package import ListSources
package import ListSupport

/// The limits of users and clients (the contract's `[Limits]`).
package struct Limits: Sendable, Equatable {
    /// The content of one call.
    package var payloadBytes = 16 << 20
    /// A file that a call passes, or that a source reads.
    package var fileBytes = 64 << 20
    /// One object, encoded.
    package var objectBytes = 8 << 20
    /// An identifier, a type.
    package var idBytes = 4 << 10
    /// Adapters that a user created.
    package var adaptersPerUser = 64
    /// Views that a user has open.
    package var viewsPerUser = 64
    /// Objects in the adapters of a user.
    package var objectsPerUser = 10_000_000
    /// Bytes in the adapters of a user.
    package var bytesPerUser = 2 << 30
    /// Calls in flight.
    package var callsPerConnection = 256
    /// Calls in flight of one user, on all connections.
    package var callsPerUser = 1024
    /// Calls of one user per second, on all connections; 0 = no limit.
    package var callsPerSecond = 0
    /// What waits for one user, on all connections: unfinished messages, payloads, answers.
    package var waitingBytesPerUser = 64 << 20
    /// The limit of bytes that wait for all users together.
    package var waitingBytes = 256 << 20
    /// Direct connections.
    package var directConnections = 128
    /// Direct connections of one user, as configured; nil = a share of all.
    package var ownDirectConnectionsPerUser: Int?
    /// How long a direct connection may take to authenticate.
    package var authenticationTime = Duration.seconds(10)

    /// The limits of single users and groups.
    package var ofUsers = UserLimits()

    /// Makes the contract's defaults.
    package init() {}

    /// Direct connections of one user: a quarter of all unless configured, but at least one if any are allowed.
    package var directConnectionsPerUser: Int {
        get { ownDirectConnectionsPerUser ?? min(directConnections, max(1, directConnections / 4)) }
        set { ownDirectConnectionsPerUser = newValue }
    }

    /// A message on the direct socket: the payload of a call, and its names and options.
    package var directMessageBytes: Int { min(payloadBytes, Self.largestDirectPayload) + (64 << 10) }

    /// D-Bus has no message of more than 128 MiB.
    private static let largestDirectPayload = (1 << 27) - (64 << 10)

    /// The limits of one object.
    package var objects: ObjectLimits { ObjectLimits(objectBytes: objectBytes, idBytes: idBytes) }

    /// The limits of one user.
    package var perUser: Quotas.Amounts {
        Quotas.Amounts(adapters: adaptersPerUser, views: viewsPerUser, objects: objectsPerUser, bytes: bytesPerUser)
    }

    /// What descriptors may bring.
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
        .init("calls-per-connection", \.callsPerConnection, .positiveCount),
        .init("calls-per-user", \.callsPerUser, .positiveCount),
        .init("calls-per-second", \.callsPerSecond, .count),
        .init("waiting-bytes-per-user", \.waitingBytesPerUser, .bytes),
        .init("waiting-bytes", \.waitingBytes, .bytes),
        .init("direct-connections", \.directConnections, .count),
        .init("direct-connections-per-user", \.ownDirectConnectionsPerUser, .optionalCount),
        .init("authentication-seconds", \.authenticationTime, .seconds),
    ])
}
