// SPDX-License-Identifier: Apache-2.0

/// The names of listd's errors that programs handle specially, for comparison with `DBusError.name`.
public enum ListdErrorName {
    /// No list has the given name.
    public static let noSuchAdapter = ListdName.errorPrefix + "NoSuchAdapter"
    /// The list does not contain the object.
    public static let noSuchObject = ListdName.errorPrefix + "NoSuchObject"
    /// The revision of the list differs from the one that the caller expected.
    public static let revisionConflict = ListdName.errorPrefix + "RevisionConflict"
    /// The requested revision is no longer kept or belongs to another epoch.
    public static let revisionGone = ListdName.errorPrefix + "RevisionGone"
}
