// SPDX-License-Identifier: Apache-2.0

/// What one transaction did to the sections of a list, as a layout needs it.
///
/// `deletes` and the origins of `moves` are positions before the transaction; `inserts`, the targets of `moves` and
/// `reloads` are positions **after** it, because they are what the layout asks its source about. A section whose items
/// changed in number, order or size, or whose metrics did, is a reload. Order means nothing; a position named twice
/// counts once, one out of range is ignored.
public struct LayoutChanges: Sendable, Hashable {
    /// Sections that went, by their old positions.
    public var deletes: [Int]
    /// Sections that came, by their new positions.
    public var inserts: [Int]
    /// Sections that changed places.
    public var moves: [Move]
    /// Sections to ask about again, by their **new** positions.
    public var reloads: [Int]

    /// A section that changed places.
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

    /// Makes changes; what is not named is empty.
    public init(deletes: [Int] = [], inserts: [Int] = [], moves: [Move] = [], reloads: [Int] = []) {
        self.deletes = deletes
        self.inserts = inserts
        self.moves = moves
        self.reloads = reloads
    }

    /// How many positions are named.
    var count: Int { deletes.count + inserts.count + moves.count + reloads.count }
}
