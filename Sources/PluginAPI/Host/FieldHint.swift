// SPDX-License-Identifier: Apache-2.0

/// The meaning of a numeric field, by which viewers format it. The raw values are those of the option `hints`.
public enum FieldHint: String, Sendable, Hashable, CaseIterable {
    /// A number of bytes.
    case bytes
    /// Microseconds since 1970.
    case timeInMicroseconds = "time-us"
    /// Seconds since 1970.
    case timeInSeconds = "time-s"
    /// Permission bits of a file.
    case permissions
    /// The id of a Unix user.
    case userID = "uid"
    /// The id of a Unix group.
    case groupID = "gid"
    /// A percentage.
    case percent
    /// A time span in microseconds.
    case durationInMicroseconds = "duration-us"
}
