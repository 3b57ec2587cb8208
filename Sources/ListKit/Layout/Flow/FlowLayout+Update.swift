// SPDX-License-Identifier: Apache-2.0

extension FlowLayout {
    /// Updates the layout after one transaction; see ``ListLayout/update(_:source:)``.
    @discardableResult
    public mutating func update(_ changes: LayoutChanges, source: some LayoutSource) -> Bool {
        let count = max(0, source.numberOfSections)
        guard let edit = SectionEdit(changes, from: numberOfSections, to: count) else {
            // The changes do not match the source. Laying out everything is correct, only slower.
            prepare(source, container: container)
            return true
        }
        let reloadsFew =
            edit.removals.isEmpty && edit.insertions.isEmpty && edit.reloads.count <= Self.inPlaceReloadLimit
        if edit.count * Self.sectionsPerEdit > count, !reloadsFew {
            rebuild(edit, source: source)
            return true
        }
        var touched: Set<Int> = []
        remove(edit.removals, touched: &touched)
        insert(edit.insertions, source: source, touched: &touched)
        reload(edit.reloads, source: source, touched: &touched)
        layOutAfterChanges(touched)
        return !touched.isEmpty
    }

    /// Reads the sizes of single items again.
    @discardableResult
    public mutating func resize(_ items: [IndexPath], source: some LayoutSource) -> Bool {
        var touched: Set<Int> = []
        for path in items { resize(path, source: source, touched: &touched) }
        layOutAfterChanges(touched)
        return !touched.isEmpty
    }

    /// The number of sections up to which changes that only reload sections are made in place, even in a short list,
    /// for which other changes build all chunks again.
    private static var inPlaceReloadLimit: Int { 8 }

    /// The number of sections that can be laid out in the time of one edit in place.
    private static var sectionsPerEdit: Int { 32 }

    /// Builds all chunks again. Reads only the sections of the edit from the source. O(sections).
    private mutating func rebuild(_ edit: SectionEdit, source: some LayoutSource) {
        var builder = FlowChunkBuilder(rules: rules)
        var (removals, insertions, reloads) = (edit.removals[...], edit.insertions[...], edit.reloads[...])
        var (old, new) = (0, 0)
        func appendInsertions() {
            while insertions.first == new {
                insertions.removeFirst()
                builder.append(section: new, source: source)
                new += 1
            }
        }
        /// Appends the next old section with `append`. A removed section is skipped, and a reloaded one is read again.
        func copyOldSection(with append: (inout FlowChunkBuilder) -> Void) {
            defer { old += 1 }
            if removals.first == old {
                removals.removeFirst()
                return
            }
            appendInsertions()
            if reloads.first == new {
                reloads.removeFirst()
                builder.append(section: new, source: source)
            } else {
                append(&builder)
            }
            new += 1
        }
        tree.walk { _, _ in
            true
        } _: { leaf, _ in
            switch tree.leaves[leaf].content {
            case .large(let large): copyOldSection { $0.append(large) }
            case .sections(let pack):
                let columns = PackColumns(pack)
                for section in 0..<pack.sectionCount { copyOldSection { $0.append(columns.shape(of: section)) } }
            }
            return true
        }
        appendInsertions()
        tree = LeafTree(builder.finish())
        tree.layOutAll(from: FlowState(), rules: rules)
    }
}
