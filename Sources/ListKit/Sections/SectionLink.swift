// SPDX-License-Identifier: Apache-2.0

/// Ties a section controller to its list and to its section.
final class SectionLink {
    /// Weak, so that a controller that outlives its list is in no list (rule AD-36).
    private(set) weak var host: (any SectionContextHost)?
    /// The section, whatever its number.
    let handle: SectionHandle

    init(host: (any SectionContextHost)?, handle: SectionHandle) {
        self.host = host
        self.handle = handle
    }
}
