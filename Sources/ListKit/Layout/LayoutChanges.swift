// SPDX-License-Identifier: Apache-2.0

/// The changes of sections in one transaction, for a layout.
///
/// `deletes` and the origins of `moves` are positions before the transaction. `inserts`, the targets of `moves` and
/// `reloads` are positions **after** it, because the layout reads these sections from its source. A section whose
/// items changed in number, order or size, or whose metrics changed, is a reload. Positions may be in any order.
/// Duplicates and positions out of range are ignored.
public struct LayoutChanges: Sendable, Hashable {
    /// The old positions of deleted sections.
    public var deletes: [Int]
    /// The new positions of inserted sections.
    public var inserts: [Int]
    /// The moves of sections.
    public var moves: [Move]
    /// The **new** positions of sections to read again.
    public var reloads: [Int]

    /// The move of a section.
    public struct Move: Sendable, Hashable {
        /// The old position.
        public var from: Int
        /// The new position.
        public var to: Int

        /// Makes a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Makes changes; without arguments, no changes.
    public init(deletes: [Int] = [], inserts: [Int] = [], moves: [Move] = [], reloads: [Int] = []) {
        self.deletes = deletes
        self.inserts = inserts
        self.moves = moves
        self.reloads = reloads
    }

    /// The number of changes.
    var count: Int { deletes.count + inserts.count + moves.count + reloads.count }
}
