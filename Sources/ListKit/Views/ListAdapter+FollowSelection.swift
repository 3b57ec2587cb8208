// SPDX-License-Identifier: Apache-2.0

/// An item that is selected or deselected while its section's items change places: it waits until they have theirs.
struct WaitingSelection {
    let handle: SectionHandle
    /// The index as the section controller has it; `nil` when the item is gone.
    var item: Int?
    let isSelected: Bool
}

extension Application {
    /// Items of a section changed places after the first selections were asked for.
    mutating func moveSelections(first count: Int, of handle: SectionHandle, by changes: ListItemChanges) {
        guard count > 0 else { return }
        let forward = changes.forwarding()
        for index in selections.indices.prefix(count) where selections[index].handle == handle {
            selections[index].item = selections[index].item.flatMap { forward($0) }
        }
    }
}

extension ListAdapter {
    /// Whether items change places just now; while a transaction is being stored they have those that viewers know, unless
    /// another item update runs.
    var movesItems: Bool {
        guard let application else { return false }
        if case .prepared = flush { return !application.running.isEmpty }
        return true
    }

    /// Lets the selection follow its items; answers what was selected.
    func followSelection(_ forwarding: [SectionHandle: IndexForwarding]) -> SelectionSet {
        let before = selection
        for (handle, indexes) in before.items {
            let count = sections.itemCount(of: handle)
            if forwarding[handle] == nil, indexes.allSatisfy({ $0 < count }) { continue }
            let kept = indexes.compactMap { index in forwarding[handle].map { $0(index) } ?? index }
            selection.set(Set(kept.filter { $0 < count }), of: handle)
        }
        return before
    }

    /// Selects what was asked for while the update was applied; answers what has changed, in one event.
    ///
    /// It is put so that viewers have the same selection that only follow these events, and viewers that first moved theirs
    /// along with the transaction: all that is named is selected now, or is not.
    /// - Parameters:
    ///   - before: what was selected before the selection followed its items.
    ///   - replaced: sections that are announced as deleted and inserted.
    func selectionEvents(since before: SelectionSet, replaced: Set<SectionHandle> = []) -> [AdapterEvent] {
        let followed = selection
        for waiting in application?.selections ?? [] {
            guard let item = waiting.item, item < sections.itemCount(of: waiting.handle) else { continue }
            if waiting.isSelected {
                selection.insert(item, of: waiting.handle)
            } else {
                selection.remove(item, of: waiting.handle)
            }
        }
        application?.selections = []
        if before == followed && followed == selection && replaced.isEmpty { return [] }
        var change = PlacedSelectionChange()
        for handle in Set(before.items.keys).union(selection.items.keys) {
            let (old, kept, new) = (before[handle], followed[handle], selection[handle])
            let isReplaced = replaced.contains(handle)
            if old == new && kept == new && !isReplaced { continue }
            let id = id(of: handle)
            let selected = isReplaced ? new : new.subtracting(old.intersection(kept))
            change.selected.add(selected, id, sections.position(of: handle) ?? 0)
            change.deselected.add(old.union(kept).subtracting(new), id, sections.oldPosition(of: handle) ?? 0)
        }
        return change.event(revision: revision).map { [$0] } ?? []
    }
}

/// What was selected and deselected, with the sections' positions to order it by.
private struct PlacedSelectionChange {
    var selected: [(section: Int, item: SelectedItem)] = []
    var deselected: [(section: Int, item: SelectedItem)] = []

    func event(revision: UInt64) -> AdapterEvent? {
        if selected.isEmpty && deselected.isEmpty { return nil }
        return .selection(
            SelectionChange(revision: revision, selected: selected.inOrder, deselected: deselected.inOrder))
    }
}

extension [(section: Int, item: SelectedItem)] {
    fileprivate mutating func add(_ indexes: Set<Int>, _ id: String, _ section: Int) {
        for index in indexes { append((section, SelectedItem(objectID: id, item: index))) }
    }

    fileprivate var inOrder: [SelectedItem] {
        sorted { ($0.section, $0.item.item) < ($1.section, $1.item.item) }.map(\.item)
    }
}
