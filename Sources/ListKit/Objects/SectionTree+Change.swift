// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Returns a tree of the given objects without duplicates; `nil` if there are more objects than a tree can hold.
    ///
    /// Of objects with equal identifiers, the first one is kept.
    static func unique(
        _ objects: [ListObject], itemCount: (Int, ListObject) -> Int,
        payload: (Int) -> Int32 = { _ in SectionTree.noPayload }
    ) -> SectionTree? {
        var dropped: [Int] = []
        return try? SectionTree(
            objects, itemCount: itemCount, payload: { index, _ in payload(index) }, dropped: &dropped)
    }

    /// Applies the changes of a transaction one by one, as edits that can be rolled back.
    ///
    /// - Parameter itemCounts: the numbers of items of the inserted sections, in the order of `changes.inserted`.
    /// - Complexity: O(changes · log n).
    mutating func edit(_ changes: Change, itemCounts: [Int]) {
        for update in changes.updated { replace(update.object) }
        var placed: [(new: Int, section: Section)] = []
        for move in changes.moved {
            guard let object = object(at: move.old, in: .old), let section = section(of: object) else { continue }
            placed.append((move.new, section))
        }
        for position in changes.removed.map(\.old) + changes.moved.map(\.old) {
            guard let object = object(at: position, in: .old), let index = index(of: object) else { continue }
            remove(at: index)
        }
        for (insert, itemCount) in zip(changes.inserted, itemCounts) {
            let section = Section(object: insert.object, itemCount: itemCount, payload: SectionTree.noPayload)
            placed.append((insert.new, section))
        }
        for place in placed.sorted(by: { $0.new < $1.new }) {
            _ = insert(
                place.section.object, at: place.new, itemCount: place.section.itemCount,
                payload: place.section.payload)
        }
    }

    /// Returns a new tree that has the list's state after the changes; `nil` if there are more objects than a tree
    /// can hold.
    ///
    /// - Parameters:
    ///   - itemCounts: the numbers of items of the inserted sections, in the order of `changes.inserted`.
    ///   - visit: called for each remaining section with a payload. Receives the payload and the object after the
    ///     changes.
    /// - Complexity: O(n).
    func rebuilt(
        with changes: Change, itemCounts: [Int], visit: (Int32, ListObject) -> Void = { _, _ in }
    ) -> SectionTree? {
        let list = changes.list ?? changes.applied(to: objects())
        var counts = [Int](repeating: 0, count: list.count)
        var payloads = [Int32](repeating: SectionTree.noPayload, count: list.count)
        for (insert, itemCount) in zip(changes.inserted, itemCounts) { counts[insert.new] = itemCount }
        let runs = changes.positions(of: count()).runs
        var run = 0
        forEachSection(in: 0..<count()) { old, section in
            while run < runs.count, runs[run].oldEnd <= old { run += 1 }
            guard run < runs.count, runs[run].old <= old else { return }
            let new = runs[run].new + old - runs[run].old
            counts[new] = section.itemCount
            payloads[new] = section.payload
            if section.payload != SectionTree.noPayload { visit(section.payload, list[new]) }
        }
        return SectionTree.unique(list, itemCount: { index, _ in counts[index] }, payload: { payloads[$0] })
    }
}
