// SPDX-License-Identifier: Apache-2.0

/// The connection of a section controller with its list and its section.
final class SectionLink {
    /// The list. The reference is weak, so that a controller that outlives its list is in no list (rule AD-36).
    private(set) weak var host: (any SectionContextHost)?
    /// The section.
    let handle: SectionHandle

    init(host: (any SectionContextHost)?, handle: SectionHandle) {
        self.host = host
        self.handle = handle
    }
}
