// SPDX-License-Identifier: Apache-2.0

/// The selected items of a list. The selection follows the items through every update.
///
/// Selecting one item costs O(log n). The items are sorted only when they are read.
struct Selection: Equatable {
    private var items: [SectionHandle: Set<Int>] = [:]

    /// The sections with selected items.
    var sections: Dictionary<SectionHandle, Set<Int>>.Keys { items.keys }

    /// Returns whether any item of a section is selected.
    func contains(anyOf handle: SectionHandle) -> Bool { items[handle] != nil }

    /// Returns whether an item is selected.
    func contains(_ index: Int, of handle: SectionHandle) -> Bool { items[handle]?.contains(index) == true }

    /// Selects or deselects an item. Returns whether the selection changed.
    @discardableResult
    mutating func setSelected(_ isSelected: Bool, at index: Int, of handle: SectionHandle) -> Bool {
        if isSelected { return items[handle, default: []].insert(index).inserted }
        // The indexes are changed in their place, because a copy would contain all those of the section.
        guard items[handle]?.remove(index) != nil else { return false }
        if items[handle]?.isEmpty == true { items[handle] = nil }
        return true
    }

    /// Returns the selected items, in list order.
    ///
    /// - Complexity: O(selected · log n).
    func inOrder(_ map: SectionMap) -> [SelectedItem] {
        let placed = items.compactMap { handle, indexes in
            map.position(of: handle).map { (position: $0, handle: handle, indexes: indexes) }
        }
        return placed.sorted { $0.position < $1.position }.flatMap { section in
            let id = map.id(of: section.handle) ?? ""
            return section.indexes.sorted().map { SelectedItem(objectID: id, item: $0) }
        }
    }

    // MARK: Updates

    /// Moves the selection to the new indexes of the items. Removed items are deselected.
    ///
    /// - Parameter changed: the sections that were removed or whose items may have changed.
    /// - Complexity: O(changed · log n + selected items in the changed sections).
    mutating func move(
        by forwarding: [SectionHandle: PositionMap], _ changed: Set<SectionHandle>, _ map: SectionMap
    ) {
        guard !items.isEmpty else { return }
        for handle in changed {
            guard let indexes = items[handle] else { continue }
            let count = map.itemCount(of: handle)
            if forwarding[handle] == nil, indexes.allSatisfy({ $0 < count }) { continue }
            let kept = indexes.compactMap { index in forwarding[handle].map { $0(index) } ?? index }
            let present = Set(kept.filter { $0 < count })
            items[handle] = present.isEmpty ? nil : present
        }
    }

    /// Applies the selections and deselections that were requested while an update was presented.
    mutating func apply(_ selections: [PendingSelection], _ map: SectionMap) {
        for selection in selections {
            guard let item = selection.item, item < map.itemCount(of: selection.handle) else { continue }
            setSelected(selection.isSelected, at: item, of: selection.handle)
        }
    }

    /// Returns the selections and deselections of an update for one event, or `nil` if there are none.
    ///
    /// The result is correct both for viewers that only apply these events and for viewers that first moved their
    /// selection along with the transaction: every item in `selected` is now selected, and every item in `deselected`
    /// is not.
    /// - Parameters:
    ///   - before: the selection before it followed its items.
    ///   - followed: the selection after it followed its items.
    ///   - replaced: sections that are announced as deleted and inserted.
    func change(
        since before: Selection, following followed: Selection, replaced: Set<SectionHandle>, _ map: SectionMap
    ) -> (selected: [SelectedItem], deselected: [SelectedItem])? {
        if before == followed && followed == self && replaced.isEmpty { return nil }
        var selected: [(section: Int, item: SelectedItem)] = []
        var deselected: [(section: Int, item: SelectedItem)] = []
        for handle in Set(before.items.keys).union(items.keys) {
            let (old, kept, new) = (before.indexes(handle), followed.indexes(handle), indexes(handle))
            let isReplaced = replaced.contains(handle)
            if old == new && kept == new && !isReplaced { continue }
            let id = map.id(of: handle) ?? ""
            let added = isReplaced ? new : new.subtracting(old.intersection(kept))
            selected.add(added, id, map.position(of: handle) ?? 0)
            deselected.add(old.union(kept).subtracting(new), id, map.oldPosition(of: handle) ?? 0)
        }
        return selected.isEmpty && deselected.isEmpty ? nil : (selected.inOrder, deselected.inOrder)
    }

    private func indexes(_ handle: SectionHandle) -> Set<Int> { items[handle] ?? [] }
}

extension [(section: Int, item: SelectedItem)] {
    fileprivate mutating func add(_ indexes: Set<Int>, _ id: String, _ section: Int) {
        for index in indexes { append((section, SelectedItem(objectID: id, item: index))) }
    }

    fileprivate var inOrder: [SelectedItem] {
        sorted { ($0.section, $0.item.item) < ($1.section, $1.item.item) }.map(\.item)
    }
}
