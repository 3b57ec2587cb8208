// SPDX-License-Identifier: Apache-2.0

public import ListKit

extension TestList {
    /// Returns all items of an object's section, whether the view shows them or not; none for an unknown object.
    public func items(of id: String) -> [ListItem] {
        adapter.section(forID: id).map { adapter.items(inSection: $0) } ?? []
    }

    /// The present picture of the view: its cells, headers and footers with their frames.
    public var picture: Picture {
        get throws(ListError) { try adapter.resync(view: Self.view) }
    }

    /// Returns the cells, headers and footers of an object that the view shows.
    public func shown(of id: String) throws(ListError) -> [PictureItem] {
        try picture.items.filter { $0.objectID == id }
    }

    /// Returns the header or footer of an object's section, as the view shows it; `nil` when it is not shown.
    public func shown(_ kind: ElementKind, of id: String) throws(ListError) -> PictureItem? {
        try shown(of: id).first { $0.kind == kind }
    }

    /// Returns the section controller of an object.
    public func sectionController(of id: String) -> ListSectionController? { adapter.sectionController(forID: id) }

    /// The faults of section controllers since the list was made, such as negative counts, sizes that are not finite,
    /// and repeated identities.
    public var faults: [SectionFault] {
        events.compactMap { event in
            if case .sectionFault(let fault) = event { fault } else { nil }
        }
    }
}
