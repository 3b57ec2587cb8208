// SPDX-License-Identifier: Apache-2.0

/// The changes of sections in one transaction, for a layout.
///
/// `deletes` and the origins of `moves` are positions before the transaction; `inserts`, the targets of `moves` and
/// `reloads` are positions **after** it, because the layout asks its source about them. A section whose items changed in
/// number, order or size, or whose metrics changed, is a reload. The order of positions has no effect; repeated ones count
/// once, those out of range are ignored.
public struct LayoutChanges: Sendable, Hashable {
    /// Removed sections, by their old positions.
    public var deletes: [Int]
    /// Inserted sections, by their new positions.
    public var inserts: [Int]
    /// Moved sections.
    public var moves: [Move]
    /// **New** positions of sections to read again.
    public var reloads: [Int]

    /// A section that moved.
    public struct Move: Sendable, Hashable {
        /// The position before.
        public var from: Int
        /// The position after.
        public var to: Int

        /// Makes a move.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// Makes changes; the default is none.
    public init(deletes: [Int] = [], inserts: [Int] = [], moves: [Move] = [], reloads: [Int] = []) {
        self.deletes = deletes
        self.inserts = inserts
        self.moves = moves
        self.reloads = reloads
    }

    /// How many positions there are in all.
    var count: Int { deletes.count + inserts.count + moves.count + reloads.count }
}
