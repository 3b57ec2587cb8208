// SPDX-License-Identifier: Apache-2.0

/// Ties a section controller to its adapter and to its section.
final class SectionLink {
    /// Weak, so that a controller that outlives its adapter is in no list (rule AD-36).
    weak var adapter: ListAdapter?
    /// The section, whatever its number.
    let handle: SectionHandle

    init(adapter: ListAdapter, handle: SectionHandle) {
        self.adapter = adapter
        self.handle = handle
    }
}
