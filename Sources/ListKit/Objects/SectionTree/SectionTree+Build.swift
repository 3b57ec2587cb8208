// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Makes a tree of objects in order, as it is after a commit.
    ///
    /// Of objects with one identifier the first is kept.
    /// - Parameters:
    ///   - itemCount: how many items the section of an object has; asked for each object that is kept, in order.
    ///   - payload: the number to keep with it.
    ///   - dropped: takes the indexes of the objects that were dropped, ascending.
    /// - Throws: `limitsExceeded` for more than 536 million objects.
    /// - Complexity: O(n).
    public init(
        _ list: [ListObject], itemCount: (Int, ListObject) -> Int = { _, _ in 1 },
        payload: (Int, ListObject) -> Int32 = { _, _ in SectionTree.noPayload }, dropped: inout [Int]
    ) throws(ListError) {
        self.init()
        guard list.count <= SectionWord.maximumSlots else {
            throw ListError(.limitsExceeded, "\(list.count) objects in one list")
        }
        objects.reserve(list.count)
        payloads.reserve(list.count)
        identifiers = IdentifierIndex(count: list.count) { list[$0].storage.identity.hash }
        var counts: [Int32] = []
        counts.reserveCapacity(list.count)
        for (index, object) in list.enumerated() {
            if slot(of: object) != nil {
                dropped.append(index)
                continue
            }
            let slot = slotCount
            objects[slot] = object
            payloads[slot] = payload(index, object)
            slotCount += 1
            counts.append(SectionTree.clamp(itemCount(index, object)))
            link(slot, insteadOf: nil)
        }
        order = SectionOrder(itemCounts: counts)
    }

    /// A number of items as the tree keeps it: not negative, at most 2,147,483,647.
    static func clamp(_ itemCount: Int) -> Int32 { Int32(clamping: max(0, itemCount)) }
}
