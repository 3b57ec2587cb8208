// SPDX-License-Identifier: Apache-2.0

/// A layout that several views share, because they have the same size and the same layout settings.
///
/// Each change of the layout calls section controllers, which see the geometry of the first of these views.
final class SharedLayout {
    /// The properties that are equal in all views that share a layout.
    struct Key: Hashable {
        let kind: ListLayoutKind
        let configuration: LayoutConfiguration
        /// The size of the viewport.
        let size: Size
        /// The content insets that section controllers see.
        let inset: EdgeInsets

        fileprivate func differsInSizeOnly(from other: Key) -> Bool {
            kind == other.kind && configuration == other.configuration && inset == other.inset
        }
    }

    let key: Key
    private(set) var layout: any ListLayout
    /// The layout before the update that is being presented, if it is needed for anchoring.
    private(set) var oldLayout: (any ListLayout)?
    /// The part of the content along the scroll axis in which the update that is being presented changed frames; `nil` =
    /// it changed none. It is endless if it is not known.
    private(set) var changedPart: ClosedRange<Double>?
    /// Whether a section controller has given a size that may be another one in a viewport of another size.
    private var dependsOnSize = false
    /// Whether only one view uses the layout, because its viewer measured item sizes.
    let isPrivate: Bool
    /// The views that use the layout, in ascending order.
    private var views: [ViewID] = []

    init(_ key: Key, _ layout: any ListLayout, isPrivate: Bool) {
        self.key = key
        self.layout = layout
        self.isPrivate = isPrivate
    }

    /// Whether no view uses the layout.
    var isUnused: Bool { views.isEmpty }

    /// Adds a view that uses the layout.
    func add(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place == views.count || views[place] != view { views.insert(view, at: place) }
    }

    /// Removes a view that no longer uses the layout.
    func remove(_ view: ViewID) {
        let place = views.partitionPoint { $0 < view }
        if place < views.count, views[place] == view { views.remove(at: place) }
    }

    /// Keeps a copy of the present layout until ``releaseOldLayout()``.
    func keepOldLayout() { oldLayout = layout }

    /// Releases the copy that ``keepOldLayout()`` made.
    func releaseOldLayout() { oldLayout = nil }

    /// Lays all sections out.
    ///
    /// - Parameter other: a layout of the same list in another size, which is used if no size depends on that of the
    ///   viewport.
    func prepare(
        _ measured: [SectionHandle: [Int: Size]], like other: SharedLayout? = nil, in environment: ViewEnvironment
    ) {
        if let other, !other.isPrivate, !other.dependsOnSize, measured.isEmpty, key.differsInSizeOnly(from: other.key) {
            var changed = other.layout
            if changed.setContainer(key.size) { return layout = changed }
        }
        changeLayout(measured, in: environment) { layout, source in
            layout.prepare(source, container: key.size)
            return true
        }
    }

    /// Applies an update of the list.
    ///
    /// - Parameters:
    ///   - resized: the items of which only the sizes changed.
    ///   - moved: the sections outside of which the update keeps all sections in their places; `nil` = there are none.
    func update(
        _ changes: LayoutChanges, resized: [IndexPath] = [], _ measured: [SectionHandle: [Int: Size]] = [:],
        moved: Range<Int>? = nil, in environment: ViewEnvironment
    ) {
        // The header of the section before them sticks up to their start, and their last row may end with the one after them.
        let moved = moved.map { max(0, $0.lowerBound - 1)..<min($0.upperBound + 1, environment.map.count) }
        let before = moved.flatMap { (layout as? FlowLayout)?.part(of: $0) }
        let haveFramesChanged = changeLayout(measured, in: environment) { layout, source in
            var haveFramesChanged = layout.update(changes, source: source)
            guard !resized.isEmpty else { return haveFramesChanged }
            if layout.resize(resized, source: source) { haveFramesChanged = true }
            // A section that got a fault meanwhile is laid out again, with error items.
            if !source.faults.isEmpty, layout.update(LayoutChanges(reloads: source.faults), source: source) {
                haveFramesChanged = true
            }
            return haveFramesChanged
        }
        guard haveFramesChanged else { return changedPart = nil }
        changedPart = -.infinity ... .infinity
        guard let moved, let before, let flow = layout as? FlowLayout else { return }
        if let part = flow.changedPart(of: moved, before: before) { changedPart = part }
    }

    /// Runs a closure that changes the layout and thereby calls section controllers.
    ///
    /// The views have an empty layout meanwhile. A section controller that reads their layout finds no elements.
    /// - Returns: the result of the closure, which is whether any frame changed.
    @discardableResult
    private func changeLayout(
        _ measured: [SectionHandle: [Int: Size]], in environment: ViewEnvironment,
        _ change: (inout any ListLayout, ViewLayoutSource) -> Bool
    ) -> Bool {
        guard let view = views.first else { return false }
        var changed = layout
        layout = NoLayout()
        let container = ListContainer(
            size: key.size, inset: key.inset, direction: environment.options.direction, layout: key.kind)
        let source = ViewLayoutSource(environment.store, measured: measured, container: container)
        var haveFramesChanged = false
        environment.layOut(view) { haveFramesChanged = change(&changed, source) }
        layout = changed
        dependsOnSize = dependsOnSize || source.dependsOnSize || !measured.isEmpty
        return haveFramesChanged
    }
}

/// The layouts of a list that several views may share.
final class SharedLayouts {
    private var layouts: [SharedLayout.Key: SharedLayout] = [:]

    /// Whether the update that is being presented changed any frame in a shared layout.
    var haveFramesChanged: Bool { layouts.values.contains { $0.changedPart != nil } }

    /// The parts of the content along the scroll axis in which that update changed frames, by layout.
    var changedParts: [ObjectIdentifier: ClosedRange<Double>] {
        layouts.values.reduce(into: [:]) { $0[ObjectIdentifier($1)] = $1.changedPart }
    }

    /// Returns the layout with a key, or `nil` if no view uses such a layout.
    func layout(for key: SharedLayout.Key) -> SharedLayout? { layouts[key] }

    /// Adds a layout, so that other views may share it.
    func add(_ layout: SharedLayout) { layouts[layout.key] = layout }

    /// Removes a layout if no view uses it any more.
    func removeIfUnused(_ layout: SharedLayout) {
        if layout.isUnused, layouts[layout.key] === layout { layouts[layout.key] = nil }
    }

    /// Removes all layouts. Views that are laid out from now on do not share them.
    func removeAll() { layouts = [:] }

    /// Keeps copies of the present layouts until ``releaseOldLayouts()``.
    func keepOldLayouts() { for layout in layouts.values { layout.keepOldLayout() } }

    /// Releases the copies that ``keepOldLayouts()`` made.
    func releaseOldLayouts() { for layout in layouts.values { layout.releaseOldLayout() } }

    /// Applies an update of the list to all layouts.
    ///
    /// - Parameter moved: the sections outside of which the update keeps all sections in their places.
    func update(
        _ changes: LayoutChanges, resized: [IndexPath], moved: Range<Int>?, in environment: ViewEnvironment
    ) {
        for layout in layouts.values { layout.update(changes, resized: resized, moved: moved, in: environment) }
    }
}

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
