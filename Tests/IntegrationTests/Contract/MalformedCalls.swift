// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

/// A malformed call, and the exact error that it must get.
struct MalformedCall: Sendable, CustomTestStringConvertible {
    /// The object on which the method is called.
    enum Target: Sendable {
        case manager, adapter, view
        /// A view with the layout `none`.
        case rangeView
        /// The given path and interface.
        case path(String, String)
    }

    var target: Target
    var member: String
    var arguments: [DBusValue]
    /// The name of the error without its prefix, which is listd's or, for a standard error, D-Bus's.
    var error: String
    /// Words that the message must contain, because it names the thing at fault.
    var mentions: [String]

    init(
        _ target: Target, _ member: String, _ arguments: [DBusValue], _ error: String, _ mentions: String...
    ) {
        self.target = target
        self.member = member
        self.arguments = arguments
        self.error = error
        self.mentions = mentions
    }

    var testDescription: String { "\(target).\(member) → \(error)" }

    /// The full name of the error.
    var errorName: String {
        let standard = [
            "UnknownObject", "UnknownInterface", "UnknownMethod", "UnknownProperty", "PropertyReadOnly", "InvalidArgs",
            "AccessDenied", "LimitsExceeded",
        ]
        return standard.contains(error) ? Listd.standardError(error) : Listd.error(error)
    }
}

// MARK: - Values

extension DBusValue {
    static let noOptions = DBusValue.options([:])

    /// `a(ssa{sv})`.
    static func rows(_ rows: [DBusValue]) -> DBusValue { .array(element: "(ssa{sv})", rows) }

    static func row(_ id: String, _ type: String = "", _ fields: [String: DBusValue] = [:]) -> DBusValue {
        .structure([.string(id), .string(type), .options(fields)])
    }

    /// `a(ssssa{sv})`.
    static func upserts(_ upserts: [DBusValue]) -> DBusValue { .array(element: "(ssssa{sv})", upserts) }

    static func upsert(
        _ id: String, _ position: String, _ anchor: String = "", _ fields: [String: DBusValue] = [:]
    ) -> DBusValue {
        .structure([.string(id), .string(""), .string(position), .string(anchor), .options(fields)])
    }

    /// A value inside the given number of nested containers, as `av` in `av` in …. Each array counts as two
    /// containers, because its variant counts too.
    static func nested(_ containers: Int) -> DBusValue {
        var value = DBusValue.string("deep")
        for _ in 0..<containers / 2 { value = .array(element: "v", [.variant(value)]) }
        return containers % 2 == 1 ? .structure([value]) : value
    }
}
