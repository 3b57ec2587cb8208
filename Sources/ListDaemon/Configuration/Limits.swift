/// What users and clients may take (the contract's `[Limits]`).
package struct Limits: Sendable, Equatable {
    /// The content of one call.
    package var payloadBytes = 16 << 20
    /// A file that is handed over, or read by a source.
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
    /// Direct connections.
    package var directConnections = 128
    /// How long a direct connection may take to say who it is.
    package var authenticationTime = Duration.seconds(10)

    /// Makes the contract's defaults.
    package init() {}

    /// What one object may take.
    package var objects: ObjectLimits { ObjectLimits(objectBytes: objectBytes, idBytes: idBytes) }

    /// What one user may have.
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
    static let table = OptionTable<Limits>([
        .init("payload-bytes", \.payloadBytes, .bytes),
        .init("file-bytes", \.fileBytes, .bytes),
        .init("object-bytes", \.objectBytes, .bytes),
        .init("id-bytes", \.idBytes, .bytes),
        .init("adapters-per-user", \.adaptersPerUser, .count),
        .init("views-per-user", \.viewsPerUser, .count),
        .init("objects-per-user", \.objectsPerUser, .count),
        .init("bytes-per-user", \.bytesPerUser, .bytes),
        .init("calls-per-connection", \.callsPerConnection, .positiveCount),
        .init("direct-connections", \.directConnections, .count),
        .init("authentication-seconds", \.authenticationTime, .seconds),
    ])
}
