// SPDX-License-Identifier: Apache-2.0

/// Converts a drop into the target of a move request.
public enum ListReordering {
    /// The path that a dropped item moves to.
    ///
    /// Inside of its section an item goes where it is dropped. A section of one item goes before another one when it is
    /// dropped at item 0 of that, after it when it is dropped at item 1. Nothing else moves between sections (rule AD-146).
    /// - Parameters:
    ///   - source: where the item is.
    ///   - target: where it is dropped; item 1 of a section of one item is behind that item.
    ///   - itemCounts: how many items a section has; `nil` past the end.
    /// - Returns: the place after the move, for ``UpdateRequest/Operation/moveItem(from:to:)``; `nil` = back to the source.
    public static func destination(
        from source: IndexPath, droppedAt target: IndexPath, itemCount: (Int) -> Int?
    ) -> IndexPath? {
        guard let sourceCount = itemCount(source.section), let targetCount = itemCount(target.section),
            (0..<sourceCount).contains(source.item)
        else { return nil }
        if source.section == target.section, sourceCount > 1 {
            return (0..<sourceCount).contains(target.item) ? target : nil
        }
        guard sourceCount == 1, targetCount == 1, (0...1).contains(target.item) else { return nil }
        if source.section == target.section { return source }
        let shift = source.section < target.section ? target.item - 1 : target.item
        return IndexPath(section: target.section + shift, item: 0)
    }
}
