// SPDX-License-Identifier: Apache-2.0

extension SectionTree {
    /// Returns a description of a broken invariant of the tree; `nil` if all hold. Tests call this after each edit.
    ///
    /// - Complexity: O(n · log n).
    func brokenInvariant() -> String? {
        var slots: Set<Int> = []
        var fault: String?
        let total = order.validateSubtree(order.root, level: order.height, parent: SectionOrder.none) {
            word, problem in
            if let problem { fault = problem }
            if let word, !slots.insert(word.slot).inserted {
                fault = "slot \(word.slot) occurs twice in the order of the sections"
            }
        }
        if let fault { return fault }
        if total != order.total { return "the total is \(order.total), but the sum over the leaves is \(total)" }
        if slots.count + freeSlots.count != slotCount { return "some slots are neither in the order nor free" }
        if let free = freeSlots.first(where: { slots.contains($0) }) { return "slot \(free) is in the order, but free" }
        var linked = 0
        for slot in slots {
            guard let object = objects[slot] else { return "slot \(slot) has no object" }
            guard let found = self.slot(of: object) else { return "the identifier \(object.id) is not in the index" }
            if found == slot { linked += 1 } else if isNew(slot) { return "the index has a wrong slot of \(object.id)" }
        }
        if linked != identifiers.count {
            return "the index has \(identifiers.count) identifiers, the order has \(linked)"
        }
        return hasOpenTransaction || order.oldItems.isEmpty && origins.isEmpty && oldVersions.isEmpty
            ? nil : "data of a closed transaction is left"
    }
}

extension SectionOrder {
    /// Validates the invariants of all nodes and leaves below a child, and returns the sum of their sections.
    ///
    /// - Parameter visit: called with each section, and with a description of each broken invariant.
    func validateSubtree(
        _ child: Int, level: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        level == 0
            ? validateLeaf(child, parent: parent, visit: visit)
            : validateNode(child, level: level, parent: parent, visit: visit)
    }

    private func validateLeaf(
        _ leaf: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        var touched: Int32 = 0
        for position in 0..<Int(leaves[leaf].count) {
            let word = word(at: Place(leaf: leaf, position: position))
            sum += summary(at: Place(leaf: leaf, position: position))
            if !word.isPlain { touched += 1 }
            visit(word, Int(leafOfSlot[word.slot]) == leaf ? nil : "slot \(word.slot) has another leaf than \(leaf)")
        }
        if leaves[leaf].parent != parent { visit(nil, "leaf \(leaf) has a wrong parent") }
        if touched != leaves[leaf].touched { visit(nil, "leaf \(leaf) has a wrong number of touched sections") }
        return sum
    }

    private func validateNode(
        _ node: Int, level: Int, parent: UInt32, visit: (SectionWord?, String?) -> Void
    ) -> SectionSummary {
        var sum = SectionSummary.zero
        let start = node * SectionOrder.nodeSize
        for position in start..<start + Int(nodes[node].count) {
            let below = validateSubtree(
                Int(children[position]), level: level - 1, parent: UInt32(truncatingIfNeeded: node), visit: visit)
            if below != sums[position] { visit(nil, "node \(node) has a wrong summary of a child") }
            sum += below
        }
        if nodes[node].parent != parent { visit(nil, "node \(node) has a wrong parent") }
        return sum
    }
}
