// SPDX-License-Identifier: Apache-2.0

/// Computes the target of a move request from the place where a dragged item is dropped.
public enum ListReordering {
    /// Returns the path to which a dropped item moves.
    ///
    /// Inside of its own section, an item moves to the place of the drop. A section with a single item can also be
    /// dropped on another section with a single item: dropped at item 0, it moves before that section; dropped at item
    /// 1, it moves after that section. All other drops between sections are refused (rule AD-146).
    /// - Parameters:
    ///   - source: the path of the dragged item.
    ///   - target: the path of the drop. In a section with a single item, item 1 is the place behind that item.
    ///   - itemCount: returns the number of items in a section; `nil` past the last section.
    /// - Returns: the path after the move, for ``UpdateRequest/Operation/moveItem(from:to:)``; `nil` if the drop is
    ///   refused, so that the item returns to its source.
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
