// SPDX-License-Identifier: Apache-2.0

/// The kind of section controllers that was looked up last, while a list is gone through.
///
/// Neighbours mostly have one type, and looking its kind up costs more than all else that is done for an object.
struct LastKind {
    private var type: ObjectType?
    private var isKnown = false
    private var numberOfItems: (@Sendable (ListObject) -> Int)?
    private var hasViewModels = false
    private var countItems: (@Sendable (ListObject, ListContainer, inout ContentLosses) -> Int)?

    /// Whether there is a kind for an object.
    mutating func isKnown(for object: ListObject, in store: SectionStore) -> Bool {
        find(for: object, in: store)
        return isKnown
    }

    /// The number of items of an object by the traits of its kind; `nil` when the section has to be asked.
    mutating func itemCount(of object: ListObject, in store: SectionStore) -> Int? {
        find(for: object, in: store)
        guard let count = numberOfItems?(object), (0...SectionStore.maximumItemCount).contains(count) else {
            return nil
        }
        return count
    }

    /// Whether a change of an object is a reload of its section, and all of it is known from its kind's traits.
    mutating func reloadsUnseen(_ object: ListObject, in store: SectionStore) -> Bool {
        find(for: object, in: store)
        return numberOfItems != nil && !hasViewModels
    }

    /// The number of items of an object likewise, adding what its section does not show of it.
    mutating func itemCount(
        of object: ListObject, in store: SectionStore, container: ListContainer, adding losses: inout ContentLosses
    ) -> Int? {
        find(for: object, in: store)
        guard let countItems else { return itemCount(of: object, in: store) }
        let count = countItems(object, container, &losses)
        return count <= SectionStore.maximumItemCount ? count : nil
    }

    private mutating func find(for object: ListObject, in store: SectionStore) {
        if type != nil, object.hasType(type) { return }
        type = object.objectType
        let kind = store.kind(for: object)
        isKnown = kind != nil
        numberOfItems = kind?.traits?.numberOfItems
        hasViewModels = kind?.traits?.viewModels != nil
        countItems = kind?.traits?.countItems
    }
}
