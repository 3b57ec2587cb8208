// SPDX-License-Identifier: Apache-2.0

/// Answers a layout's questions about the list as one view sees it.
///
/// It lives as long as one call of the layout. The geometry of kinds with traits is found without a handle, so that a
/// section that is not displayed leaves no trace in the store.
final class ViewLayoutSource: LayoutSource {
    private let store: SectionStore
    /// Sizes that the viewer measured.
    private let measured: [SectionHandle: [Int: Size]]
    private let container: ListContainer
    /// The section asked about last: layouts ask for its items one after the other.
    private var last: Answer?
    /// Some sections from the one asked about on: layouts mostly ask in order.
    private var block: (start: Int, sections: [SectionTree.Section]) = (0, [])
    /// The traits of the type that was looked up last.
    private var known: (type: ObjectType, traits: Traits?)?
    /// Sections that were found to be at fault while single items of them were asked about.
    private(set) var faults: [Int] = []

    private struct Answer {
        let section: Int
        let shape: ListSectionShape
        /// Whether it is the shape of all sections of its kind.
        let isFixed: Bool
    }

    /// What the traits of a kind say in this container.
    private struct Traits {
        let shape: @Sendable (ListObject, ListContainer) -> ListSectionShape
        /// The shape of all sections, where it is one.
        let fixed: ListSectionShape?
    }

    init(_ store: SectionStore, measured: [SectionHandle: [Int: Size]], container: ListContainer) {
        self.store = store
        self.measured = measured
        self.container = container
    }

    var numberOfSections: Int { store.map.count }

    func metrics(forSection section: Int) -> SectionMetrics { shape(ofSection: section).metrics }

    func run(fromSection section: Int) -> SectionRun {
        let answer = answer(forSection: section)
        let metrics = answer.shape.metrics
        guard answer.isFixed, metrics.uniformItemSize != nil else { return SectionRun(metrics: metrics, count: 1) }
        return SectionRun(
            metrics: metrics,
            count: store.map.countOfSections(likeSectionAt: section, payloadsMatter: !areHandlesPlain))
    }

    func sizeForItem(at path: IndexPath) -> Size {
        if let size = answer(forItem: path, { $0.sizeForItem(at: $1) }, isGood: \.isFinite) {
            return reportedSize(of: path) ?? size
        }
        let shape = shape(ofSection: path.section)
        if let uniform = shape.metrics.uniformItemSize { return uniform }
        return shape.sizes.indices.contains(path.item) ? shape.sizes[path.item] : .zero
    }

    func placementOfItem(at path: IndexPath) -> ItemPlacement {
        if var placement = answer(forItem: path, { $0.placementOfItem(at: $1) }, isGood: \.frame.isFinite) {
            placement.frame.size = reportedSize(of: path) ?? placement.frame.size
            return placement
        }
        let placements = shape(ofSection: path.section).placements
        return placements.indices.contains(path.item) ? placements[path.item] : ItemPlacement(frame: .zero)
    }

    private func shape(ofSection section: Int) -> ListSectionShape { answer(forSection: section).shape }

    private func answer(forSection section: Int) -> Answer {
        if let last, last.section == section { return last }
        let answer =
            plainAnswer(forSection: section)
            ?? Answer(section: section, shape: askedShape(ofSection: section), isFixed: false)
        last = answer
        return answer
    }

    private func askedShape(ofSection section: Int) -> ListSectionShape {
        guard let handle = store.map.handle(at: section) else {
            return ListSectionShape(metrics: SectionMetrics(itemCount: 0))
        }
        var shape = store.askShape(of: handle, in: container)
        if let reported = measured[handle] { shape.replaceSizes(reported) }
        return shape
    }

    // MARK: One item

    /// What the controller says of one item, for a layout that asks about that item and not about its section; `nil` where
    /// the whole section was asked about, where its kind's traits know, and where it is at fault.
    private func answer<Geometry>(
        forItem path: IndexPath, _ ask: (ListSectionController, Int) -> Geometry, isGood: (Geometry) -> Bool
    ) -> Geometry? {
        guard last?.section != path.section, let found = section(at: path.section), traits(of: found.object) == nil,
            let handle = store.map.handle(at: path.section), store.fault(of: handle) == nil
        else { return nil }
        let geometry = store.askGeometry(ofItemAt: path.item, of: handle, ask, isGood: isGood)
        if geometry == nil, store.fault(of: handle) != nil { faults.append(path.section) }
        return geometry
    }

    private func reportedSize(of path: IndexPath) -> Size? {
        guard !measured.isEmpty, let handle = store.map.knownHandle(at: path.section) else {
            return nil
        }
        return measured[handle]?[path.item]
    }

    // MARK: By traits

    /// The shape of a section by its kind's traits alone; `nil` where the section has to be asked, or may be at fault.
    private func plainAnswer(forSection section: Int) -> Answer? {
        guard let found = plainSection(at: section), let traits = traits(of: found.object) else { return nil }
        var shape = traits.fixed ?? traits.shape(found.object, container)
        shape.metrics.itemCount = found.itemCount
        guard shape.isComplete(itemCount: found.itemCount), shape.isFinite else { return nil }
        return Answer(section: section, shape: shape, isFixed: traits.fixed != nil)
    }

    /// A section that is not at fault and of which nothing was measured.
    private func plainSection(at section: Int) -> SectionTree.Section? {
        guard let found = self.section(at: section) else { return nil }
        guard found.payload != SectionTree.noPayload, !areHandlesPlain else { return found }
        let handle = SectionHandle(raw: found.payload)
        return store.fault(of: handle) == nil && measured[handle] == nil ? found : nil
    }

    /// Whether no section at all is at fault or measured.
    private var areHandlesPlain: Bool { store.faults.isEmpty && measured.isEmpty }

    private func section(at position: Int) -> SectionTree.Section? {
        if !block.sections.indices.contains(position - block.start) {
            // A layout that jumps asks for few sections, one that goes through the list for all.
            let length = position == block.start + block.sections.count ? ViewLayoutSource.blockLength : 1
            block = (position, store.map.sections(in: position..<position + length))
        }
        return block.sections.indices.contains(position - block.start) ? block.sections[position - block.start] : nil
    }

    private func traits(of object: ListObject) -> Traits? {
        let type = object.objectType
        if let known, known.type === type { return known.traits }
        let traits = store.kind(for: object)?.traits.map {
            Traits(shape: $0.shape, fixed: $0.fixedShape?(container))
        }
        known = (type, traits)
        return traits
    }

    private static let blockLength = 256
}

extension ListSectionShape {
    /// Puts measured sizes in front of estimates.
    mutating func replaceSizes(_ reported: [Int: Size]) {
        if let uniform = metrics.uniformItemSize {
            sizes = Array(repeating: uniform, count: metrics.itemCount)
            metrics.uniformItemSize = nil
        }
        for (index, size) in reported where sizes.indices.contains(index) { sizes[index] = size }
        for (index, size) in reported where placements.indices.contains(index) { placements[index].frame.size = size }
    }
}
