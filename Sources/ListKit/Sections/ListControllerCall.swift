// SPDX-License-Identifier: Apache-2.0

/// One call of a section controller.
public struct ListControllerCall {
    /// What is called.
    @frozen public enum Callback: String, Sendable, Hashable, CaseIterable {
        /// The controller is made.
        case make
        /// `didUpdate(to:)`.
        case update
        /// `numberOfItems()`.
        case count
        /// `sizeForItem(at:)` and what else a layout needs.
        case size
        /// `item(at:)` and supplementary elements.
        case item
        /// A display delegate: will display.
        case display
        /// A display delegate: did end displaying.
        case endDisplay
        /// A working range delegate.
        case workingRange
        /// Selection and highlight.
        case selection
        /// `handleAction(_:parameters:at:)`.
        case action
        /// Reordering.
        case move
        /// A scroll delegate.
        case scroll
        /// The block of an item update.
        case batch
    }

    /// What is called.
    public let callback: Callback
    let handle: SectionHandle
    private let store: SectionStore

    init(_ callback: Callback, _ handle: SectionHandle, in store: SectionStore) {
        self.callback = callback
        self.handle = handle
        self.store = store
    }

    /// The object of the section; empty when it has left the list.
    public var objectID: String { store.id(of: handle) }

    /// The name of the section controller.
    public var controllerName: String {
        let object = store.map.object(of: handle) ?? store.map.oldObject(of: handle)
        return object.flatMap { store.knownKind(for: $0.objectType) }??.name ?? ""
    }
}
