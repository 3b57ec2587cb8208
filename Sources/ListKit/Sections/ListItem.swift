// SPDX-License-Identifier: Apache-2.0

/// One cell of a section as data, from which a viewer draws it.
///
/// A section controller returns items where IGListKit's returns configured cells. The size is separate, because a
/// layout needs the sizes of many items and the contents of few.
public struct ListItem: Sendable, Hashable {
    /// The identity of the item within its section across updates; `nil` = the item is identified by its index.
    public var identity: String?
    /// The identifier by which viewers reuse a widget for another item. With an empty identifier, the widget is not
    /// reused.
    public var reuseIdentifier: String
    /// The fields that the item shows.
    public var content: Fields

    /// Makes an item.
    public init(identity: String? = nil, reuseIdentifier: String, content: Fields = Fields()) {
        self.identity = identity
        self.reuseIdentifier = reuseIdentifier
        self.content = content
    }
}

extension ListItem {
    /// Returns whether two items have the same bytes. Text is compared without Unicode's canonical equivalence.
    public static func == (lhs: ListItem, rhs: ListItem) -> Bool {
        lhs.identity.map { ExactText($0) } == rhs.identity.map { ExactText($0) }
            && ExactText(lhs.reuseIdentifier) == ExactText(rhs.reuseIdentifier) && lhs.content == rhs.content
    }

    /// Returns the error item that a section with a fault shows. Its reuse identifier is `error`, and its field
    /// `error` has the reason.
    static func fault(_ reason: String) -> ListItem {
        ListItem(reuseIdentifier: "error", content: ["error": .string(reason)])
    }
}
