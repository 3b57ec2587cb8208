// SPDX-License-Identifier: Apache-2.0

/// The section controllers of a list, with the cache of their kinds and the faults of their sections.
struct SectionControllerRegistry {
    /// A kind and its type. The reference to the type prevents another type from getting the same `ObjectIdentifier`.
    private struct CachedKind {
        let type: ObjectType
        let kind: ListSectionControllerKind?
    }

    private var kinds: [ObjectIdentifier: CachedKind] = [:]
    /// The controllers that exist.
    private(set) var controllers: [SectionHandle: ListSectionController] = [:]
    /// The sections whose controllers are released when unused, because their kinds have traits.
    private(set) var transient: Set<SectionHandle> = []
    /// The sections in ``transient`` whose controllers may be unused.
    private(set) var releaseCandidates: Set<SectionHandle> = []
    /// The sections whose controllers are being made.
    private var making: Set<SectionHandle> = []
    /// The reasons why sections show error items.
    private(set) var faults: [SectionHandle: String] = [:]

    /// The maximum number of types whose kinds are cached.
    private static let maximumKinds = 4096

    /// Returns the cached kind of a type: `nil` if the type was never looked up, `.some(nil)` if the provider has no
    /// kind.
    func cachedKind(for type: ObjectType) -> ListSectionControllerKind?? { kinds[ObjectIdentifier(type)].map(\.kind) }

    mutating func cache(_ kind: ListSectionControllerKind?, for type: ObjectType) {
        if kinds.count >= SectionControllerRegistry.maximumKinds { kinds.removeAll() }
        kinds[ObjectIdentifier(type)] = CachedKind(type: type, kind: kind)
    }

    mutating func removeCachedKinds() { kinds.removeAll() }

    /// Records that a section's controller is being made. Returns `false` if it was already being made.
    mutating func beginMaking(_ handle: SectionHandle) -> Bool { making.insert(handle).inserted }

    /// Records that a section's controller has been made.
    mutating func endMaking(_ handle: SectionHandle) { making.remove(handle) }

    mutating func insert(_ controller: ListSectionController, for handle: SectionHandle, isTransient: Bool) {
        controllers[handle] = controller
        guard isTransient else { return }
        transient.insert(handle)
        releaseCandidates.insert(handle)
    }

    /// Records that the controller of a section may be unused.
    mutating func addReleaseCandidate(_ handle: SectionHandle) {
        if transient.contains(handle) { releaseCandidates.insert(handle) }
    }

    /// Records that the controller of a section is in use.
    mutating func removeReleaseCandidate(_ handle: SectionHandle) { releaseCandidates.remove(handle) }

    /// Removes the controller of a section from the list and returns it.
    @discardableResult
    mutating func remove(_ handle: SectionHandle) -> ListSectionController? {
        transient.remove(handle)
        releaseCandidates.remove(handle)
        let controller = controllers.removeValue(forKey: handle)
        controller?.setLink(nil)
        return controller
    }

    /// Whether a section has a controller or a fault.
    func isInUse(_ handle: SectionHandle) -> Bool { controllers[handle] != nil || faults[handle] != nil }

    mutating func setFault(_ reason: String, of handle: SectionHandle) { faults[handle] = reason }

    mutating func clearFault(of handle: SectionHandle) { faults[handle] = nil }
}
