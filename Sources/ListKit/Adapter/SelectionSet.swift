// SPDX-License-Identifier: Apache-2.0

/// The selected items of a list; they follow their objects through every update.
struct SelectionSet: Equatable {
    private(set) var items: [SectionHandle: Set<Int>] = [:]

    /// The selected items of a section.
    subscript(handle: SectionHandle) -> Set<Int> { items[handle] ?? [] }

    func contains(_ index: Int, of handle: SectionHandle) -> Bool { items[handle]?.contains(index) == true }

    /// Answers whether that changed anything.
    @discardableResult
    mutating func insert(_ index: Int, of handle: SectionHandle) -> Bool {
        items[handle, default: []].insert(index).inserted
    }

    /// Answers whether that changed anything.
    @discardableResult
    mutating func remove(_ index: Int, of handle: SectionHandle) -> Bool {
        guard var indexes = items[handle], indexes.remove(index) != nil else { return false }
        items[handle] = indexes.isEmpty ? nil : indexes
        return true
    }

    /// Replaces the items of a section.
    mutating func set(_ indexes: Set<Int>, of handle: SectionHandle) { items[handle] = indexes.isEmpty ? nil : indexes }
}
