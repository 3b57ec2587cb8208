// SPDX-License-Identifier: Apache-2.0

/// A cache of the section controller kind that was looked up last, for loops over objects.
///
/// Adjacent objects mostly have the same type, and the lookup is the largest part of the cost of an object.
struct LastKind {
    private var type: ObjectType?
    private var isKnown = false
    private var numberOfItems: (@Sendable (ListObject) -> Int)?
    private var hasViewModels = false
    private var countItems: (@Sendable (ListObject, ListContainer, inout ContentLosses) -> Int)?

    /// Returns whether there is a kind of section controller for an object.
    mutating func isKnown(for object: ListObject, in store: SectionStore) -> Bool {
        lookUpKind(for: object, in: store)
        return isKnown
    }

    /// Returns the number of items that an object has by the traits of its kind, or `nil` if its controller must be
    /// asked.
    mutating func itemCount(of object: ListObject, in store: SectionStore) -> Int? {
        lookUpKind(for: object, in: store)
        guard let count = numberOfItems?(object), (0...SectionStore.maximumItemCount).contains(count) else {
            return nil
        }
        return count
    }

    /// Returns whether a change of an object reloads its section and the traits of its kind suffice for the reload.
    mutating func reloadsWithoutController(_ object: ListObject, in store: SectionStore) -> Bool {
        lookUpKind(for: object, in: store)
        return numberOfItems != nil && !hasViewModels
    }

    /// Returns the number of items that an object has by the traits of its kind, or `nil` if its controller must be
    /// asked.
    ///
    /// Adds to `losses` the content that the section does not show.
    mutating func itemCount(
        of object: ListObject, in store: SectionStore, container: ListContainer, adding losses: inout ContentLosses
    ) -> Int? {
        lookUpKind(for: object, in: store)
        guard let countItems else { return itemCount(of: object, in: store) }
        let count = countItems(object, container, &losses)
        return count <= SectionStore.maximumItemCount ? count : nil
    }

    private mutating func lookUpKind(for object: ListObject, in store: SectionStore) {
        if type != nil, object.hasType(type) { return }
        type = object.objectType
        let kind = store.kind(for: object)
        isKnown = kind != nil
        numberOfItems = kind?.traits?.numberOfItems
        hasViewModels = kind?.traits?.viewModels != nil
        countItems = kind?.traits?.countItems
    }
}
