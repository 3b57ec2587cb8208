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
        tree.order.walk { _, _ in
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

/// The place of some neighbouring sections in a flow.
struct FlowPart: Sendable {
    /// The part of the content along the scroll axis that the sections and the rows at their ends take.
    let extent: Interval
    /// The state after the last of the sections.
    let exit: FlowState
    let contentSize: Size
}

extension FlowLayout {
    /// Returns the place of some sections, which must exist; nil if there is none.
    ///
    /// - Complexity: O(log n).
    func part(of sections: Range<Int>) -> FlowPart? {
        guard !sections.isEmpty, let entry = state(before: sections.lowerBound),
            let exit = state(before: sections.upperBound)
        else { return nil }
        var extent = Interval(start: min(entry.row, entry.edge), end: max(exit.nextRow, exit.edge))
        tree.order.walk { before, part in
            let own = before.sections..<before.sections + part.sections
            guard own.overlaps(sections) else { return false }
            guard sections.lowerBound <= own.lowerBound, own.upperBound <= sections.upperBound else { return true }
            extent = extent.union(part.extent.shifted(by: before.advance))
            return false
        } _: { leaf, before in
            tree.leaves[leaf].visit(.none, rules: rules) { _, _, _ in
            } section: { index, frames in
                guard sections.contains(before.sections + index) else { return }
                extent = extent.union(frames.bounds.along.shifted(by: before.advance))
            }
            return true
        }
        return FlowPart(extent: extent, exit: exit, contentSize: contentSize)
    }

    /// Returns the part of the content along the scroll axis, in points, in which frames differ from those before a
    /// change of some sections; nil if frames of other sections may differ too.
    ///
    /// - Parameter old: the place of the sections before the change, which kept the number of sections.
    func changedPart(of sections: Range<Int>, before old: FlowPart) -> ClosedRange<Double>? {
        guard let new = part(of: sections), new.exit == old.exit, new.contentSize == old.contentSize else { return nil }
        return points(new.extent.union(old.extent))
    }

    /// Returns the part of the content along the scroll axis, in points, in which some sections lie; nil if there are none.
    ///
    /// - Complexity: O(log n).
    func extent(of sections: Range<Int>) -> ClosedRange<Double>? { part(of: sections).map { points($0.extent) } }

    /// Returns an interval in points, with a point more on each side, so that rounded coordinates are inside.
    private func points(_ extent: Interval) -> ClosedRange<Double> {
        rules.scale.points(extent.start) - 1...rules.scale.points(extent.end) + 1
    }

    /// Returns the state of the flow before a section, or after the last one, in the coordinates of the content.
    private func state(before section: Int) -> FlowState? {
        guard section < numberOfSections else {
            guard section == numberOfSections, let last = tree.order.lastLeaf else { return nil }
            return tree.leaves[last].exit.rebased(by: -tree.order.total.advance)
        }
        return locate(section).map { leaf, index, origin in
            tree.leaves[leaf].state(before: index, rules: rules).rebased(by: -origin)
        }
    }
}

/// Changes of single sections. Each function adds to `touched` the chunks that have to be laid out afterwards.
extension FlowLayout {
    /// Removes the sections at old positions, which must be ascending.
    mutating func remove(_ positions: [Int], touched: inout Set<Int>) {
        var rest = positions[...]
        while let last = rest.last, let (leaf, before) = tree.order.first(where: { $0.sections > last }) {
            guard let pack = tree.leaves[leaf].pack else {
                rest.removeLast()
                removeChunk(leaf, touched: &touched)
                continue
            }
            var columns = PackColumns(pack)
            while let position = rest.last, position >= before.sections {
                columns.remove(position - before.sections)
                rest.removeLast()
            }
            store(columns, in: leaf, touched: &touched)
        }
    }

    /// Inserts sections from the source at new positions, which must be ascending.
    mutating func insert(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        var rest = positions[...]
        while let first = rest.popFirst() {
            switch SectionDraft(section: first, source: source, rules: rules) {
            case .large(let large): insert(large, at: first, touched: &touched)
            case .small(let shape):
                let (leaf, start) = leafForInsertion(at: first)
                var columns = tree.leaves[leaf].pack.map(PackColumns.init) ?? PackColumns()
                let appends = first == tree.order.total.sections
                columns.insert(shape, at: first - start)
                while let next = rest.first, next <= start + columns.sectionCount {
                    // A large section splits the pack, so it is inserted in the next round.
                    guard case .small(let shape) = SectionDraft(section: next, source: source, rules: rules) else {
                        break
                    }
                    columns.insert(shape, at: next - start)
                    rest.removeFirst()
                }
                store(columns, in: leaf, fillingPacks: appends, touched: &touched)
            }
        }
    }

    /// Reads the sections at new positions again. The positions must be ascending.
    mutating func reload(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        for position in positions {
            guard let (leaf, before) = tree.order.first(where: { $0.sections > position }) else { return }
            let draft = SectionDraft(section: position, source: source, rules: rules)
            switch (draft, tree.leaves[leaf].pack.map(PackColumns.init)) {
            case (.small(let shape), .some(var columns)):
                let section = position - before.sections
                guard columns.shape(of: section) != shape else { continue }
                columns.remove(section)
                columns.insert(shape, at: section)
                store(columns, in: leaf, touched: &touched)
            case (.large(let large), .none):
                if case .large(let old) = tree.leaves[leaf].content, old.hasShape(of: large) { continue }
                tree.update(leaf) { $0 = FlowChunk(.large(large)) }
                touched.insert(leaf)
            case (.small, .none), (.large, .some):
                remove([position], touched: &touched)
                insert([position], source: source, touched: &touched)
            }
        }
    }

    /// Reads the size of one item again. A path without an item is ignored.
    mutating func resize(_ path: IndexPath, source: some LayoutSource, touched: inout Set<Int>) {
        guard path.section >= 0, let (leaf, before) = tree.order.first(where: { $0.sections > path.section }) else {
            return
        }
        let section = path.section - before.sections
        guard let count = tree.leaves[leaf].itemCount(ofSection: section), (0..<count).contains(path.item) else {
            return
        }
        let size = rules.axisSize(of: source.sizeForItem(at: path))
        if tree.update(leaf, { $0.resize(path.item, inSection: section, to: size) }) { touched.insert(leaf) }
    }

    /// Lays out the changed chunks, and the chunks after them whose state at the start changes.
    mutating func layOutAfterChanges(_ touched: Set<Int>) {
        let ordered = touched.map { (tree.order.sum(before: $0).sections, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        tree.layOutAfterChanges(ordered, from: FlowState(), rules: rules)
    }
}

extension FlowLayout {
    /// Returns the chunk into which a small section at a position is inserted, and the position of the chunk's first
    /// section. Makes a new chunk if needed.
    ///
    /// The chunk of the previous section is preferred, so that appended sections go to the last chunk.
    private mutating func leafForInsertion(at position: Int) -> (leaf: Int, start: Int) {
        let previous = position > 0 ? tree.order.first { $0.sections >= position } : nil
        if let previous, tree.leaves[previous.leaf].pack != nil { return (previous.leaf, previous.before.sections) }
        let next = previous.map { tree.order.leaf(after: $0.leaf) } ?? tree.order.firstLeaf
        if let next, tree.leaves[next].pack != nil { return (next, position) }
        return (tree.insert(.vacant, after: previous?.leaf), position)
    }

    private mutating func insert(_ large: LargeSection, at position: Int, touched: inout Set<Int>) {
        let previous = position > 0 ? tree.order.first { $0.sections >= position } : nil
        if let previous, let pack = tree.leaves[previous.leaf].pack {
            let cut = position - previous.before.sections
            if cut < pack.sectionCount {
                let columns = PackColumns(pack)
                let rest = FlowChunk(.sections(columns.pack(cut..<pack.sectionCount, neighbour: pack)))
                tree.update(previous.leaf) { $0.replace(by: columns.pack(0..<cut, neighbour: pack)) }
                touched.insert(previous.leaf)
                touched.insert(tree.insert(rest, after: previous.leaf))
            }
        }
        touched.insert(tree.insert(FlowChunk(.large(large)), after: previous?.leaf))
    }

    /// Stores changed sections in their chunk. To keep packs well filled, a large chunk is split, and a small one is
    /// merged with the next chunk.
    ///
    /// - Parameter fillsPacks: whether a split fills every pack except the last one.
    private mutating func store(
        _ columns: PackColumns, in leaf: Int, fillingPacks fillsPacks: Bool = false, touched: inout Set<Int>
    ) {
        guard columns.sectionCount > 0 else { return removeChunk(leaf, touched: &touched) }
        var columns = columns
        if columns.sectionCount < SectionPack.maximumSections / 4, let next = tree.order.leaf(after: leaf),
            let pack = tree.leaves[next].pack,
            pack.sectionCount + columns.sectionCount <= SectionPack.maximumSections,
            pack.itemCount + columns.itemCount <= SectionPack.maximumItems
        {
            columns.append(contentsOf: PackColumns(pack))
            removeChunk(next, touched: &touched)
        }
        var last = leaf
        for (place, pack) in columns.packs(filled: fillsPacks).enumerated() {
            if place == 0 {
                tree.update(leaf) { $0.replace(by: pack) }
            } else {
                last = tree.insert(FlowChunk(.sections(pack)), after: last)
            }
            touched.insert(last)
        }
    }

    /// Removes a chunk. The next chunk then has to be laid out with another state.
    private mutating func removeChunk(_ leaf: Int, touched: inout Set<Int>) {
        if let next = tree.order.leaf(after: leaf) { touched.insert(next) }
        tree.remove(leaf)
        touched.remove(leaf)
    }
}
