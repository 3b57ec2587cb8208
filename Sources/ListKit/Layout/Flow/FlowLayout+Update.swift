// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// Follows one transaction; see ``ListLayout/update(_:source:)``.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        let count = max(0, source.numberOfSections)
        guard let edit = SectionEdit(changes, from: numberOfSections, to: count) else {
            // The changes do not fit the source: laying out everything is correct, only slower.
            prepare(source, container: container)
            return true
        }
        let reloadsFew =
            edit.removals.isEmpty && edit.insertions.isEmpty && edit.reloads.count <= Self.fewReloads
        if edit.count * Self.sectionsForOneEdit > count, !reloadsFew {
            rebuild(edit, source: source)
            return true
        }
        var touched: Set<Int> = []
        remove(edit.removals, touched: &touched)
        insert(edit.insertions, source: source, touched: &touched)
        reload(edit.reloads, source: source, touched: &touched)
        settle(touched)
        return !touched.isEmpty
    }

    /// Asks for the sizes of single items again.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        var touched: Set<Int> = []
        for path in items { resize(path, source: source, touched: &touched) }
        settle(touched)
        return !touched.isEmpty
    }

    /// So many reloaded sections are edited in place, however short the list is.
    private static var fewReloads: Int { 8 }

    /// How many sections are laid out in the time of one edit in place.
    private static var sectionsForOneEdit: Int { 32 }

    /// Builds all chunks again, asking the source only about sections of the edit; O(sections).
    private mutating func rebuild(_ edit: SectionEdit, source: some LayoutSource) {
        var cutter = SectionCutter(rules: rules)
        var (removals, insertions, reloads) = (edit.removals[...], edit.insertions[...], edit.reloads[...])
        var (old, new) = (0, 0)
        func appendInsertions() {
            while insertions.first == new {
                insertions.removeFirst()
                cutter.append(section: new, source: source)
                new += 1
            }
        }
        func keep(_ append: (inout SectionCutter) -> Void) {
            defer { old += 1 }
            if removals.first == old {
                removals.removeFirst()
                return
            }
            appendInsertions()
            if reloads.first == new {
                reloads.removeFirst()
                cutter.append(section: new, source: source)
            } else {
                append(&cutter)
            }
            new += 1
        }
        tree.walk { _, _ in
            true
        } _: { leaf, _ in
            switch tree.leaves[leaf].content {
            case .large(let large): keep { $0.append(large) }
            case .sections(let pack):
                let columns = PackColumns(pack)
                for section in 0..<pack.sectionCount { keep { $0.append(columns.shape(of: section)) } }
            }
            return true
        }
        appendInsertions()
        tree = LeafTree(cutter.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }
}
