// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Describes the first broken invariant of the tree, nil if there is none; tests call it after each edit.
    ///
    /// - Complexity: O(n · log n).
    func brokenInvariant() -> String? {
        var slots: Set<Int> = []
        var fault: String?
        let total = order.checkedSummary(of: order.root, level: order.height, parent: SectionOrder.none) {
            word, problem in
            if let problem { fault = problem }
            if let word, !slots.insert(word.slot).inserted { fault = "slot \(word.slot) is in the order twice" }
        }
        if let fault { return fault }
        if total != order.total { return "the total is \(order.total), the leaves say \(total)" }
        if slots.count + freeSlots.count != slotCount { return "slots were lost" }
        if let free = freeSlots.first(where: { slots.contains($0) }) { return "slot \(free) is in use and free" }
        var linked = 0
        for slot in slots {
            guard let object = objects[slot] else { return "slot \(slot) has no object" }
            guard let found = self.slot(of: object) else { return "\(object.id) is not found" }
            if found == slot { linked += 1 } else if isNew(slot) { return "\(object.id) leads to a slot that is gone" }
        }
        if linked != identifiers.count { return "\(identifiers.count) identifiers, \(linked) found" }
        return hasOpenTransaction || order.oldItems.isEmpty && origins.isEmpty && oldVersions.isEmpty
            ? nil : "remains of a transaction"
    }
}

extension SectionOrder {
    /// Sums up a child and passes each section below it to `visit`; fails with a description of a broken invariant.
    func checkedSummary(
        of child: Int, level: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        level == 0
            ? checkedLeaf(child, parent: parent, visit: visit)
            : checkedNode(child, level: level, parent: parent, visit: visit)
    }

    private func checkedLeaf(
        _ leaf: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        var touched: Int32 = 0
        for position in 0..<Int(leaves[leaf].count) {
            let word = word(at: Place(leaf: leaf, position: position))
            sum += summary(at: Place(leaf: leaf, position: position))
            if !word.isPlain { touched += 1 }
            visit(word, Int(leafOfSlot[word.slot]) == leaf ? nil : "slot \(word.slot) does not know its leaf")
        }
        if leaves[leaf].parent != parent { visit(nil, "leaf \(leaf) does not know its parent") }
        if touched != leaves[leaf].touched { visit(nil, "leaf \(leaf) counts its touched sections wrongly") }
        return sum
    }

    private func checkedNode(
        _ node: Int, level: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        let start = node * SectionOrder.nodeSize
        for position in start..<start + Int(nodes[node].count) {
            let below = checkedSummary(
                of: Int(children[position]), level: level - 1, parent: UInt32(truncatingIfNeeded: node), visit: visit)
            if below != sums[position] { visit(nil, "node \(node) sums up wrongly") }
            sum += below
        }
        if nodes[node].parent != parent { visit(nil, "node \(node) does not know its parent") }
        return sum
    }
}
