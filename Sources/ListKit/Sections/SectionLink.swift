// SPDX-License-Identifier: Apache-2.0

/// The connection of a section controller with its list and its section.
final class SectionLink {
    /// The list. The reference is weak, so that a controller that outlives its list is in no list (rule AD-36).
    private(set) weak var host: (any SectionContextHost)?
    /// The section.
    let handle: SectionHandle

    init(host: any SectionContextHost, handle: SectionHandle) {
        self.host = host
        self.handle = handle
    }

    /// The controller; `nil` while it is being made, and after it was replaced or its section removed.
    var controller: ListSectionController? {
        guard let controller = host?.store.existingController(of: handle), controller.link === self else { return nil }
        return controller
    }
}
