// SPDX-License-Identifier: Apache-2.0

/// Counts for each section and item the views that show it or have it in range. Section controllers are notified only
/// of the first and the last view (rule DH-13).
struct DisplayCounts {
    private var sections: [SectionHandle: Int] = [:]
    private var items: [ElementKey: Int] = [:]
    private var ranges: [SectionHandle: Int] = [:]

    /// Returns whether any view shows a section or has the section in range.
    func isInUse(_ handle: SectionHandle) -> Bool { sections[handle] != nil || ranges[handle] != nil }

    /// Returns whether any view has a section in range.
    func isInRange(_ handle: SectionHandle) -> Bool { ranges[handle] != nil }

    /// Returns whether any view shows a section.
    func isDisplayed(_ handle: SectionHandle) -> Bool { sections[handle] != nil }

    /// Returns the indexes, ascending, of the items that any view shows in the sections that `isWanted` selects.
    ///
    /// - Complexity: O(items shown in all sections).
    func displayedItems(where isWanted: (SectionHandle) -> Bool) -> [SectionHandle: [Int]] {
        var indexes: [SectionHandle: [Int]] = [:]
        for key in items.keys {
            if let handle = key.handle, isWanted(handle) { indexes[handle, default: []].append(key.index) }
        }
        return indexes.mapValues { $0.sorted() }
    }

    /// Moves the counts to the new indexes of items after a transaction. Call ``remove(item:of:)`` for the removed
    /// items first.
    ///
    /// - Complexity: O(items shown in all sections), or O(1) if no items moved.
    mutating func forward(_ forwarding: [SectionHandle: PositionMap]) {
        guard !forwarding.isEmpty else { return }
        let gone = items.filter { $0.key.handle.map { forwarding[$0] != nil } ?? false }
        for key in gone.keys { items[key] = nil }
        for (key, count) in gone { if let new = key.forwarded(by: forwarding) { items[new, default: 0] += count } }
    }

    /// Records that one more view shows an item. Returns whether no view showed the item before.
    mutating func add(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.increment(ElementKey(handle: handle, kind: .cell, index: index), in: &items)
    }

    /// Records that one view fewer shows an item. Returns whether no view shows the item any more.
    mutating func remove(item index: Int, of handle: SectionHandle) -> Bool {
        DisplayCounts.decrement(ElementKey(handle: handle, kind: .cell, index: index), in: &items)
    }

    /// Records that one more element of a section is shown. Returns whether no element was shown before.
    mutating func add(elementOf handle: SectionHandle) -> Bool { DisplayCounts.increment(handle, in: &sections) }

    /// Records that one element fewer of a section is shown. Returns whether no element is shown any more.
    mutating func remove(elementOf handle: SectionHandle) -> Bool { DisplayCounts.decrement(handle, in: &sections) }

    /// Records that a section entered a view's working range. Returns whether no other view has the section in range.
    mutating func enterRange(_ handle: SectionHandle) -> Bool { DisplayCounts.increment(handle, in: &ranges) }

    /// Records that a section left a view's working range. Returns whether no view has the section in range any more.
    mutating func exitRange(_ handle: SectionHandle) -> Bool { DisplayCounts.decrement(handle, in: &ranges) }

    /// Adds 1 to a count. Returns whether it was 0 before.
    private static func increment<Key>(_ key: Key, in counts: inout [Key: Int]) -> Bool {
        let before = counts.updateValue(1, forKey: key)
        if let before { counts[key] = before + 1 }
        return before == nil
    }

    /// Subtracts 1 from a count. Returns whether it is 0 now.
    private static func decrement<Key>(_ key: Key, in counts: inout [Key: Int]) -> Bool {
        guard let count = counts.removeValue(forKey: key) else { return false }
        if count > 1 { counts[key] = count - 1 }
        return count == 1
    }
}
