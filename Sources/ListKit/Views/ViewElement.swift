// SPDX-License-Identifier: Apache-2.0

/// One element that a view shows: a cell, a header, a footer, or the empty view.
struct ViewElement: Equatable {
    let key: ElementKey
    /// The section's number when this was found out.
    let section: Int
    let frame: Rect
    let z: Int64
}

/// Names an element across scroll steps; a transaction may give its items other indexes.
struct ElementKey: Hashable {
    /// The section; `nil` for the empty view.
    let handle: SectionHandle?
    let kind: ElementKind
    /// The item; 0 for header and footer.
    let index: Int

    /// The key after a transaction; `nil` when its item is gone.
    func forwarded(by forwarding: [SectionHandle: IndexForwarding]) -> ElementKey? {
        guard kind == .cell, let handle, let forward = forwarding[handle] else { return self }
        return forward(index).map { ElementKey(handle: handle, kind: kind, index: $0) }
    }
}

extension ViewElement {
    /// Section by section, header first and footer last.
    static func isBefore(_ first: ViewElement, _ second: ViewElement) -> Bool {
        (first.section, first.key.kind.order, first.key.index) < (
            second.section, second.key.kind.order, second.key.index
        )
    }
}

extension ElementKind {
    /// The place of a kind inside its section.
    fileprivate var order: Int {
        switch self {
        case .header: 0
        case .cell: 1
        case .footer: 2
        }
    }
}
