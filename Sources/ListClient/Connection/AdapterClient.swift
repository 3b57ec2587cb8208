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

    /// Has a list that follows another one take other objects of it, or another order of them.
    ///
    /// - Parameter argument: what follows the `?` in its source, as ``ListQueryText/argument`` has it.
    /// - Returns: the revision that contains the change.
    /// - Throws: what the call throws, as `ReadOnly` for a list that follows no other one.
    @discardableResult
    public func setSourceArgument(_ argument: String) async throws(DBusError) -> UInt64 {
        try await object.call("SetSourceArgument", argument, returning: UInt64.self)
    }
}
