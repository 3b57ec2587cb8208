// SPDX-License-Identifier: Apache-2.0

/// The role of an element in its section.
@frozen public enum ElementKind: String, Sendable, Hashable, CaseIterable {
    /// One of the section's items.
    case cell
    /// The supplementary view before the items.
    case header
    /// The supplementary view after the items.
    case footer
}
