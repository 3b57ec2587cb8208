// SPDX-License-Identifier: Apache-2.0

/// The section controllers of a list: which kinds there are, which controllers exist, and which sections are at fault.
struct SectionControllerRegistry {
    /// A kind and the type that it is for; the type is kept so that its identity stays its own.
    private struct KnownType {
        let type: ObjectType
        let kind: ListSectionControllerKind?
    }

    private var kinds: [ObjectIdentifier: KnownType] = [:]
    /// The controllers that exist.
    private(set) var controllers: [SectionHandle: ListSectionController] = [:]
    /// Controllers of kinds with traits: they are given back when nobody needs them.
    private(set) var transient: Set<SectionHandle> = []
    /// Those of them that nobody may need.
    private(set) var unneeded: Set<SectionHandle> = []
    /// The sections whose controllers are being made.
    private var making: Set<SectionHandle> = []
    /// Why a section shows error items.
    private(set) var faults: [SectionHandle: String] = [:]

    /// The most types whose kind is remembered.
    private static let maximumKinds = 4096

    /// What is known of a type, without asking.
    func knownKind(for type: ObjectType) -> ListSectionControllerKind?? { kinds[ObjectIdentifier(type)].map(\.kind) }

    mutating func remember(_ kind: ListSectionControllerKind?, for type: ObjectType) {
        if kinds.count >= SectionControllerRegistry.maximumKinds { kinds.removeAll() }
        kinds[ObjectIdentifier(type)] = KnownType(type: type, kind: kind)
    }

    mutating func forgetKinds() { kinds.removeAll() }

    /// Records that a section's controller is being made; answers whether it was not already.
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

    /// Gives a controller back; it is in no list from now on.
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
