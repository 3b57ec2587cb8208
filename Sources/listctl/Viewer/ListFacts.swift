// SPDX-License-Identifier: Apache-2.0

import ListClient

/// What is known of a list beside what its view shows.
struct ListFacts: Equatable, Sendable {
    /// How many objects it has; nil while that is not known.
    var objects: Int?
    /// The sections that helpers work for: the visible ones and some around them.
    var workingRange: Range<Int>?
    /// How its fields want to be seen, by name.
    var hints: [String: FieldHint] = [:]
    /// What is selected, in every view of the list.
    private(set) var selected: Set<ListViewClient.SelectedItem> = []

    /// Takes over what is selected now.
    mutating func select(_ items: [ListViewClient.SelectedItem]) { selected = Set(items) }

    func isSelected(_ shown: Picture.Shown) -> Bool {
        !selected.isEmpty && shown.kind == "cell"
            && selected.contains(ListViewClient.SelectedItem(objectID: shown.objectID, item: shown.item))
    }
}
