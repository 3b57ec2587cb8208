/// The questions about elements of any type, behind one dynamic call each.
protocol DiffElements: AnyObject {
    func isSame(_ old: Int, _ new: Int) -> Bool
    func isSameOld(_ old: Int, _ other: Int) -> Bool
    func isSameNew(_ new: Int, _ other: Int) -> Bool
    func isChanged(_ old: Int, _ new: Int) -> Bool
}

/// Elements of any type: their hashes in flat arrays, so that the engine asks about an element only when hashes agree.
struct ElementDiffSource: DiffSource {
    let oldHashes: [UInt64]
    let newHashes: [UInt64]
    let elements: any DiffElements

    var oldCount: Int { oldHashes.count }

    var newCount: Int { newHashes.count }

    @inline(__always)
    func oldHash(_ old: Int) -> UInt64 { oldHashes[old] }

    @inline(__always)
    func newHash(_ new: Int) -> UInt64 { newHashes[new] }

    @inline(__always)
    func isSame(_ old: Int, _ new: Int) -> Bool {
        oldHashes[old] == newHashes[new] && elements.isSame(old, new)
    }

    @inline(__always)
    func isSameOld(_ old: Int, _ other: Int) -> Bool {
        oldHashes[old] == oldHashes[other] && elements.isSameOld(old, other)
    }

    @inline(__always)
    func isSameNew(_ new: Int, _ other: Int) -> Bool {
        newHashes[new] == newHashes[other] && elements.isSameNew(new, other)
    }

    @inline(__always)
    func isChanged(_ old: Int, _ new: Int) -> Bool { elements.isChanged(old, new) }
}

/// Elements of one type and their identifiers.
final class TypedElements<Element: ListDiffable>: DiffElements {
    private let old: [Element]
    private let new: [Element]
    let oldIdentifiers: [Element.DiffIdentifier]
    let newIdentifiers: [Element.DiffIdentifier]
    private let option: ListDiffOption

    init(old: [Element], new: [Element], option: ListDiffOption) {
        self.old = old
        self.new = new
        self.option = option
        oldIdentifiers = old.map(\.diffIdentifier)
        newIdentifiers = new.map(\.diffIdentifier)
    }

    /// The elements with their hashes.
    var source: ElementDiffSource {
        ElementDiffSource(
            oldHashes: oldIdentifiers.map { UInt64(truncatingIfNeeded: $0.hashValue) },
            newHashes: newIdentifiers.map { UInt64(truncatingIfNeeded: $0.hashValue) },
            elements: self)
    }

    func isSame(_ old: Int, _ new: Int) -> Bool { oldIdentifiers[old] == newIdentifiers[new] }

    func isSameOld(_ old: Int, _ other: Int) -> Bool { oldIdentifiers[old] == oldIdentifiers[other] }

    func isSameNew(_ new: Int, _ other: Int) -> Bool { newIdentifiers[new] == newIdentifiers[other] }

    func isChanged(_ old: Int, _ new: Int) -> Bool {
        if self.new[new].isIdentical(toDiffable: self.old[old]) { return false }
        return option == .pointerPersonality || !self.new[new].isEqual(toDiffable: self.old[old])
    }
}
