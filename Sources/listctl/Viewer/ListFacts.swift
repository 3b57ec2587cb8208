// SPDX-License-Identifier: Apache-2.0

import ListClient

/// The properties of a list that the viewer shows around the picture.
struct ListFacts: Equatable, Sendable {
    /// The number of objects; nil while unknown.
    var objects: Int?
    /// The working range: the visible sections and some around them.
    var workingRange: Range<Int>?
    /// The hints for the list's fields, by field name.
    var hints: [String: FieldHint] = [:]
    /// The selected items. The selection is common to all views of the list.
    private(set) var selected: Set<ListViewClient.SelectedItem> = []

    /// Replaces the selection.
    mutating func setSelection(_ items: [ListViewClient.SelectedItem]) { selected = Set(items) }

    func isSelected(_ shown: Picture.Shown) -> Bool {
        !selected.isEmpty && shown.kind == "cell"
            && selected.contains(ListViewClient.SelectedItem(objectID: shown.objectID, item: shown.item))
    }
}
