// SPDX-License-Identifier: Apache-2.0

/// A change of a ``DerivedList``, to be applied to the list that presents its objects to clients.
@_spi(Daemon) @frozen public enum DerivedChange: Sendable {
    /// All objects of the derived list, to be diffed with the present objects.
    case replace([ListObject])
    /// The identifiers of removed objects, and the upserts of changed, moved and new objects, in the order in which
    /// to apply them.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
}
