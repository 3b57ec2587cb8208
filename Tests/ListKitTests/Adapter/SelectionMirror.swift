// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) import ListKit
import Testing

/// A client that tracks the selection, either by `SelectionChanged` alone or by also moving selected items at
/// `Updated`.
struct SelectionMirror {
    let movesAlong: Bool
    private var selected: Set<SelectedItem>
    private var ids: [String]

    init(_ adapter: ListAdapter, movesAlong: Bool) {
        self.movesAlong = movesAlong
        selected = Set(adapter.selectedItems)
        ids = adapter.objects(from: 0, limit: .max).map(\.id)
    }

    /// Applies the events of one flush, and checks that the result equals the list's selection.
    mutating func receive(
        _ events: [AdapterEvent], from adapter: ListAdapter, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for event in events {
            switch event {
            case .updated(let transaction):
                let present = adapter.objects(from: 0, limit: .max).map(\.id)
                if movesAlong, transaction.kind == .update { moveSelection(by: transaction, newIDs: present) }
                ids = present
            case .selection(let change):
                #expect(Set(change.selected).isDisjoint(with: change.deselected), sourceLocation: sourceLocation)
                selected.subtract(change.deselected)
                selected.formUnion(change.selected)
            default: break
            }
        }
        #expect(selected == Set(adapter.selectedItems), "moves along: \(movesAlong)", sourceLocation: sourceLocation)
    }

    /// Moves the selected items to their indexes after a transaction, and drops deleted items.
    private mutating func moveSelection(by transaction: Transaction, newIDs present: [String]) {
        let gone = Set(transaction.sections.deletes.flatMap(\.range).map { ids[$0] })
        let items = transaction.items
        var moved: Set<SelectedItem> = []
        for item in selected where !gone.contains(item.objectID) {
            let old = ids.firstIndex(of: item.objectID), new = present.firstIndex(of: item.objectID)
            let moves = items.moves.filter { Int($0.old.section) == old }
            let deletes = items.deletes.filter { Int($0.section) == old }.map { Int($0.item) }
            let inserts = items.inserts.filter { Int($0.section) == new }.map { Int($0.item) }
            if deletes.contains(item.item) { continue }
            let taken = Set(inserts + moves.map { Int($0.new.item) })
            var rank = item.item - (deletes + moves.map { Int($0.old.item) }).count { $0 < item.item }
            var index = 0
            while rank > 0 || taken.contains(index) {
                if !taken.contains(index) { rank -= 1 }
                index += 1
            }
            if let move = moves.first(where: { Int($0.old.item) == item.item }) { index = Int(move.new.item) }
            moved.insert(SelectedItem(objectID: item.objectID, item: index))
        }
        selected = moved
    }
}
