// SPDX-License-Identifier: Apache-2.0

/// One element that a view shows: a cell, a header, a footer, or the empty view.
struct ViewElement: Equatable {
    let key: ElementKey
    /// The section's position when the element was computed.
    let section: Int
    let frame: Rect
    let z: Int64
    /// The first and the last position along the scroll axis of a sticky element.
    var travel: ClosedRange<Double>?
}

/// Identifies an element across scroll steps. A transaction may change the index of the item; see ``forwarded(by:)``.
struct ElementKey: Hashable {
    /// The section; `nil` for the empty view.
    let handle: SectionHandle?
    let kind: ElementKind
    /// The index of the item; 0 for header and footer.
    let index: Int

    /// Returns the key after a transaction, or `nil` if the item was removed.
    func forwarded(by forwarding: [SectionHandle: PositionMap]) -> ElementKey? {
        guard kind == .cell, let handle, let forward = forwarding[handle] else { return self }
        return forward(index).map { ElementKey(handle: handle, kind: kind, index: $0) }
    }
}

extension ViewElement {
    /// Orders elements by section, and within a section the header first and the footer last.
    static func isBefore(_ first: ViewElement, _ second: ViewElement) -> Bool {
        (first.section, first.key.kind.order, first.key.index) < (
            second.section, second.key.kind.order, second.key.index
        )
    }
}

extension ElementKind {
    /// The rank of a kind within a section.
    fileprivate var order: Int {
        switch self {
        case .header: 0
        case .cell: 1
        case .footer: 2
        }
    }
}
