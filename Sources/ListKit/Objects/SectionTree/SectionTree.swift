// SPDX-License-Identifier: Apache-2.0

/// The sections of a list in their order, with the state before and after an open transaction side by side.
///
/// Every edit names objects or positions *after* the edits before it, and can be taken back; until `commit()` both states can
/// be asked: which section is at an index, which index an object has, how many items lie before a section. Removing keeps the
/// section for the old state, inserting adds it to the new state only, moving does both, replacing keeps the object before.
///
/// Edits and questions cost O(log n), `commit()` and `rollback()` O(changes · log n), and so do `changes()`. A section takes
/// about 32 bytes besides its object. Identifiers are unique; the tree has one owner and is not shared.
@_spi(Benchmarks) public struct SectionTree: ~Copyable {
    /// The payload of a section that has none.
    public static let noPayload: Int32 = -1

    /// One section in one state.
    public struct Section {
        /// The object.
        public var object: ListObject
        /// How many items the section has.
        public var itemCount: Int
        /// A number that the tree's owner keeps with the section, as the index of its section controller; it follows the
        /// section when it moves.
        public var payload: Int32
    }

    /// A point in the transaction to which `rollback(to:)` returns.
    struct Savepoint {
        fileprivate(set) var steps: Int
    }

    /// What a section was before the transaction changed it.
    struct OldVersion {
        let object: ListObject
        let items: Int32
    }

    /// An edit, as far as it is needed to take it back.
    enum Step {
        /// A slot was made; its identifier led to another slot before, or to none.
        case inserted(slot: Int, previous: Int?)
        case removed(slot: Int)
        case replaced(slot: Int, version: OldVersion, isFirst: Bool)
    }

    var order: SectionOrder
    var identifiers: IdentifierIndex
    var objects = Slabs<ListObject?>(blockSize: 1024, filler: nil)
    var payloads = Slabs<Int32>(blockSize: 1024, filler: SectionTree.noPayload)
    var slotCount = 0
    var freeSlots: [Int] = []

    /// The edits of the open transaction.
    var steps: [Step] = []
    /// For a slot made in the transaction, the slot that its object had before.
    var origins: [Int: Int] = [:]
    /// What changed slots were before the transaction.
    var oldVersions: [Int: OldVersion] = [:]

    /// Makes a tree without sections.
    public init() {
        order = SectionOrder()
        identifiers = IdentifierIndex()
    }

    /// Whether a transaction is open: something was edited since the last commit or rollback.
    var hasOpenTransaction: Bool { !steps.isEmpty }

    /// Where `rollback(to:)` may come back to: the edits so far.
    var savepoint: Savepoint { Savepoint(steps: steps.count) }

    /// The hash of the identifier in a slot.
    @inline(__always)
    func hash(ofSlot slot: Int) -> UInt64 { objects[slot]?.storage.identity.hash ?? 0 }

    /// The slot that an identifier leads to, which may be there in one state only.
    func slot(of object: ListObject) -> Int? {
        identifiers.find(hash: object.storage.identity.hash) { slot in
            objects[slot]?.isSame(as: object) ?? false
        }
    }

    /// The slot that the bytes of an identifier lead to.
    func slot(ofID id: Span<UInt8>) -> Int? {
        guard id.count <= ObjectIdentity.maximumLength else { return nil }
        let identity = ObjectIdentity(of: id)
        return identifiers.find(hash: identity.hash) { slot in
            guard let object = objects[slot], object.storage.identity == identity else { return false }
            return object.storage.withID { $0.isIdenticalBytes(to: id) }
        }
    }

    /// Where what an identifier was or is in one state stands, given the slot that it leads to.
    func place(ofSlot slot: Int?, in side: ListSide) -> SectionOrder.Place? {
        guard let slot else { return nil }
        let place = order.place(ofSlot: slot)
        if order.word(at: place).isPresent(side) { return place }
        return side == .old ? origins[slot].map { order.place(ofSlot: $0) } : nil
    }

    /// The slot that holds what an identifier was or is in one state, given the slot that it leads to.
    func slot(_ slot: Int?, in side: ListSide) -> Int? {
        place(ofSlot: slot, in: side).map { order.word(at: $0).slot }
    }
}
