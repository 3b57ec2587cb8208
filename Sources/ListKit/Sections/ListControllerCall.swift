// SPDX-License-Identifier: Apache-2.0

/// A call of a section controller, as observers see it.
public struct ListControllerCall {
    /// The method, closure or delegate of a section controller that is called.
    @frozen public enum Callback: String, Sendable, Hashable, CaseIterable {
        /// The closure that makes the controller.
        case make
        /// `didUpdate(to:)`.
        case update
        /// `numberOfItems()`.
        case count
        /// `sizeForItem(at:)`, and the other values that a layout needs.
        case size
        /// `item(at:)`, and the content of supplementary views.
        case item
        /// The `willDisplay` methods of a display delegate, and the initial frame of a transition.
        case display
        /// The `didEndDisplaying` methods of a display delegate, and the final frame of a transition.
        case endDisplay
        /// The methods of a working range delegate.
        case workingRange
        /// The methods for selection and highlight.
        case selection
        /// `handleAction(_:parameters:at:)`.
        case action
        /// The methods for reordering, such as `canMoveItem(at:)`.
        case move
        /// The method of a scroll delegate.
        case scroll
        /// The `updates` closure of an item update.
        case batch
    }

    /// The method, closure or delegate that is called.
    public let callback: Callback
    let handle: SectionHandle
    private let store: SectionStore

    init(_ callback: Callback, _ handle: SectionHandle, in store: SectionStore) {
        self.callback = callback
        self.handle = handle
        self.store = store
    }

    /// The identifier of the section's object; empty when the object has left the list.
    public var objectID: String { store.id(of: handle) }

    /// The name of the section controller's kind; empty when the kind is unknown.
    public var controllerName: String {
        let object = store.map.object(of: handle) ?? store.map.oldObject(of: handle)
        return object.flatMap { store.cachedKind(for: $0.objectType) }??.name ?? ""
    }
}
