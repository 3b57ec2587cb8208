// SPDX-License-Identifier: Apache-2.0

/// How a field should be shown: the meaning of its number; the raw value is the word of the option `hints`.
public enum FieldHint: String, Sendable, Hashable, CaseIterable {
    /// A number of bytes.
    case bytes
    /// Microseconds since 1970.
    case timeInMicroseconds = "time-us"
    /// Seconds since 1970.
    case timeInSeconds = "time-s"
    /// Permission bits of a file.
    case permissions
    /// A Unix user.
    case userID = "uid"
    /// A Unix group.
    case groupID = "gid"
    /// A percentage.
    case percent
    /// A time span in microseconds.
    case durationInMicroseconds = "duration-us"
}
