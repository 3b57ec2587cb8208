// SPDX-License-Identifier: Apache-2.0

public import ListKit

extension TestList {
    /// All items of an object's section, in the view or not; none for an unknown object.
    public func items(of id: String) -> [ListItem] {
        adapter.section(forID: id).map { adapter.items(inSection: $0) } ?? []
    }

    /// Everything that the view shows now: cells, headers and footers with their frames.
    public var picture: Picture {
        get throws(ListError) { try adapter.resync(view: Self.view) }
    }

    /// The items of an object that the view shows.
    public func shown(of id: String) throws(ListError) -> [PictureItem] {
        try picture.items.filter { $0.objectID == id }
    }

    /// The header or footer of an object's section, as the view shows it; `nil` when it is not shown.
    public func shown(_ kind: ElementKind, of id: String) throws(ListError) -> PictureItem? {
        try shown(of: id).first { $0.kind == kind }
    }

    /// The section controller of an object.
    public func sectionController(of id: String) -> ListSectionController? { adapter.sectionController(forID: id) }

    /// Faults of section controllers: negative counts, sizes that are not finite, repeated identities, ….
    public var faults: [SectionFault] {
        events.compactMap { event in
            if case .sectionFault(let fault) = event { fault } else { nil }
        }
    }
}
