// SPDX-License-Identifier: Apache-2.0

import ListClient

/// Properties of a list beside the picture of its view.
struct ListFacts: Equatable, Sendable {
    /// The number of its objects; nil while unknown.
    var objects: Int?
    /// The working range: the visible sections and some around them.
    var workingRange: Range<Int>?
    /// The hints for its fields, by name.
    var hints: [String: FieldHint] = [:]
    /// The selected items, for every view of the list.
    private(set) var selected: Set<ListViewClient.SelectedItem> = []

    /// Replaces the selection.
    mutating func select(_ items: [ListViewClient.SelectedItem]) { selected = Set(items) }

    func isSelected(_ shown: Picture.Shown) -> Bool {
        !selected.isEmpty && shown.kind == "cell"
            && selected.contains(ListViewClient.SelectedItem(objectID: shown.objectID, item: shown.item))
    }
}
