// SPDX-License-Identifier: Apache-2.0

/// Caches the kind of section controllers that was looked up last, for loops over objects.
///
/// Neighbours mostly have the same type, and the lookup is the largest part of the cost of an object.
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

    /// Whether a change of an object reloads its section, with all that is needed known from the traits of its kind.
    mutating func reloadsUnseen(_ object: ListObject, in store: SectionStore) -> Bool {
        find(for: object, in: store)
        return numberOfItems != nil && !hasViewModels
    }

    /// The number of items of an object by the traits of its kind, adding the content that its section does not show.
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
