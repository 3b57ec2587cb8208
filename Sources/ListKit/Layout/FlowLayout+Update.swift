extension FlowLayout {
    /// Follows one transaction; see ``ListLayout/update(_:source:)``.
    mutating func update(_ changes: LayoutChanges, source: some LayoutSource) {
        let count = max(0, source.numberOfSections)
        guard let edit = SectionEdit(changes, from: numberOfSections, to: count) else {
            // Whoever lost count gets the right answer, only slower.
            return prepare(source, container: container)
        }
        if edit.count * Self.sectionsForOneEdit > count {
            rebuild(edit, source: source)
        } else {
            var touched: Set<Int> = []
            remove(edit.removals, touched: &touched)
            insert(edit.insertions, source: source, touched: &touched)
            reload(edit.reloads, source: source, touched: &touched)
            settle(touched)
        }
    }

    /// Asks for the sizes of single items again.
    mutating func resize(_ items: [IndexPath], source: some LayoutSource) {
        var touched: Set<Int> = []
        for path in items where path.section >= 0 {
            guard let (leaf, before) = tree.first(where: { $0.sections > path.section }),
                let count = tree.leaves[leaf].itemCount(ofSection: path.section - before.sections),
                (0..<count).contains(path.item)
            else { continue }
            let size = rules.size(source.sizeForItem(at: path))
            tree.update(leaf) { $0.resize(path.item, inSection: path.section - before.sections, to: size) }
            touched.insert(leaf)
        }
        settle(touched)
    }

    /// How many sections can be laid out while one is edited in place.
    private static var sectionsForOneEdit: Int { 32 }

    /// Cuts everything anew, asking the source only about what the edit names; O(sections).
    private mutating func rebuild(_ edit: SectionEdit, source: some LayoutSource) {
        var cutter = SectionCutter()
        var (removals, insertions, reloads) = (edit.removals[...], edit.insertions[...], edit.reloads[...])
        var next = 0
        func takeInsertions() {
            while insertions.first == next {
                insertions.removeFirst()
                cutter.append(SectionDraft(section: next, source: source, rules: rules))
                next += 1
            }
        }
        var old = 0
        tree.walk { _, _ in
            true
        } _: { leaf, _ in
            for draft in tree.leaves[leaf].drafts {
                defer { old += 1 }
                if removals.first == old {
                    removals.removeFirst()
                    continue
                }
                takeInsertions()
                if reloads.first == next {
                    reloads.removeFirst()
                    cutter.append(SectionDraft(section: next, source: source, rules: rules))
                } else {
                    cutter.append(draft)
                }
                next += 1
            }
            return true
        }
        takeInsertions()
        tree = LeafTree(cutter.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }
}

extension FlowLayout {
    private mutating func remove(_ positions: [Int], touched: inout Set<Int>) {
        var rest = positions[...]
        while let last = rest.last, let (leaf, before) = tree.first(where: { $0.sections > last }) {
            var drafts = tree.leaves[leaf].drafts
            while let position = rest.last, position >= before.sections {
                drafts.remove(at: position - before.sections)
                rest.removeLast()
            }
            replace(leaf, by: drafts, touched: &touched)
        }
    }

    private mutating func insert(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        var rest = positions[...]
        while let first = rest.first {
            // After the section before it, so that appending goes to the last chunk.
            let found = tree.first { $0.sections > max(0, first - 1) }
            let start = found?.before.sections ?? 0
            var drafts = found.map { tree.leaves[$0.leaf].drafts } ?? []
            let isLast = start + drafts.count == numberOfSections
            let appends = isLast && first == start + drafts.count
            while let position = rest.first, position <= start + drafts.count {
                drafts.insert(SectionDraft(section: position, source: source, rules: rules), at: position - start)
                rest.removeFirst()
            }
            let leaf = found?.leaf ?? tree.insert(.vacant, after: nil)
            replace(leaf, by: drafts, fillsUp: appends, touched: &touched)
        }
    }

    private mutating func reload(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        var rest = positions[...]
        while let first = rest.first, let (leaf, before) = tree.first(where: { $0.sections > first }) {
            var drafts = tree.leaves[leaf].drafts
            var changes = false
            while let position = rest.first, position < before.sections + drafts.count {
                let draft = SectionDraft(section: position, source: source, rules: rules)
                changes = changes || !draft.isSame(as: drafts[position - before.sections])
                drafts[position - before.sections] = draft
                rest.removeFirst()
            }
            if changes { replace(leaf, by: drafts, touched: &touched) }
        }
    }

    /// Puts other sections in the place of a chunk; what is left of a small one joins its neighbour.
    private mutating func replace(
        _ leaf: Int, by drafts: [SectionDraft], fillsUp: Bool = false, touched: inout Set<Int>
    ) {
        var drafts = drafts
        if drafts.count < SectionPack.maximumSections / 4, let next = tree.leaf(after: leaf),
            let pack = tree.leaves[next].pack, pack.sectionCount + drafts.count <= SectionPack.maximumSections
        {
            drafts += tree.leaves[next].drafts
            tree.remove(next)
            touched.remove(next)
        }
        let chunks = SectionCutter.cut(drafts, fillsUp: fillsUp)
        guard let first = chunks.first else {
            if let next = tree.leaf(after: leaf) { touched.insert(next) }
            tree.remove(leaf)
            touched.remove(leaf)
            return
        }
        tree.update(leaf) { $0 = first }
        touched.insert(leaf)
        var previous = leaf
        for chunk in chunks.dropFirst() {
            previous = tree.insert(chunk, after: previous)
            touched.insert(previous)
        }
    }

    /// Lays out the chunks that were touched and those that follow from them.
    private mutating func settle(_ touched: Set<Int>) {
        let ordered = touched.map { (tree.sum(before: $0).sections, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        tree.settle(ordered, from: FlowState(), rules: rules)
    }
}
