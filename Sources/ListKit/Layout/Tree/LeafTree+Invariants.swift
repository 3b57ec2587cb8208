// SPDX-License-Identifier: Apache-2.0

extension LeafTree {
    /// A description of the first broken invariant of the tree, for tests; nil if all hold.
    var brokenInvariant: String? {
        var seen = 0
        if let problem = brokenInvariant(below: root, levels: height, parent: Self.noNode, leaves: &seen) {
            return problem
        }
        return seen == count ? nil : "the tree has \(count) leaves, but \(seen) are reachable"
    }

    private func brokenInvariant(below node: Int32, levels: Int, parent: Int32, leaves seen: inout Int) -> String? {
        let count = Int(counts[Int(node)])
        if parents[Int(node)] != parent { return "node \(node) has the wrong parent" }
        if count > Self.fanout { return "node \(node) has \(count) children" }
        if count == 0, parent != Self.noNode { return "node \(node) is empty" }
        for slot in Int(node) * Self.fanout..<Int(node) * Self.fanout + count {
            let child = children[slot]
            if levels == 1 {
                seen += 1
                if leafParents[Int(child)] != node { return "leaf \(child) has the wrong parent" }
            } else if let problem = brokenInvariant(
                below: child, levels: levels - 1, parent: node, leaves: &seen)
            {
                return problem
            }
        }
        return nil
    }
}
