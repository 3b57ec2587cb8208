// SPDX-License-Identifier: Apache-2.0

/// The changes of the items of one section, in IGListKit's form of simultaneous changes.
///
/// `deletes`, `updates` and the `from` of moves are positions before all changes. `inserts` and the `to` of moves
/// are positions after all changes.
struct ListItemChanges {
    var deletes: [Int] = []
    var inserts: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var updates: [Int] = []

    var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    init(updates: [Int]) { self.updates = updates }
}
