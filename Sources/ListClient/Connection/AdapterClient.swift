// SPDX-License-Identifier: Apache-2.0

public import DBus
internal import ListProtocol

/// A proxy for calls to one list, without following the list.
///
/// It is valid as long as the connection and the daemon process exist.
@DBusActor
public struct AdapterClient {
    /// The list's object on the bus.
    public let object: RemoteObject

    /// Creates a proxy of a list's object, which ``ListDaemonClient/adapter(_:)`` returns.
    public init(_ object: RemoteObject) { self.object = object }

    /// Reads the hints for displaying fields of the list's objects: the option `hints`, then the hints of its source.
    ///
    /// Unknown hints are omitted. When the hints change, the property `Options` changes.
    public func hints() async throws(DBusError) -> [String: FieldHint] {
        FieldHint.all(in: try await object.property("Options", as: [String: DBusValue].self))
    }

    /// An invocation of an action on an item by a viewer.
    public struct Invocation: Sendable, Equatable {
        /// The identifier of the item's object.
        public let objectID: String
        /// The index of the item inside of the object's section.
        public let item: UInt32
        /// The name of the action, on which viewers and the writer agree.
        public let action: String
        /// The parameters of the action.
        public let parameters: [String: DBusValue]
        /// The Unix user id of the viewer.
        public let user: UInt32
    }

    /// Subscribes to a kind of the list's signals. Several subscriptions on one connection do not disturb each other.
    ///
    /// - Parameters:
    ///   - member: the name of the signal.
    ///   - events: the word of `Subscribe` for the signal: `updates`, `display`, `working-range`, `selection`,
    ///     `near-end` or `actions`.
    ///   - body: called for each signal, until the subscription is cancelled.
    /// - Throws: the error of `Subscribe`, such as `AccessDenied` for a user who may not read the list.
    public func subscribe(
        to member: String, _ events: String, _ body: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        let rule = MatchRule(sender: ListdName.bus, path: object.path, interface: object.interface, member: member)
        // `Invoked` is a unicast signal, so it arrives without a match rule on the bus.
        let isBroadcast = object.connection.isBus && events != "actions"
        let subscription = try await object.connection.subscribe(rule, onBus: isBroadcast, body)
        do throws(DBusError) {
            var call = try Message.methodCall(
                to: object.destination, path: object.path, interface: object.interface, member: "Subscribe")
            try call.write([events])
            let reply = try await object.connection.callCreating(call) { [self] in unsubscribe($0) }
            subscription.onCancel { [self] in unsubscribe(reply) }
            return subscription
        } catch {
            subscription.cancel()
            throw error
        }
    }

    /// Ends the subscription whose number a reply to `Subscribe` contains.
    private func unsubscribe(_ reply: Message) {
        guard let (number, _) = try? reply.decode(as: UInt64.self, UInt64.self),
            var call = try? Message.methodCall(
                to: object.destination, path: object.path, interface: object.interface, member: "Unsubscribe")
        else { return }
        try? call.write(number)
        try? object.connection.callWithoutReply(call)
    }

    /// Subscribes to the actions that no section controller handles. Only the owner of the list receives them.
    ///
    /// - Parameter body: called for each action, until the subscription is cancelled.
    /// - Throws: the error of `Subscribe`, such as `AccessDenied` for a user who may not read the list.
    public func onInvoked(_ body: @escaping @DBusActor (Invocation) -> Void) async throws(DBusError) -> Subscription {
        try await subscribe(to: "Invoked", "actions") { message in
            guard
                let (id, item, action, parameters, user, _) = try? message.decode(
                    as: String.self, UInt32.self, String.self, [String: DBusValue].self, UInt32.self,
                    [String: DBusValue].self)
            else { return }
            body(Invocation(objectID: id, item: item, action: action, parameters: parameters, user: user))
        }
    }

    /// Calls `body` when a view comes near to the end of the list (the list's option `near-end-distance`), so that
    /// more objects can be loaded.
    ///
    /// - Parameter body: called with the view and its distance from the end, in points (in items for the layout
    ///   `none`).
    /// - Throws: the error of `Subscribe`, such as `AccessDenied` for a user who may not read the list.
    public func onNearEnd(
        _ body: @escaping @DBusActor (ObjectPath, Double) -> Void
    ) async throws(DBusError) -> Subscription {
        try await subscribe(to: "NearEnd", "near-end") { message in
            guard
                let (view, distance, _) = try? message.decode(
                    as: ObjectPath.self, Double.self, [String: DBusValue].self)
            else { return }
            body(view, distance)
        }
    }

    /// Finds the next object that contains a text, ignoring case. The empty text matches nothing.
    ///
    /// - Parameters:
    ///   - fields: the names of the fields to search; empty for all text fields.
    ///   - from: the first section to search. If it is past the end, a backward search begins at the last section.
    ///   - backwards: whether to search towards the beginning. The search does not wrap around.
    /// - Returns: the revision of the list that was searched, and the section and id of the match; nil if there is none.
    /// - Throws: `LimitsExceeded` while this connection has a search in progress; `AccessDenied` for a user who may
    ///   not read the list.
    public func search(
        _ text: String, in fields: [String] = [], from: UInt32 = 0, backwards: Bool = false
    ) async throws(DBusError) -> (revision: UInt64, match: (section: UInt32, objectID: String)?) {
        let (revision, isFound, index, id) = try await object.call(
            "Search", text, fields, from, backwards, returning: UInt64.self, Bool.self, UInt32.self, String.self)
        return (revision, isFound ? (index, id) : nil)
    }

    /// The state of the source of a list.
    public struct SourceStatus: Sendable, Equatable {
        /// The reason why the source cannot fill the list, or which part of it cannot be read; empty for no error.
        public let error: String
        /// The time when the list last contained the whole source, in microseconds since 1970; 0 for never, or when
        /// clients write the list.
        public let synced: UInt64
        /// The position of the source as text. Equal texts mean equal content; empty if the source reports no
        /// position.
        public let position: String
    }

    /// Reads the state of the list's source.
    ///
    /// - Throws: the error of the call, such as `AccessDenied` for a user who may not read the list.
    public func sourceStatus() async throws(DBusError) -> SourceStatus {
        SourceStatus(
            error: try await object.property("SourceError", as: String.self),
            synced: try await object.property("SourceSynced", as: UInt64.self),
            position: try await object.property("SourcePosition", as: String.self))
    }

    /// The answer of a call of `GetItemCounts`.
    public struct ItemCounts: Sendable, Equatable {
        /// The revision to which the counts belong.
        public let revision: UInt64
        /// The first section whose items are not included.
        public let nextSection: UInt32
        /// The number of items of each section.
        public let counts: [UInt32]
    }

    /// Reads the number of items of each section in a range, without the items' contents. Sections past the end of the
    /// list have no number.
    ///
    /// An answer has at most about 1 MiB. Continue at `nextSection`, and start again when the revision has changed.
    ///
    /// - Throws: the error of the call, such as `AccessDenied` for a user who may not read the list.
    public func itemCounts(from section: UInt32, limit: UInt32 = .max) async throws(DBusError) -> ItemCounts {
        let (revision, next, counts) = try await object.call(
            "GetItemCounts", section, limit, returning: UInt64.self, UInt32.self, [UInt32].self)
        return ItemCounts(revision: revision, nextSection: next, counts: counts)
    }

    /// Changes which objects of the followed list this list contains, and in which order.
    ///
    /// - Parameter argument: the text after the `?` in the option `source`, as ``ListQueryText/argument`` creates it.
    /// - Returns: the revision that contains the change.
    /// - Throws: the error of the call, such as `ReadOnly` for a list that does not follow another list.
    @discardableResult
    public func setSourceArgument(_ argument: String) async throws(DBusError) -> UInt64 {
        try await object.call("SetSourceArgument", argument, returning: UInt64.self)
    }
}

/// Parses adapter options from texts of the form `KEY=VALUE` (contract, "Adapter options").
public enum AdapterOptionText {
    /// The keys of all options, sorted.
    public static var keys: [String] { ListOption.allCases.map(\.rawValue).sorted() }

    /// Parses options.
    ///
    /// Booleans are yes/no, true/false, on/off or 1/0. `section-controllers` is a list of `TYPE=PLUGIN/CONTROLLER`,
    /// separated by commas, and `hints` a list of `FIELD=WORD`. `empty` is a list of `KEY=TEXT` whose values are all
    /// strings.
    ///
    /// - Throws: `InvalidArgs` that quotes the faulty word.
    public static func parse(_ words: [String]) throws(DBusError) -> [String: DBusValue] {
        var options: [String: DBusValue] = [:]
        for word in words {
            let (key, type, text) = try option(word)
            options[key] = try value(text, as: type, of: key)
        }
        return options
    }

    /// Checks that each word is `KEY=VALUE` and that the key is an option. Values are not checked.
    ///
    /// - Throws: `InvalidArgs` that quotes the faulty word or key.
    public static func checkKeys(of words: [String]) throws(DBusError) {
        for word in words { _ = try option(word) }
    }

    private static func option(_ word: String) throws(DBusError) -> (key: String, type: OptionValueType, text: String) {
        guard let (key, text) = split(word) else { throw .invalidArgs("“\(word)” is not KEY=VALUE") }
        guard let option = ListOption(rawValue: key) else { throw .invalidArgs("unknown option “\(key)”") }
        return (key, option.type, text)
    }

    private static func value(_ text: String, as type: OptionValueType, of key: String) throws(DBusError) -> DBusValue {
        switch type {
        case .text: return .string(text)
        case .flag:
            guard let flag = flags[text.lowercased()] else {
                throw .invalidArgs("“\(key)” takes yes or no, not “\(text)”")
            }
            return .boolean(flag)
        case .count:
            guard let count = UInt32(text) else { throw .invalidArgs("“\(key)” takes a whole number, not “\(text)”") }
            return .uint32(count)
        case .number:
            guard let number = Double(text) else { throw .invalidArgs("“\(key)” takes a number, not “\(text)”") }
            return .double(number)
        case .texts:
            let entries = try pairs(text, of: key).map {
                DBusValue.Entry(key: .string($0.key), value: .string($0.value))
            }
            return .dictionary(key: "s", value: "s", entries)
        case .fields:
            return .options(
                Dictionary(
                    try pairs(text, of: key).map { ($0.key, .string($0.value)) }, uniquingKeysWith: { _, last in last })
            )
        }
    }

    private static let flags = [
        "yes": true, "true": true, "on": true, "1": true, "no": false, "false": false, "off": false, "0": false,
    ]

    private static func pairs(_ text: String, of key: String) throws(DBusError) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for part in text.split(separator: ",") {
            guard let pair = split(String(part)) else { throw .invalidArgs("“\(part)” in “\(key)” is not KEY=VALUE") }
            pairs.append(pair)
        }
        return pairs
    }

    private static func split(_ word: String) -> (key: String, value: String)? {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else { return nil }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}

/// A hint how to display a field: the meaning of its number. The raw value is the contract's word.
public enum FieldHint: String, Sendable, Hashable, CaseIterable {
    /// A number of bytes.
    case bytes
    /// Microseconds since 1970.
    case timeInMicroseconds = "time-us"
    /// Seconds since 1970.
    case timeInSeconds = "time-s"
    /// The permission bits of a file.
    case permissions
    /// A Unix user id.
    case userID = "uid"
    /// A Unix group id.
    case groupID = "gid"
    /// A percentage.
    case percent
    /// A time span in microseconds.
    case durationInMicroseconds = "duration-us"

    /// Returns the hints by field name from the option `hints` in the options of a list. Unknown hints are omitted.
    public static func all(in options: [String: DBusValue]) -> [String: FieldHint] {
        guard case .dictionary(_, _, let entries)? = options["hints"]?.unwrapped else { return [:] }
        var hints: [String: FieldHint] = [:]
        for entry in entries {
            guard case .string(let field) = entry.key, case .string(let word) = entry.value.unwrapped else { continue }
            hints[field] = FieldHint(rawValue: word)
        }
        return hints
    }
}

/// A query that selects and sorts objects of another list, as text for the option `source` and for
/// ``AdapterClient/setSourceArgument(_:)``.
public struct ListQueryText: Sendable, Equatable {
    /// The text that objects must contain, ignoring case; empty for all objects.
    public var contains = ""
    /// The names of the text fields to search; empty for all.
    public var fields: [String] = []
    /// The type of the objects; nil for any type. The empty text selects objects without a type.
    public var type: String?
    /// The field by which objects are sorted; nil for the order of the other list.
    public var sortField: String?
    /// Whether the sort order of numbers and texts is reversed.
    public var isDescending = false
    /// The maximum number of objects; 0 for all.
    public var limit: UInt32 = 0

    /// Creates a query for all objects in the order of the other list.
    public init() {}

    /// The query as the text after the `?` in the option `source`.
    public var argument: String {
        var pairs: [String] = []
        if !contains.isEmpty { pairs.append("contains=" + Self.encode(contains)) }
        if !fields.isEmpty { pairs.append("in=" + fields.map(Self.encode).joined(separator: ",")) }
        if let type { pairs.append("type=" + Self.encode(type)) }
        // A leading minus reverses the order, so a minus at the beginning of a field's name is percent-encoded.
        if let sortField {
            let field = Self.encode(sortField)
            let name = field.hasPrefix("-") ? "%2D" + field.dropFirst() : field
            pairs.append("sort=" + (isDescending ? "-" : "") + name)
        }
        if limit > 0 { pairs.append("limit=\(limit)") }
        return pairs.joined(separator: "&")
    }

    /// Returns the option `source` of a list that follows `list` with this query.
    public func source(of list: String) -> String { "list:\(Self.encode(list))?\(argument)" }

    private static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = Self.plain.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    private static let plain = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~".utf8)
}
