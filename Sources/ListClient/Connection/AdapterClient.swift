// SPDX-License-Identifier: Apache-2.0

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

    /// How people want to see fields of the list's objects: the option `hints`, then the hints of its source.
    ///
    /// Words that this library does not know are left out. The property `Options` tells when they change.
    public func hints() async throws(DBusError) -> [String: FieldHint] {
        FieldHint.all(in: try await object.property("Options", as: [String: DBusValue].self))
    }

    /// What a viewer wants done with an item.
    public struct Invocation: Sendable, Equatable {
        /// The object.
        public let objectID: String
        /// The item inside the object's section.
        public let item: UInt32
        /// What is to be done: a word that viewers and writer agree on.
        public let action: String
        /// The action's parameters.
        public let parameters: [String: DBusValue]
        /// The Unix user of the viewer.
        public let user: UInt32
    }

    /// Subscribes to the actions that no section controller handles; only the owner of the list receives them.
    ///
    /// - Parameters:
    ///   - events: other words of `Subscribe` that this connection wants to hear of the list: its last `Subscribe` counts.
    ///   - body: called for each action, until the subscription is dropped.
    /// - Throws: what `Subscribe` throws, as `AccessDenied` for who may not read the list.
    public func onInvoked(
        and events: [String] = [], _ body: @escaping @DBusActor (Invocation) -> Void
    ) async throws(DBusError) -> Subscription {
        // Invoked is sent to this connection alone: no match rule is needed on the bus.
        let rule = MatchRule(
            sender: ListdName.bus, path: object.path, interface: object.interface, member: "Invoked")
        let subscription = try await object.connection.subscribe(rule, onBus: false) { message in
            guard
                let (id, item, action, parameters, user) = try? message.decode(
                    as: String.self, UInt32.self, String.self, [String: DBusValue].self, UInt32.self)
            else { return }
            body(Invocation(objectID: id, item: item, action: action, parameters: parameters, user: user))
        }
        _ = try await object.call("Subscribe", events + ["actions"], returning: UInt64.self)
        return subscription
    }

    /// Hears when the end of the list comes near to a view (the list's option `near-end-distance`): time to load more.
    ///
    /// - Parameters:
    ///   - events: other words of `Subscribe` that this connection wants to hear of the list: its last `Subscribe` counts.
    ///   - body: called with the view, and how far the end is: in its units, in the layout `none` items.
    /// - Throws: what `Subscribe` throws, as `AccessDenied` for who may not read the list.
    public func onNearEnd(
        and events: [String] = [], _ body: @escaping @DBusActor (ObjectPath, Double) -> Void
    ) async throws(DBusError) -> Subscription {
        let rule = MatchRule(
            sender: ListdName.bus, path: object.path, interface: object.interface, member: "NearEnd")
        let subscription = try await object.connection.subscribe(rule, onBus: object.connection.isBus) { message in
            guard let (view, distance) = try? message.decode(as: ObjectPath.self, Double.self) else { return }
            body(view, distance)
        }
        _ = try await object.call("Subscribe", events + ["near-end"], returning: UInt64.self)
        return subscription
    }

    /// One answer of `Search`.
    public struct SearchResult: Sendable, Equatable {
        /// An object and where it is.
        public struct Place: Sendable, Equatable {
            /// Its section.
            public let index: UInt32
            /// Its identifier.
            public let objectID: String

            /// Names a place.
            public init(index: UInt32, objectID: String) {
                self.index = index
                self.objectID = objectID
            }
        }

        /// The revision that was searched.
        public let revision: UInt64
        /// What was found; nil = nothing.
        public let place: Place?
    }

    /// Finds the next object that contains a text, without regard to upper and lower case; an empty text finds nothing.
    ///
    /// - Parameters:
    ///   - fields: the keys of the fields to look into; none = every text field.
    ///   - from: the section to begin with, itself included; from past the end it goes backwards from the last.
    ///   - backwards: whether to look towards the beginning; it never goes on at the other end.
    /// - Throws: `LimitsExceeded` while this connection has a search under way; `AccessDenied` for who may not read the list.
    public func search(
        _ text: String, in fields: [String] = [], from: UInt32 = 0, backwards: Bool = false
    ) async throws(DBusError) -> SearchResult {
        let (revision, isFound, index, id) = try await object.call(
            "Search", text, fields, from, backwards, returning: UInt64.self, Bool.self, UInt32.self, String.self)
        return SearchResult(
            revision: revision, place: isFound ? SearchResult.Place(index: index, objectID: id) : nil)
    }

    /// The state of a list's source.
    public struct SourceStatus: Sendable, Equatable {
        /// Why it cannot fill the list, or what of it cannot be read; empty = nothing is wrong.
        public let error: String
        /// When the list was last known to have all of it, in microseconds since 1970; 0 = never, or the list is pushed.
        public let synced: UInt64
        /// How far the source has read, as text: equal texts mean the same content; empty = the source gives none.
        public let position: String
    }

    /// Reads the state of the list's source.
    ///
    /// - Throws: what the call throws, as `AccessDenied` for who may not read the list.
    public func sourceStatus() async throws(DBusError) -> SourceStatus {
        SourceStatus(
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

    /// Changes which objects of the followed list are shown, and in which order.
    ///
    /// - Parameter argument: what follows the `?` in its source, as ``ListQueryText/argument`` has it.
    /// - Returns: the revision that contains the change.
    /// - Throws: what the call throws, as `ReadOnly` for a list that follows no other one.
    @discardableResult
    public func setSourceArgument(_ argument: String) async throws(DBusError) -> UInt64 {
        try await object.call("SetSourceArgument", argument, returning: UInt64.self)
    }
}
