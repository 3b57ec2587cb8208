public import DBus

/// What can be asked of one list without following it.
///
/// Lives as long as the connection and the daemon process behind it.
@DBusActor
public struct AdapterClient {
    /// The list's object.
    public let object: RemoteObject

    /// Asks the list behind an object, as ``ListDaemonClient/adapter(_:)`` answers it.
    public init(_ object: RemoteObject) { self.object = object }

    /// How the source of a list stands.
    public struct SourceStanding: Sendable, Equatable {
        /// Why it cannot fill the list, or what of it cannot be read; empty = nothing is wrong.
        public let error: String
        /// When the list was last known to have all of it, in microseconds since 1970; 0 = never, or the list is pushed.
        public let synced: UInt64
        /// Its state as text: the same text stands for the same state; empty = the source says none.
        public let position: String
    }

    /// How the source of the list stands.
    ///
    /// - Throws: what the call throws, as `AccessDenied` for who may not read the list.
    public func sourceStanding() async throws(DBusError) -> SourceStanding {
        SourceStanding(
            error: try await object.property("SourceError", as: String.self),
            synced: try await object.property("SourceSynced", as: UInt64.self),
            position: try await object.property("SourcePosition", as: String.self))
    }

    /// One answer of `GetItemCounts`.
    public struct ItemCounts: Sendable, Equatable {
        /// The revision that was counted.
        public let revision: UInt64
        /// The first section that was not counted.
        public let nextSection: UInt32
        /// How many items each section has.
        public let counts: [UInt32]
    }

    /// How many items each of some sections has, without their contents; empty past the end.
    ///
    /// One answer has at most about 1 MiB: go on at `nextSection`, and start anew when the revision is another one.
    /// - Throws: what the call throws, as `AccessDenied` for who may not read the list.
    public func itemCounts(from section: UInt32, limit: UInt32 = .max) async throws(DBusError) -> ItemCounts {
        let (revision, next, counts) = try await object.call(
            "GetItemCounts", section, limit, returning: UInt64.self, UInt32.self, [UInt32].self)
        return ItemCounts(revision: revision, nextSection: next, counts: counts)
    }
}
