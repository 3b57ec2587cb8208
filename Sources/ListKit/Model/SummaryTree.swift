// SPDX-License-Identifier: Apache-2.0

/// The sum of consecutive leaves of a ``SummaryTree``.
protocol TreeSummary: Sendable {
    /// The sum of no leaves.
    static var empty: Self { get }

    /// Returns the sum of these leaves followed by those of `next`. The operation must be associative.
    func followed(by next: Self) -> Self
}

/// The order of numbered leaves and the sums of their contents, as a B+ tree. The owner stores the contents.
///
/// Sums of leading leaves, searches by sums, and changes are O(log n). A leaf keeps its number until it is removed.
/// Nodes are numbered too, and are stored in flat arrays: a node has its children and their sums one after the other, so
/// that a search reads a few cache lines per level. Copies share what is equal in them.
struct SummaryTree<Summary: TreeSummary>: Sendable {
    /// The maximum number of children of a node.
    private static var fanout: Int { 16 }

    /// The value that stands for no node.
    private static var none: Int32 { -1 }

    /// The node of each leaf, by the number of the leaf.
    private var leafParents = PagedArray<Int32>()
    private var freeLeaves: [Int32] = []

    // Node `n` has its children and their sums in the slots `n * fanout ..< n * fanout + counts[n]`.
    private var children = PagedArray<Int32>()
    private var sums = PagedArray<Summary>()
    private var counts = PagedArray<Int32>()
    private var parents = PagedArray<Int32>()
    private var freeNodes: [Int32] = []
    private var root: Int32 = 0

    /// The number of levels of nodes. The children of the lowest level are leaves.
    private(set) var height = 1
    /// The sum of all leaves.
    private(set) var total = Summary.empty

    /// Makes an empty tree.
    init() { root = makeNode() }

    /// Makes a tree of the leaves 0, 1, 2 … with the given sums. O(n).
    init(_ leafSums: [Summary]) {
        self.init()
        guard !leafSums.isEmpty else { return }
        free(root)
        leafParents = PagedArray(repeating: Self.none, count: leafSums.count)
        var level = fillNodes(leafSums.enumerated().map { (Int32(truncatingIfNeeded: $0), $1) }, level: 1)
        while level.count > 1 {
            height += 1
            level = fillNodes(level, level: height)
        }
        (root, total) = level[0]
    }

    /// The number of leaves.
    var count: Int { leafParents.count - freeLeaves.count }

    var isEmpty: Bool { count == 0 }

    /// Makes the nodes of a level from all of their children. Returns the nodes with their sums.
    private mutating func fillNodes(_ items: [(child: Int32, sum: Summary)], level: Int) -> [(Int32, Summary)] {
        // The room left in each node lets the first inserts do without a split.
        stride(from: 0, to: items.count, by: Self.fanout * 7 / 8).map { start in
            let node = makeNode()
            for (child, sum) in items[start..<min(start + Self.fanout * 7 / 8, items.count)] {
                append(child, sum, to: node, level: level)
            }
            return (node, sum(ofNode: node))
        }
    }

    private mutating func makeNode() -> Int32 {
        if let node = freeNodes.popLast() { return node }
        counts.append(0)
        parents.append(Self.none)
        for _ in 0..<Self.fanout {
            children.append(Self.none)
            sums.append(.empty)
        }
        return Int32(truncatingIfNeeded: counts.count - 1)
    }

    private mutating func free(_ node: Int32) {
        counts[Int(node)] = 0
        parents[Int(node)] = Self.none
        freeNodes.append(node)
    }

    /// Returns the slots of a node that are in use.
    private func slots(of node: Int32) -> Range<Int> {
        let first = Int(node) * Self.fanout
        return first..<first + Int(counts[Int(node)])
    }

    /// Returns the slot of a child in its node.
    private func slot(of child: Int32, in node: Int32) -> Int {
        let first = Int(node) * Self.fanout
        return children.withRun(from: first, count: Self.fanout) { children in
            var position = 0
            while children[position] != child { position += 1 }
            return first + position
        }
    }

    private func sum(ofNode node: Int32) -> Summary { sum(of: slots(of: node)) }

    /// Returns the sum of slots of one node.
    private func sum(of slots: Range<Int>) -> Summary {
        sums.withRun(from: slots.lowerBound, count: slots.count) { sums in
            var result = Summary.empty
            for position in sums.indices { result = result.followed(by: sums[position]) }
            return result
        }
    }
}

extension SummaryTree {
    /// A leaf and the sum of all leaves before it.
    typealias Found = (leaf: Int, before: Summary)

    /// Returns the first leaf at which the sum of all leaves, from the first one up to and including this leaf,
    /// fulfils `reached`. Returns nil if the sum of all leaves does not fulfil it.
    ///
    /// If `reached` is true for the sum up to a leaf, it must be true for the sums up to all later leaves. O(log n).
    func first(where reached: (Summary) -> Bool) -> Found? {
        var child = root
        var before = Summary.empty
        for _ in 0..<height {
            let slots = slots(of: child)
            let position = sums.withRun(from: slots.lowerBound, count: slots.count) { sums in
                for position in sums.indices {
                    let with = before.followed(by: sums[position])
                    if reached(with) { return position }
                    before = with
                }
                return sums.count
            }
            if position == slots.count { return nil }
            child = children[slots.lowerBound + position]
        }
        return (Int(child), before)
    }

    /// Returns the sum of all leaves before a leaf. O(log n).
    func sum(before leaf: Int) -> Summary {
        var result = Summary.empty
        var (child, node) = (Int32(truncatingIfNeeded: leaf), leafParents[leaf])
        while node != Self.none {
            result = sum(of: Int(node) * Self.fanout..<slot(of: child, in: node)).followed(by: result)
            (child, node) = (node, parents[Int(node)])
        }
        return result
    }

    /// The first leaf in order; nil for an empty tree.
    var firstLeaf: Int? { isEmpty ? nil : edgeLeaf(below: root, levels: height, last: false) }

    /// The last leaf in order; nil for an empty tree.
    var lastLeaf: Int? { isEmpty ? nil : edgeLeaf(below: root, levels: height, last: true) }

    /// Returns the leaf after another one; nil after the last.
    func leaf(after leaf: Int) -> Int? { neighbour(of: leaf, step: 1) }

    /// Returns the leaf before another one; nil before the first.
    func leaf(before leaf: Int) -> Int? { neighbour(of: leaf, step: -1) }

    private func neighbour(of leaf: Int, step: Int) -> Int? {
        var (child, node, levels) = (Int32(truncatingIfNeeded: leaf), leafParents[leaf], 0)
        while node != Self.none {
            let slot = slot(of: child, in: node) + step
            if slots(of: node).contains(slot) {
                return edgeLeaf(below: children[slot], levels: levels, last: step < 0)
            }
            (child, node, levels) = (node, parents[Int(node)], levels + 1)
        }
        return nil
    }

    private func edgeLeaf(below node: Int32, levels: Int, last: Bool) -> Int {
        var node = node
        for _ in 0..<levels {
            let slots = slots(of: node)
            node = children[last ? slots.upperBound - 1 : slots.lowerBound]
        }
        return Int(node)
    }

    /// Returns the leaves for which `wanted` is true, in the order of ``walk(where:_:)``.
    func leaves(where wanted: (Summary, Summary) -> Bool) -> [Found] {
        var found: [Found] = []
        walk(where: wanted) { leaf, before in
            found.append((leaf, before))
            return true
        }
        return found
    }

    /// Calls `body` with each leaf, in order, until `body` returns false. Subtrees for which `wanted` is false are
    /// skipped.
    ///
    /// `wanted` is called with the sum of all leaves before a subtree and the sum of the subtree. O(log n) for each
    /// run of wanted leaves.
    func walk(where wanted: (Summary, Summary) -> Bool, _ body: (Int, Summary) -> Bool) {
        _ = walk(below: root, levels: height, before: .empty, where: wanted, body)
    }

    private func walk(
        below node: Int32, levels: Int, before: Summary, where wanted: (Summary, Summary) -> Bool,
        _ body: (Int, Summary) -> Bool
    ) -> Bool {
        var before = before
        for slot in slots(of: node) {
            if wanted(before, sums[slot]) {
                let goesOn =
                    levels == 1
                    ? body(Int(children[slot]), before)
                    : walk(below: children[slot], levels: levels - 1, before: before, where: wanted, body)
                guard goesOn else { return false }
            }
            before = before.followed(by: sums[slot])
        }
        return true
    }
}

/// Changes. The `level` of a node is the number of levels from it down to the leaves, and that of a leaf is 0.
extension SummaryTree {
    /// Sets the sum of a leaf. O(log n).
    mutating func update(_ leaf: Int, to sum: Summary) {
        let node = leafParents[leaf]
        sums[slot(of: Int32(truncatingIfNeeded: leaf), in: node)] = sum
        updateSums(above: node)
    }

    /// Sets the sums of all leaves. O(n).
    mutating func updateAll(_ sum: (Int) -> Summary) { total = updateAll(below: root, levels: height, sum) }

    private mutating func updateAll(below node: Int32, levels: Int, _ sum: (Int) -> Summary) -> Summary {
        for slot in slots(of: node) {
            let child = children[slot]
            sums[slot] = levels == 1 ? sum(Int(child)) : updateAll(below: child, levels: levels - 1, sum)
        }
        return self.sum(ofNode: node)
    }

    /// Inserts a leaf after the leaf `previous`, or before all other leaves for nil. Returns the number of the new
    /// leaf: the lowest number that was never used, or that of a removed leaf. O(log n).
    mutating func insert(_ sum: Summary, after previous: Int?) -> Int {
        let leaf = freeLeaves.popLast() ?? Int32(truncatingIfNeeded: leafParents.count)
        if Int(leaf) == leafParents.count { leafParents.append(Self.none) }
        if let previous {
            let node = leafParents[previous]
            insert(leaf, sum, at: slot(of: Int32(truncatingIfNeeded: previous), in: node) + 1, in: node, level: 1)
        } else {
            var node = root
            for _ in 1..<height { node = children[Int(node) * Self.fanout] }
            insert(leaf, sum, at: Int(node) * Self.fanout, in: node, level: 1)
        }
        return Int(leaf)
    }

    /// Removes a leaf. Its number may be used again. O(log n).
    mutating func remove(_ leaf: Int) {
        remove(Int32(truncatingIfNeeded: leaf), from: leafParents[leaf], level: 1)
        freeLeaves.append(Int32(truncatingIfNeeded: leaf))
    }

    private mutating func updateSums(above node: Int32) {
        var (node, sum) = (node, sum(ofNode: node))
        while parents[Int(node)] != Self.none {
            let parent = parents[Int(node)]
            sums[slot(of: node, in: parent)] = sum
            (node, sum) = (parent, self.sum(ofNode: parent))
        }
        total = sum
    }

    private mutating func append(_ child: Int32, _ sum: Summary, to node: Int32, level: Int) {
        set(slots(of: node).upperBound, of: node, to: child, sum, level: level)
        counts[Int(node)] += 1
    }

    private mutating func set(_ slot: Int, of node: Int32, to child: Int32, _ sum: Summary, level: Int) {
        children[slot] = child
        sums[slot] = sum
        if level == 1 { leafParents[Int(child)] = node } else { parents[Int(child)] = node }
    }

    /// Inserts a child at a slot of a node. A full node is split first.
    private mutating func insert(_ child: Int32, _ sum: Summary, at slot: Int, in node: Int32, level: Int) {
        let (slot, node) = counts[Int(node)] < Self.fanout ? (slot, node) : split(node, at: slot, level: level)
        for index in (slot..<slots(of: node).upperBound).reversed() {
            children[index + 1] = children[index]
            sums[index + 1] = sums[index]
        }
        set(slot, of: node, to: child, sum, level: level)
        counts[Int(node)] += 1
        updateSums(above: node)
    }

    /// Splits a full node. Returns where a slot of it is afterwards.
    private mutating func split(_ node: Int32, at slot: Int, level: Int) -> (slot: Int, node: Int32) {
        let slots = slots(of: node)
        // Most lists grow at their end. There, the full node stays full and the next child starts a new node.
        let cut = slot == slots.upperBound ? slot : slots.lowerBound + Self.fanout / 2
        let right = makeNode()
        move(cut..<slots.upperBound, of: node, to: right, level: level)
        if node == root {
            root = makeNode()
            height += 1
            append(node, .empty, to: root, level: height)
        }
        let parent = parents[Int(node)]
        let place = self.slot(of: node, in: parent)
        sums[place] = sum(ofNode: node)
        insert(right, sum(ofNode: right), at: place + 1, in: parent, level: level + 1)
        let isRight = slot > cut || cut == slots.upperBound
        return isRight ? (Int(right) * Self.fanout + slot - cut, right) : (slot, node)
    }

    /// Moves the last or all children of a node to the end of another node.
    private mutating func move(_ slots: Range<Int>, of source: Int32, to target: Int32, level: Int) {
        for slot in slots { append(children[slot], sums[slot], to: target, level: level) }
        counts[Int(source)] -= Int32(truncatingIfNeeded: slots.count)
    }

    /// Removes a child. A node that gets small is merged with a neighbour if both fit into one node.
    private mutating func remove(_ child: Int32, from node: Int32, level: Int) {
        for slot in slot(of: child, in: node)..<slots(of: node).upperBound - 1 {
            children[slot] = children[slot + 1]
            sums[slot] = sums[slot + 1]
        }
        counts[Int(node)] -= 1
        updateSums(above: node)
        if node == root {
            lowerRoot()
        } else if counts[Int(node)] == 0 {
            removeNode(node, level: level)
        } else if counts[Int(node)] < Self.fanout / 4 {
            merge(node, level: level)
        }
    }

    private mutating func removeNode(_ node: Int32, level: Int) {
        let parent = parents[Int(node)]
        free(node)
        remove(node, from: parent, level: level + 1)
    }

    private mutating func merge(_ node: Int32, level: Int) {
        let (parent, slot) = (parents[Int(node)], slot(of: node, in: parents[Int(node)]))
        let left = slot + 1 < slots(of: parent).upperBound ? slot : slot - 1
        guard left >= slots(of: parent).lowerBound else { return }
        let (target, source) = (children[left], children[left + 1])
        guard counts[Int(target)] + counts[Int(source)] <= Self.fanout * 3 / 4 else { return }
        move(slots(of: source), of: source, to: target, level: level)
        sums[left] = sum(ofNode: target)
        removeNode(source, level: level)
    }

    /// Removes the root as long as it has a single child that is a node, which becomes the root.
    private mutating func lowerRoot() {
        while height > 1, counts[Int(root)] == 1 {
            let child = children[Int(root) * Self.fanout]
            free(root)
            root = child
            parents[Int(root)] = Self.none
            height -= 1
        }
    }
}

extension SummaryTree where Summary: AdditiveArithmetic {
    /// Adds a difference to the sum of a leaf, without a look at other leaves. O(log n).
    mutating func add(_ difference: Summary, to leaf: Int) {
        total += difference
        var (child, node) = (Int32(truncatingIfNeeded: leaf), leafParents[leaf])
        while node != Self.none {
            sums[slot(of: child, in: node)] += difference
            (child, node) = (node, parents[Int(node)])
        }
    }
}

extension SummaryTree where Summary: Equatable {
    /// Returns a description of the first broken invariant of the tree; nil if all hold. For tests. O(n).
    ///
    /// - Parameter sum: returns the sum of a leaf's contents.
    func brokenInvariant(_ sum: (Int) -> Summary) -> String? {
        var seen = 0
        let fault = brokenInvariant(below: root, levels: height, parent: Self.none, expecting: total) { leaf in
            seen += 1
            return sum(leaf)
        }
        return fault ?? (seen == count ? nil : "the tree has \(count) leaves, but \(seen) are reachable")
    }

    private func brokenInvariant(
        below node: Int32, levels: Int, parent: Int32, expecting expected: Summary, _ sum: (Int) -> Summary
    ) -> String? {
        if parents[Int(node)] != parent { return "node \(node) has a wrong parent" }
        if self.sum(ofNode: node) != expected { return "node \(node) has another sum than its children" }
        if slots(of: node).count > Self.fanout { return "node \(node) has too many children" }
        if slots(of: node).isEmpty, parent != Self.none { return "node \(node) is empty" }
        for slot in slots(of: node) {
            let child = children[slot]
            if levels > 1 {
                let fault = brokenInvariant(
                    below: child, levels: levels - 1, parent: node, expecting: sums[slot], sum)
                if let fault { return fault }
            } else if leafParents[Int(child)] != node {
                return "leaf \(child) has a wrong parent"
            } else if sum(Int(child)) != sums[slot] {
                return "leaf \(child) has another sum than its contents"
            }
        }
        return nil
    }
}

/// An array that is stored in pages, so that changing one of two copies duplicates only the changed pages.
///
/// A copy, such as of a layout for anchoring, shares all pages. The first change after that copies one page and the
/// list of pages, which has a few hundred entries for the layout of a million small sections.
struct PagedArray<Element> {
    /// The number of elements per page, a power of two.
    private static var pageSize: Int { 64 }

    private var pages: [[Element]] = []
    private(set) var count = 0

    init() {}

    init(_ elements: [Element]) {
        count = elements.count
        pages = stride(from: 0, to: elements.count, by: Self.pageSize).map {
            Array(elements[$0..<min($0 + Self.pageSize, elements.count)])
        }
    }

    init(repeating element: Element, count: Int) {
        self.init(Array(repeating: element, count: count))
    }

    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Element {
        get { pages[index / Self.pageSize][index % Self.pageSize] }
        _modify { yield &pages[index / Self.pageSize][index % Self.pageSize] }
    }

    /// Calls `body` with a span of elements, which must lie in one page.
    @inline(__always)
    func withRun<Result>(from index: Int, count: Int, _ body: (Span<Element>) -> Result) -> Result {
        let first = index % Self.pageSize
        let page = pages[index / Self.pageSize]
        return body(page.span.extracting(first..<first + count))
    }

    mutating func append(_ element: Element) {
        if count % Self.pageSize == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }
}

extension PagedArray: Sendable where Element: Sendable {}
