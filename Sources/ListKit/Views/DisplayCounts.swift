// SPDX-License-Identifier: Apache-2.0

/// Counts what is shown and in range over all views, so that section controllers are told of each only once (rule
/// DH-13).
struct DisplayCounts {
    private var sections: [SectionHandle: Int] = [:]
    private var items: [ElementKey: Int] = [:]
    private var ranges: [SectionHandle: Int] = [:]

    /// Whether a section is shown or in range somewhere.
    func isInUse(_ handle: SectionHandle) -> Bool { sections[handle] != nil || ranges[handle] != nil }

    /// Whether a section is in range somewhere.
    func isInRange(_ handle: SectionHandle) -> Bool { ranges[handle] != nil }

    /// Whether a section is shown somewhere.
    func isDisplayed(_ handle: SectionHandle) -> Bool { sections[handle] != nil }

    /// The items of some sections that are shown somewhere, ascending.
    ///
    /// - Complexity: O(items shown of all sections).
    func displayedItems(of isWanted: (SectionHandle) -> Bool) -> [SectionHandle: [Int]] {
        var indexes: [SectionHandle: [Int]] = [:]
        for key in items.keys {
            if let handle = key.handle, isWanted(handle) { indexes[handle, default: []].append(key.index) }
        }
        return indexes.mapValues { $0.sorted() }
    }

    /// Follows items through a transaction; those that are gone must have been taken away before.
    ///
    /// - Complexity: O(items shown of all sections), unless no section has items that went.
    mutating func forward(_ forwarding: [SectionHandle: IndexForwarding]) {
        guard !forwarding.isEmpty else { return }
        let gone = items.filter { $0.key.handle.map { forwarding[$0] != nil } ?? false }
        for key in gone.keys { items[key] = nil }
        for (key, count) in gone { if let new = key.forwarded(by: forwarding) { items[new, default: 0] += count } }
    }

    /// An item is shown once more; answers whether it was not shown before.
    mutating func add(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.add(ElementKey(handle: handle, kind: .cell, index: index), to: &items)
    }

    /// An item is shown once less; answers whether it is no longer shown.
    mutating func remove(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.remove(ElementKey(handle: handle, kind: .cell, index: index), from: &items)
    }

    /// An element of a section is shown once more; answers whether none was shown before.
    mutating func add(elementOf handle: SectionHandle) -> Bool { DisplayCounts.add(handle, to: &sections) }

    /// An element of a section is shown once less; answers whether none is shown any more.
    mutating func remove(elementOf handle: SectionHandle) -> Bool { DisplayCounts.remove(handle, from: &sections) }

    /// A section entered the range of a view; answers whether it was in none before.
    mutating func enter(_ handle: SectionHandle) -> Bool { DisplayCounts.add(handle, to: &ranges) }

    /// Records that a section left a view's range; returns whether no view's range contains it any more.
    mutating func exit(_ handle: SectionHandle) -> Bool { DisplayCounts.remove(handle, from: &ranges) }

    private static func add<Key>(_ key: Key, to counts: inout [Key: Int]) -> Bool {
        let before = counts.updateValue(1, forKey: key)
        if let before { counts[key] = before + 1 }
        return before == nil
    }

    private static func remove<Key>(_ key: Key, from counts: inout [Key: Int]) -> Bool {
        guard let count = counts.removeValue(forKey: key) else { return false }
        if count > 1 { counts[key] = count - 1 }
        return count == 1
    }
}
