// SPDX-License-Identifier: Apache-2.0

public import DBus

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
