// SPDX-License-Identifier: Apache-2.0

/// A change of a derived list, for the list that shows it.
@_spi(Daemon) @frozen public enum DerivedChange: Sendable {
    /// The whole list, which is diffed.
    case replace([ListObject])
    /// Removed identifiers; then changed, moved and new objects, in the order in which they are upserted.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
}
