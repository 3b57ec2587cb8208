// SPDX-License-Identifier: Apache-2.0

/// Changes of single sections; each adds the chunks to `touched` that have to be laid out after it.
extension FlowLayout {
    /// Removes sections; positions are those before, ascending.
    mutating func remove(_ positions: [Int], touched: inout Set<Int>) {
        var rest = positions[...]
        while let last = rest.last, let (leaf, before) = tree.first(where: { $0.sections > last }) {
            guard let pack = tree.leaves[leaf].pack else {
                rest.removeLast()
                drop(leaf, touched: &touched)
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

    /// Inserts sections; positions are those after, ascending.
    mutating func insert(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        var rest = positions[...]
        while let first = rest.popFirst() {
            switch SectionDraft(section: first, source: source, rules: rules) {
            case .large(let large): insert(large, at: first, touched: &touched)
            case .small(let shape):
                let (leaf, start) = leafToGrow(at: first)
                var columns = tree.leaves[leaf].pack.map(PackColumns.init) ?? PackColumns()
                let appends = first == tree.total.sections
                columns.insert(shape, at: first - start)
                while let next = rest.first, next <= start + columns.sectionCount {
                    // A large section splits the pack; it is inserted in the next round.
                    guard case .small(let shape) = SectionDraft(section: next, source: source, rules: rules) else {
                        break
                    }
                    columns.insert(shape, at: next - start)
                    rest.removeFirst()
                }
                store(columns, in: leaf, full: appends, touched: &touched)
            }
        }
    }

    /// Reads sections again; positions are the new ones, ascending.
    mutating func reload(_ positions: [Int], source: some LayoutSource, touched: inout Set<Int>) {
        for position in positions {
            guard let (leaf, before) = tree.first(where: { $0.sections > position }) else { return }
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

    /// Reads the size of one item again; a path without an item is ignored.
    mutating func resize(_ path: IndexPath, source: some LayoutSource, touched: inout Set<Int>) {
        guard path.section >= 0, let (leaf, before) = tree.first(where: { $0.sections > path.section }) else { return }
        let section = path.section - before.sections
        guard let count = tree.leaves[leaf].itemCount(ofSection: section), (0..<count).contains(path.item) else {
            return
        }
        let size = rules.size(source.sizeForItem(at: path))
        if tree.update(leaf, { $0.resize(path.item, inSection: section, to: size) }) { touched.insert(leaf) }
    }

    /// Lays out the changed chunks and those that depend on them.
    mutating func settle(_ touched: Set<Int>) {
        let ordered = touched.map { (tree.sum(before: $0).sections, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        tree.settle(ordered, from: FlowState(), rules: rules)
    }
}

extension FlowLayout {
    /// The pack for a small section at a position, a new one if needed, and the pack's first section.
    ///
    /// The pack of the section before it, so that appending goes to the last chunk.
    private mutating func leafToGrow(at position: Int) -> (leaf: Int, start: Int) {
        let previous = position > 0 ? tree.first { $0.sections >= position } : nil
        if let previous, tree.leaves[previous.leaf].pack != nil { return (previous.leaf, previous.before.sections) }
        let next = previous.map { tree.leaf(after: $0.leaf) } ?? tree.firstLeaf
        if let next, tree.leaves[next].pack != nil { return (next, position) }
        return (tree.insert(.vacant, after: previous?.leaf), position)
    }

    private mutating func insert(_ large: LargeSection, at position: Int, touched: inout Set<Int>) {
        let previous = position > 0 ? tree.first { $0.sections >= position } : nil
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

    /// Stores changed sections in their chunk, which is split or joined with the next one to keep packs well filled.
    private mutating func store(
        _ columns: PackColumns, in leaf: Int, full: Bool = false, touched: inout Set<Int>
    ) {
        guard columns.sectionCount > 0 else { return drop(leaf, touched: &touched) }
        var columns = columns
        if columns.sectionCount < SectionPack.maximumSections / 4, let next = tree.leaf(after: leaf),
            let pack = tree.leaves[next].pack,
            pack.sectionCount + columns.sectionCount <= SectionPack.maximumSections,
            pack.itemCount + columns.itemCount <= SectionPack.maximumItems
        {
            columns.append(contentsOf: PackColumns(pack))
            drop(next, touched: &touched)
        }
        var last = leaf
        for (place, pack) in columns.packs(full: full).enumerated() {
            if place == 0 {
                tree.update(leaf) { $0.replace(by: pack) }
            } else {
                last = tree.insert(FlowChunk(.sections(pack)), after: last)
            }
            touched.insert(last)
        }
    }

    /// Removes a chunk; the next one then has another state at its entry.
    private mutating func drop(_ leaf: Int, touched: inout Set<Int>) {
        if let next = tree.leaf(after: leaf) { touched.insert(next) }
        tree.remove(leaf)
        touched.remove(leaf)
    }
}
