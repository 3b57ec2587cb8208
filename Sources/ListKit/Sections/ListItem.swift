// SPDX-License-Identifier: Apache-2.0

/// One cell of a section, without a screen: what a viewer needs to draw it.
///
/// A section controller returns items where IGListKit's returns configured cells. The size is separate, because a layout needs
/// the sizes of many items and the contents of few.
public struct ListItem: Sendable, Hashable {
    /// Identifies the item inside its section over updates; `nil` = its index does.
    public var identity: String?
    /// Viewers reuse a widget for items with the same identifier; an empty one is never reused.
    public var reuseIdentifier: String
    /// What the item shows.
    public var content: Fields

    /// Makes an item.
    public init(identity: String? = nil, reuseIdentifier: String, content: Fields = Fields()) {
        self.identity = identity
        self.reuseIdentifier = reuseIdentifier
        self.content = content
    }
}

extension ListItem {
    /// Equal means: the same bytes.
    public static func == (lhs: ListItem, rhs: ListItem) -> Bool {
        lhs.identity.map { ExactText($0) } == rhs.identity.map { ExactText($0) }
            && ExactText(lhs.reuseIdentifier) == ExactText(rhs.reuseIdentifier) && lhs.content == rhs.content
    }

    /// The error item of a section at fault: reuse identifier `error`, the reason in the field `error`.
    static func fault(_ reason: String) -> ListItem {
        ListItem(reuseIdentifier: "error", content: ["error": .string(reason)])
    }
}
