// SPDX-License-Identifier: Apache-2.0

/// The names of those errors of listd to which programs react, as in `DBusError.name`.
public enum ListdErrorName {
    /// No list has this name.
    public static let noSuchAdapter = ListdName.errorPrefix + "NoSuchAdapter"
    /// The list has no such object.
    public static let noSuchObject = ListdName.errorPrefix + "NoSuchObject"
    /// The list has another revision than the caller expected.
    public static let revisionConflict = ListdName.errorPrefix + "RevisionConflict"
    /// The requested revision is too old to be kept, or has another epoch.
    public static let revisionGone = ListdName.errorPrefix + "RevisionGone"
}
