// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A proxy for calls to one list, without following it.
///
/// Valid as long as the connection and the daemon process.
@DBusActor
public struct AdapterClient {
    /// The list's object.
    public let object: RemoteObject

    /// Makes a proxy from the list's object, as ``ListDaemonClient/adapter(_:)`` does.
    public init(_ object: RemoteObject) { self.object = object }

    /// Hints for showing fields of the list's objects: the option `hints`, then the hints of its source.
    ///
    /// Unknown hints are left out. The property `Options` tells when they change.
    public func hints() async throws(DBusError) -> [String: FieldHint] {
        FieldHint.all(in: try await object.property("Options", as: [String: DBusValue].self))
    }

    /// An action on an item that a viewer invokes.
    public struct Invocation: Sendable, Equatable {
        /// The object.
        public let objectID: String
        /// The item inside the object's section.
        public let item: UInt32
        /// The name of the action: a word that viewers and writer agree on.
        public let action: String
        /// The action's parameters.
        public let parameters: [String: DBusValue]
        /// The Unix user of the viewer.
        public let user: UInt32
    }

    /// Subscribes to the actions that no section controller handles; only the owner of the list receives them.
    ///
    /// - Parameters:
    ///   - events: other words of `Subscribe` for this connection and list, as only the last `Subscribe` counts.
    ///   - body: called for each action, until the subscription is dropped.
    /// - Throws: the error of `Subscribe`, such as `AccessDenied` for a user who may not read the list.
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

    /// Calls `body` when the end of the list comes near to a view (the list's option `near-end-distance`): time to load
    /// more.
    ///
    /// - Parameters:
    ///   - events: other words of `Subscribe` for this connection and list, as only the last `Subscribe` counts.
    ///   - body: called with the view, and the distance of the end: in its units, in the layout `none` items.
    /// - Throws: the error of `Subscribe`, such as `AccessDenied` for a user who may not read the list.
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
        /// An object and its place.
        public struct Place: Sendable, Equatable {
            /// Its section.
            public let index: UInt32
            /// Its identifier.
            public let objectID: String

            /// Makes a place.
            public init(index: UInt32, objectID: String) {
                self.index = index
                self.objectID = objectID
            }
        }

        /// The revision that was searched.
        public let revision: UInt64
        /// The place of the hit; nil = none.
        public let place: Place?
    }

    /// Finds the next object that contains a text, ignoring case; an empty text finds nothing.
    ///
    /// - Parameters:
    ///   - fields: the keys of the fields to search; none = every text field.
    ///   - from: the section to begin with, included; past the end, a backward search starts at the last.
    ///   - backwards: whether to search towards the beginning; a search does not wrap around.
    /// - Throws: `LimitsExceeded` while this connection has a search in progress; `AccessDenied` for a user who may not
    ///   read the list.
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
        /// Why it cannot fill the list, or which part of it cannot be read; empty = no error.
        public let error: String
        /// When the list last had all of it, in microseconds since 1970; 0 = never, or clients write the list.
        public let synced: UInt64
        /// How far the source has read, as text: equal texts mean the same content; empty = the source does not tell.
        public let position: String
    }

    /// Reads the state of the list's source.
    ///
    /// - Throws: the call's error, such as `AccessDenied` for a user who may not read the list.
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
        /// The number of items of each section.
        public let counts: [UInt32]
    }

    /// The number of items of each of some sections, without their contents; empty past the end.
    ///
    /// One answer has at most about 1 MiB: continue at `nextSection`, and start again when the revision has changed.
    /// - Throws: the call's error, such as `AccessDenied` for a user who may not read the list.
    public func itemCounts(from section: UInt32, limit: UInt32 = .max) async throws(DBusError) -> ItemCounts {
        let (revision, next, counts) = try await object.call(
            "GetItemCounts", section, limit, returning: UInt64.self, UInt32.self, [UInt32].self)
        return ItemCounts(revision: revision, nextSection: next, counts: counts)
    }

    /// Changes which objects of the followed list are shown, and in which order.
    ///
    /// - Parameter argument: the text after the `?` in its source, as ``ListQueryText/argument`` makes it.
    /// - Returns: the revision that contains the change.
    /// - Throws: the call's error, such as `ReadOnly` for a list that follows no other one.
    @discardableResult
    public func setSourceArgument(_ argument: String) async throws(DBusError) -> UInt64 {
        try await object.call("SetSourceArgument", argument, returning: UInt64.self)
    }
}
