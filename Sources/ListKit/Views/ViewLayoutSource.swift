// SPDX-License-Identifier: Apache-2.0

/// Provides a layout with the geometry of sections and items, as one view sees the list.
///
/// An instance exists during one call of the layout. The geometry of kinds with traits is computed without a handle,
/// so that sections that are not displayed take no memory in the store.
final class ViewLayoutSource: LayoutSource {
    private let store: SectionStore
    /// The item sizes that the viewer measured.
    private let measured: [SectionHandle: [Int: Size]]
    private let container: ListContainer
    /// The answer for the section that was requested last, because layouts request the items of a section one by one.
    private var last: Answer?
    /// A block of sections that were read ahead, because layouts mostly request sections in order.
    private var block: (start: Int, sections: [SectionTree.Section]) = (0, [])
    /// The traits of the type that was looked up last.
    private var known: (type: ObjectType, traits: Traits?)?
    /// Whether items fill their rows with an inset, for the last one.
    private var filled: (inset: EdgeInsets, flag: Bool)?
    /// The positions of sections that got a fault while single items of them were requested.
    private(set) var faults: [Int] = []
    /// Whether an answer may be another one in a viewport of another size.
    private(set) var dependsOnSize = false

    private struct Answer {
        let section: Int
        let shape: ListSectionShape
        /// Whether all sections of the kind have this shape.
        let isFixed: Bool
    }

    /// The traits of a kind, for this container.
    private struct Traits {
        let isIndependentOfSize: Bool
        let shape: @Sendable (ListObject, ListContainer) -> ListSectionShape
        /// The shape of all sections of the kind; `nil` = the shapes differ.
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
            count: store.map.countOfSections(likeSectionAt: section, payloadsMatter: !hasNoFaultsOrMeasuredSizes))
    }

    func sizeForItem(at path: IndexPath) -> Size {
        if let size = answer(forItem: path, { $0.sizeForItem(at: $1) }, isValid: \.isFinite) {
            return measuredSize(of: path) ?? size
        }
        let shape = shape(ofSection: path.section)
        if let uniform = shape.metrics.uniformItemSize { return uniform }
        return shape.sizes.indices.contains(path.item) ? shape.sizes[path.item] : .zero
    }

    func placementOfItem(at path: IndexPath) -> ItemPlacement {
        if var placement = answer(forItem: path, { $0.placementOfItem(at: $1) }, isValid: \.frame.isFinite) {
            placement.frame.size = measuredSize(of: path) ?? placement.frame.size
            return placement
        }
        let placements = shape(ofSection: path.section).placements
        return placements.indices.contains(path.item) ? placements[path.item] : ItemPlacement(frame: .zero)
    }

    private func shape(ofSection section: Int) -> ListSectionShape { answer(forSection: section).shape }

    private func answer(forSection section: Int) -> Answer {
        if let last, last.section == section { return last }
        let answer =
            answerFromTraits(forSection: section)
            ?? Answer(section: section, shape: askedShape(ofSection: section), isFixed: false)
        if !dependsOnSize, known?.traits?.isIndependentOfSize != true || !fillsRows(answer.shape.metrics.inset) {
            dependsOnSize = true
        }
        last = answer
        return answer
    }

    private func fillsRows(_ inset: EdgeInsets) -> Bool {
        // The last inset was mostly the same.
        if let filled, filled.inset == inset { return filled.flag }
        let flag = container.fillsRows(inset: inset)
        filled = (inset, flag)
        return flag
    }

    private func askedShape(ofSection section: Int) -> ListSectionShape {
        guard let handle = store.map.handle(at: section) else {
            return ListSectionShape(metrics: SectionMetrics(itemCount: 0))
        }
        var shape = store.askShape(of: handle, in: container)
        if let sizes = measured[handle] { shape.replaceSizes(with: sizes) }
        return shape
    }

    // MARK: One item

    /// Asks a controller for the geometry of one item, for a layout that requests this item and not its whole section.
    ///
    /// Returns `nil` if the whole section was requested last, if the kind has traits, or if the section has a fault.
    private func answer<Geometry>(
        forItem path: IndexPath, _ ask: (ListSectionController, Int) -> Geometry, isValid: (Geometry) -> Bool
    ) -> Geometry? {
        guard last?.section != path.section, let found = section(at: path.section), traits(of: found.object) == nil,
            let handle = store.map.handle(at: path.section), store.fault(of: handle) == nil
        else { return nil }
        dependsOnSize = true
        let geometry = store.askGeometry(ofItemAt: path.item, of: handle, ask, isValid: isValid)
        if geometry == nil, store.fault(of: handle) != nil { faults.append(path.section) }
        return geometry
    }

    private func measuredSize(of path: IndexPath) -> Size? {
        guard !measured.isEmpty, let handle = store.map.existingHandle(at: path.section) else {
            return nil
        }
        return measured[handle]?[path.item]
    }

    // MARK: By traits

    /// Returns the shape of a section by its kind's traits alone, or `nil` if the controller must be asked or the
    /// section may have a fault.
    private func answerFromTraits(forSection section: Int) -> Answer? {
        guard let found = faultlessSection(at: section), let traits = traits(of: found.object) else { return nil }
        var shape = traits.fixed ?? traits.shape(found.object, container)
        shape.metrics.itemCount = found.itemCount
        guard shape.isComplete(itemCount: found.itemCount), shape.isFinite else { return nil }
        return Answer(section: section, shape: shape, isFixed: traits.fixed != nil)
    }

    /// Returns the section at a position, or `nil` if it has a fault or measured sizes.
    private func faultlessSection(at section: Int) -> SectionTree.Section? {
        guard let found = self.section(at: section) else { return nil }
        guard found.payload != SectionTree.noPayload, !hasNoFaultsOrMeasuredSizes else { return found }
        let handle = SectionHandle(raw: found.payload)
        return store.fault(of: handle) == nil && measured[handle] == nil ? found : nil
    }

    /// Whether no section has a fault or measured sizes.
    private var hasNoFaultsOrMeasuredSizes: Bool { store.faults.isEmpty && measured.isEmpty }

    private func section(at position: Int) -> SectionTree.Section? {
        if !block.sections.indices.contains(position - block.start) {
            // Only a layout that requests the sections in order will need the sections after this one.
            let length = position == block.start + block.sections.count ? ViewLayoutSource.blockLength : 1
            block = (position, store.map.sections(in: position..<position + length))
        }
        return block.sections.indices.contains(position - block.start) ? block.sections[position - block.start] : nil
    }

    private func traits(of object: ListObject) -> Traits? {
        let type = object.objectType
        if let known, known.type === type { return known.traits }
        let traits = store.kind(for: object)?.traits.map {
            Traits(
                isIndependentOfSize: $0.isIndependentOfSize, shape: $0.shape, fixed: $0.fixedShape?(container))
        }
        known = (type, traits)
        return traits
    }

    private static let blockLength = 256
}

extension ListSectionShape {
    /// Replaces estimated sizes by measured sizes.
    mutating func replaceSizes(with measured: [Int: Size]) {
        if let uniform = metrics.uniformItemSize {
            sizes = Array(repeating: uniform, count: metrics.itemCount)
            metrics.uniformItemSize = nil
        }
        for (index, size) in measured where sizes.indices.contains(index) { sizes[index] = size }
        for (index, size) in measured where placements.indices.contains(index) { placements[index].frame.size = size }
    }
}
