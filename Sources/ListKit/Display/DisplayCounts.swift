/// Counts what is shown and in range over all views, so that section controllers hear of each only once (IGListKit DH-13).
struct DisplayCounts {
    private var sections: [SectionHandle: Int] = [:]
    private var items: [SectionHandle: [Int: Int]] = [:]
    private var ranges: [SectionHandle: Int] = [:]

    /// Whether a section is shown or in range somewhere.
    func isInUse(_ handle: SectionHandle) -> Bool { sections[handle] != nil || ranges[handle] != nil }

    /// Whether a section is in range somewhere.
    func isInRange(_ handle: SectionHandle) -> Bool { ranges[handle] != nil }

    /// Whether a section is shown somewhere.
    func isDisplayed(_ handle: SectionHandle) -> Bool { sections[handle] != nil }

    /// The items of a section that are shown somewhere.
    func displayedItems(of handle: SectionHandle) -> [Int] { items[handle]?.keys.sorted() ?? [] }

    /// Follows items through a transaction; those that are gone must have been taken away before.
    mutating func forward(_ forwarding: [SectionHandle: IndexForwarding]) {
        for (handle, forward) in forwarding {
            guard let counts = items[handle] else { continue }
            var moved: [Int: Int] = [:]
            for (index, count) in counts { if let new = forward(index) { moved[new, default: 0] += count } }
            items[handle] = moved.isEmpty ? nil : moved
        }
    }

    /// An item is shown once more; answers whether it was not shown before.
    mutating func add(item index: Int, of handle: SectionHandle) -> Bool {
        items[handle, default: [:]][index, default: 0] += 1
        return items[handle]?[index] == 1
    }

    /// An item is shown once less; answers whether it is no longer shown.
    mutating func remove(item index: Int, of handle: SectionHandle) -> Bool {
        guard var counts = items[handle], let count = counts[index] else { return false }
        counts[index] = count > 1 ? count - 1 : nil
        items[handle] = counts.isEmpty ? nil : counts
        return count == 1
    }

    /// An element of a section is shown once more; answers whether none was shown before.
    mutating func add(elementOf handle: SectionHandle) -> Bool { DisplayCounts.add(handle, to: &sections) }

    /// An element of a section is shown once less; answers whether none is shown any more.
    mutating func remove(elementOf handle: SectionHandle) -> Bool { DisplayCounts.remove(handle, from: &sections) }

    /// A section entered the range of a view; answers whether it was in none before.
    mutating func enter(_ handle: SectionHandle) -> Bool { DisplayCounts.add(handle, to: &ranges) }

    /// A section left the range of a view; answers whether it is in none any more.
    mutating func exit(_ handle: SectionHandle) -> Bool { DisplayCounts.remove(handle, from: &ranges) }

    private static func add(_ handle: SectionHandle, to counts: inout [SectionHandle: Int]) -> Bool {
        counts[handle, default: 0] += 1
        return counts[handle] == 1
    }

    private static func remove(_ handle: SectionHandle, from counts: inout [SectionHandle: Int]) -> Bool {
        guard let count = counts[handle] else { return false }
        counts[handle] = count > 1 ? count - 1 : nil
        return count == 1
    }
}
