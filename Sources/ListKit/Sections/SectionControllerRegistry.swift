// SPDX-License-Identifier: Apache-2.0

/// The section controllers of a list, with the cache of their kinds and the faults of their sections.
struct SectionControllerRegistry {
    /// The kinds of types. The references to the types prevent others from getting the same `ObjectIdentifier`.
    private var kinds: [ObjectIdentifier: (type: ObjectType, kind: ListSectionControllerKind?)] = [:]
    /// The controllers that exist.
    private(set) var controllers: [SectionHandle: ListSectionController] = [:]
    /// The sections whose controllers are released when unused, because their kinds have traits.
    private(set) var transient: Set<SectionHandle> = []
    /// The sections whose controllers may be unused. A section may be contained more than once.
    private var releaseCandidates: [SectionHandle] = []
    /// The sections whose controllers are being made, at most 32 (``CallGate``).
    private var making: [SectionHandle] = []
    /// The reasons why sections show error items.
    private(set) var faults: [SectionHandle: String] = [:]

    /// The maximum number of types whose kinds are cached.
    private static let maximumKinds = 4096

    /// Returns the cached kind of a type: `nil` if the type was never looked up, `.some(nil)` if the provider has no
    /// kind.
    func cachedKind(for type: ObjectType) -> ListSectionControllerKind?? { kinds[ObjectIdentifier(type)].map(\.kind) }

    mutating func cache(_ kind: ListSectionControllerKind?, for type: ObjectType) {
        if kinds.count >= SectionControllerRegistry.maximumKinds { kinds.removeAll() }
        kinds[ObjectIdentifier(type)] = (type, kind)
    }

    mutating func removeCachedKinds() { kinds.removeAll() }

    /// Records that a section's controller is being made. Returns `false` if it was already being made.
    mutating func beginMaking(_ handle: SectionHandle) -> Bool {
        if making.contains(handle) { return false }
        making.append(handle)
        return true
    }

    /// Records that a section's controller has been made.
    mutating func endMaking(_ handle: SectionHandle) { making.removeAll { $0 == handle } }

    mutating func insert(_ controller: ListSectionController, for handle: SectionHandle, isTransient: Bool) {
        controllers[handle] = controller
        guard isTransient else { return }
        transient.insert(handle)
        releaseCandidates.append(handle)
    }

    /// Records that the controllers of some sections may be unused.
    mutating func addReleaseCandidates(_ handles: some Sequence<SectionHandle>) {
        releaseCandidates += handles
    }

    /// Removes the unused controllers of ``transient`` and returns them. The caller releases them, because they may
    /// call the list from `deinit`.
    ///
    /// - Parameters:
    ///   - kept: a section whose controller is not removed.
    ///   - isInUse: returns whether any view shows a section or has the section in range.
    mutating func removeUnused(
        except kept: SectionHandle?, isInUse: (SectionHandle) -> Bool
    ) -> [ListSectionController] {
        var removed: [ListSectionController] = []
        for handle in releaseCandidates where handle != kept && transient.contains(handle) && !isInUse(handle) {
            if let controller = remove(handle) { removed.append(controller) }
        }
        releaseCandidates.removeAll { $0 != kept }
        return removed
    }

    /// Removes the controller of a section from the list and returns it.
    @discardableResult
    mutating func remove(_ handle: SectionHandle) -> ListSectionController? {
        transient.remove(handle)
        let controller = controllers.removeValue(forKey: handle)
        controller?.setLink(nil)
        return controller
    }

    func isInUse(_ handle: SectionHandle) -> Bool { controllers[handle] != nil || faults[handle] != nil }

    mutating func setFault(_ reason: String, of handle: SectionHandle) { faults[handle] = reason }

    mutating func clearFault(of handle: SectionHandle) { faults[handle] = nil }
}

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
