// SPDX-License-Identifier: Apache-2.0

/// What a derived list tells the list that shows it.
@_spi(Daemon) @frozen public enum DerivedChange: Sendable {
    /// The whole list; the engine finds out what changed.
    case replace([ListObject])
    /// Identifiers that are gone; then objects that are others, or elsewhere, or new, in the order in which they are put in.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
}
