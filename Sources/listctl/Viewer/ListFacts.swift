import DBus
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

    /// The option `hints` of a list; a word that is not known is passed over.
    static func hints(in options: [String: DBusValue]) -> [String: FieldHint] {
        guard case .dictionary(_, _, let entries)? = options["hints"]?.unwrapped else { return [:] }
        var hints: [String: FieldHint] = [:]
        for entry in entries {
            guard case .string(let field) = entry.key, case .string(let word) = entry.value.unwrapped else { continue }
            hints[field] = FieldHint(rawValue: word)
        }
        return hints
    }
}
