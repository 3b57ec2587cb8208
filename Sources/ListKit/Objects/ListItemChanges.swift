// SPDX-License-Identifier: Apache-2.0

/// The changes of one section's items, in IGListKit's simultaneous form: old positions for `deletes`, `updates` and the
/// origins of moves, new ones for `inserts` and targets.
struct ListItemChanges {
    var deletes: [Int] = []
    var inserts: [Int] = []
    var moves: [(from: Int, to: Int)] = []
    var updates: [Int] = []

    var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    init(updates: [Int]) { self.updates = updates }
}
