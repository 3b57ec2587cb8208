// SPDX-License-Identifier: Apache-2.0

/// The section controllers of a list: known kinds, existing controllers, and faults of sections.
struct SectionControllerRegistry {
    /// A kind and its type; keeping the type prevents another one from getting the same object identifier.
    private struct KnownType {
        let type: ObjectType
        let kind: ListSectionControllerKind?
    }

    private var kinds: [ObjectIdentifier: KnownType] = [:]
    /// The controllers that exist.
    private(set) var controllers: [SectionHandle: ListSectionController] = [:]
    /// Sections whose controllers are of kinds with traits, and are released when unused.
    private(set) var transient: Set<SectionHandle> = []
    /// Those of them that nobody may need.
    private(set) var unneeded: Set<SectionHandle> = []
    /// The sections whose controllers are being made.
    private var making: Set<SectionHandle> = []
    /// Why sections show error items.
    private(set) var faults: [SectionHandle: String] = [:]

    /// The most types whose kind is remembered.
    private static let maximumKinds = 4096

    /// The kind of a type as it was looked up before; `nil` if it was not.
    func knownKind(for type: ObjectType) -> ListSectionControllerKind?? { kinds[ObjectIdentifier(type)].map(\.kind) }

    mutating func remember(_ kind: ListSectionControllerKind?, for type: ObjectType) {
        if kinds.count >= SectionControllerRegistry.maximumKinds { kinds.removeAll() }
        kinds[ObjectIdentifier(type)] = KnownType(type: type, kind: kind)
    }

    mutating func forgetKinds() { kinds.removeAll() }

    /// Records that a section's controller is being made; returns false if it was already.
    mutating func beginMaking(_ handle: SectionHandle) -> Bool { making.insert(handle).inserted }

    /// Records that it has been made.
    mutating func endMaking(_ handle: SectionHandle) { making.remove(handle) }

    mutating func keep(_ controller: ListSectionController, for handle: SectionHandle, isTransient: Bool) {
        controllers[handle] = controller
        guard isTransient else { return }
        transient.insert(handle)
        unneeded.insert(handle)
    }

    /// Records that a section may be needed no longer.
    mutating func markUnneeded(_ handle: SectionHandle) {
        if transient.contains(handle) { unneeded.insert(handle) }
    }

    /// Records that a section is needed.
    mutating func markNeeded(_ handle: SectionHandle) { unneeded.remove(handle) }

    /// Removes a controller from the list.
    @discardableResult
    mutating func remove(_ handle: SectionHandle) -> ListSectionController? {
        transient.remove(handle)
        unneeded.remove(handle)
        let controller = controllers.removeValue(forKey: handle)
        controller?.setLink(nil)
        return controller
    }

    /// Whether a section has a controller or a fault.
    func isInUse(_ handle: SectionHandle) -> Bool { controllers[handle] != nil || faults[handle] != nil }

    mutating func setFault(_ reason: String, of handle: SectionHandle) { faults[handle] = reason }

    mutating func clearFault(of handle: SectionHandle) { faults[handle] = nil }
}
