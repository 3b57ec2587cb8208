// SPDX-License-Identifier: Apache-2.0

/// The item or the section at which a view is to be opened. It follows the changes of the list until then.
struct ViewOpening {
    let handle: SectionHandle
    /// The item; `nil` for all items of the section.
    private(set) var item: Int?
    let position: ScrollPosition
    /// The supplementary views that belong to a whole section.
    var supplementary: Set<ElementKind> = []
    /// A distance that is added to the offset before the offset is clamped.
    var additionalOffset = 0.0

    /// Moves the opening to the new index of its item. Returns `false` if the item was removed.
    mutating func move(by forward: (Int) -> Int?) -> Bool {
        guard let old = item else { return true }
        item = forward(old)
        return item != nil
    }
}

/// The layout and the viewport of one view.
///
/// Laying out calls section controllers, but never while a property of this object is being modified.
final class ViewGeometry {
    private let id: ViewID
    private let viewOptions: ListViewOptions
    private let environment: ViewEnvironment
    /// The kind and the configuration of the layout, from the options with which the view was last laid out.
    private var settings: (kind: ListLayoutKind, configuration: LayoutConfiguration)
    /// The layout, which other views may share; `nil` before the first viewport, and in the layout `none`.
    private var shared: SharedLayout?
    /// The viewport in content coordinates; `nil` before the viewer has set one.
    private(set) var viewport: Rect?
    /// The range of items that the viewer requested in the layout `none`. It follows the changes of the list.
    private(set) var visibleItems: VisibleItems?
    /// The existing items of ``visibleItems``, when they were last looked up.
    private(set) var shownItems: ShownItems?
    /// The item or section at which the view is to be opened; `nil` once the viewer has set a viewport or a range of
    /// items.
    private(set) var opening: ViewOpening?
    /// The item sizes that the viewer measured.
    private(set) var measuredSizes: [SectionHandle: [Int: Size]] = [:]
    /// The movements of the viewport that the engine made and the viewer may not have drawn yet.
    private(set) var shifts = ViewportShifts()
    /// The elements that keep their place on the screen during an update.
    private var anchor: ViewAnchor?
    /// What is known of the layout of a view that is off screen and has none.
    private var asleep: (kind: ListLayoutKind, direction: ScrollDirection, contentSize: Size)?

    init(_ id: ViewID, _ viewOptions: ListViewOptions, in environment: ViewEnvironment) {
        self.id = id
        self.viewOptions = viewOptions
        self.environment = environment
        settings = Self.settings(viewOptions, environment)
    }

    private static func settings(
        _ options: ListViewOptions, _ environment: ViewEnvironment
    ) -> (kind: ListLayoutKind, configuration: LayoutConfiguration) {
        (options.layout ?? environment.options.layout, LayoutConfiguration(environment.options, options))
    }

    /// The kind of the view's layout.
    var kind: ListLayoutKind { settings.kind }
    private var map: SectionMap { environment.map }
    private var direction: ScrollDirection { environment.options.direction }

    /// The layout; empty before the first viewport, and in the layout `none`.
    var layout: any ListLayout { shared?.layout ?? settings.kind.makeLayout(settings.configuration) }

    /// Whether the view has to process every update, because its state is not updated by a shared layout.
    var requiresAllUpdates: Bool { shared?.isPrivate == true || !measuredSizes.isEmpty || opening != nil }

    /// Whether the viewer has set a viewport or a range of items.
    var isActive: Bool { viewport != nil || visibleItems != nil }

    /// Identifies the layout among those that views share; `nil` if the view has none.
    var layoutID: ObjectIdentifier? { shared.map { ObjectIdentifier($0) } }

    /// The part of the content along the scroll axis of which the view shows elements.
    var shownPart: ClosedRange<Double> {
        let distance = max(viewOptions.buffer, viewOptions.prefetch)
        let start = direction.along(offset) - distance
        let end = direction.along(offset) + direction.along(viewport?.size ?? .zero) + distance
        return start <= end ? start...end : -.infinity ... .infinity
    }

    /// The size of the whole content; zero before the first viewport, and in the layout `none`.
    var contentSize: Size { kind == .none || viewport == nil ? .zero : asleep?.contentSize ?? layout.contentSize }

    /// Whether the view is off screen and was not laid out since an update of the list.
    var isAsleep: Bool { asleep != nil }

    /// The origin of the viewport in content coordinates.
    var offset: Point { viewport?.origin ?? .zero }

    /// The distance that is added to the edge of the viewport for sticky elements.
    var stickyEdge: Double {
        guard kind != .none, settings.configuration.stickyHeaders else { return 0 }
        return settings.configuration.topContentInset + settings.configuration.stickyHeaderOffset
    }

    /// The layout before the update that is being presented; `nil` if it was not kept.
    var oldLayout: (any ListLayout)? { kind == .none ? nil : shared?.oldLayout ?? shared?.layout }

    /// The part of the content along the scroll axis in which the update that is being presented changed frames; `nil` =
    /// it changed none. It is endless if it is not known.
    var changedPart: ClosedRange<Double>? { shared?.changedPart }

    /// Returns the place of an element that need not be in view; `nil` in the layout `none`.
    func attributes(of kind: ElementKind, at path: IndexPath) -> LayoutAttributes? {
        kind == .cell
            ? layout.attributes(ofItem: path) : layout.attributes(of: kind, section: path.section, origin: offset)
    }

    /// The sections with measured sizes, and the section at which the view is to be opened.
    var handlesInUse: Set<SectionHandle> {
        var handles = Set(measuredSizes.keys)
        if let opening { handles.insert(opening.handle) }
        return handles
    }

    // MARK: Laying out

    /// Lays the view out from scratch, or uses the layout of other views with the same key.
    private func layOut() {
        guard kind != .none, let viewport else { return }
        let key = SharedLayout.Key(
            kind: kind, configuration: settings.configuration, size: viewport.size, inset: viewOptions.contentInset)
        if measuredSizes.isEmpty, let known = environment.layouts.layout(for: key) {
            return replaceLayout(with: known)
        }
        let new = SharedLayout(key, kind.makeLayout(settings.configuration), isPrivate: !measuredSizes.isEmpty)
        let old = shared
        replaceLayout(with: new)
        new.prepare(measuredSizes, like: old, in: environment)
        if !new.isPrivate { environment.layouts.add(new) }
    }

    /// Replaces the layout, and removes the previous layout if no view uses it any more.
    private func replaceLayout(with new: SharedLayout?) {
        guard shared !== new else { return }
        if let shared {
            shared.remove(id)
            environment.layouts.removeIfUnused(shared)
        }
        shared = new
        new?.add(id)
    }

    /// Lays the view out from scratch with the list's present options.
    func layOutAgain() {
        let new = viewOptions.layout ?? environment.options.layout
        // A viewport has no meaning in the layout `none`, and a range of items has no meaning in other layouts.
        if new != kind, new == .none || kind == .none { (viewport, visibleItems) = (nil, nil) }
        settings = Self.settings(viewOptions, environment)
        replaceLayout(with: nil)
        if !isActive { asleep = nil }
        if !isAsleep { layOut() }
    }

    /// Releases the layout of a view that is off screen, so that updates of the list do not change it.
    func fallAsleep() {
        guard shared != nil, asleep == nil else { return }
        asleep = (kind, direction, layout.contentSize)
        replaceLayout(with: nil)
    }

    /// Lays a view out that was asleep. What was on the screen keeps its place.
    ///
    /// - Parameters:
    ///   - elements: the elements that still exist, with their former frames.
    ///   - sequence: the sequence of the last change that was sent.
    func wake(_ elements: [ViewElement], sequence: UInt64) {
        guard let before = asleep else { return }
        asleep = nil
        if before.kind == kind, before.direction == direction { saveAnchor(elements) }
        layOut()
        applyAnchor(forwarding: [:], sequence: sequence)
    }

    /// Applies an update of the list to a private layout. Shared layouts are updated by ``SharedLayouts``.
    ///
    /// - Parameter resized: the items of which only the sizes changed.
    func updateLayout(_ changes: LayoutChanges, resized: [IndexPath]) {
        guard let shared, shared.isPrivate else { return }
        shared.update(changes, resized: resized, measuredSizes, in: environment)
    }

    /// Stores item sizes that the viewer measured. Returns whether the view was laid out again.
    func setMeasuredSizes(_ sizes: [MeasuredSize], elements: [ViewElement]) -> Bool {
        var changed: Set<Int> = []
        for measured in sizes {
            guard let handle = map.handle(forID: measured.objectID), let section = map.position(of: handle),
                (0..<map.itemCount(of: handle)).contains(measured.item)
            else { continue }
            let before = measuredSizes[handle, default: [:]].updateValue(measured.size, forKey: measured.item)
            if before != measured.size { changed.insert(section) }
        }
        guard !changed.isEmpty, isActive, kind != .none else { return false }
        saveAnchor(elements)
        if let shared, !shared.isPrivate {
            replaceLayout(with: SharedLayout(shared.key, shared.layout, isPrivate: true))
        }
        updateLayout(LayoutChanges(reloads: changed.sorted()), resized: [])
        return true
    }

    /// Moves measured sizes to the new indexes of their items, and drops the sizes of removed items.
    func moveMeasuredSizes(_ change: Change, _ forwarding: [SectionHandle: PositionMap]) {
        guard !measuredSizes.isEmpty else { return }
        for (old, _) in change.removed { map.oldHandle(at: old).map { measuredSizes[$0] = nil } }
        for (handle, sizes) in measuredSizes {
            guard let forward = forwarding[handle] else { continue }
            var moved: [Int: Size] = [:]
            for (index, size) in sizes { if let new = forward(index) { moved[new] = size } }
            measuredSizes[handle] = moved
        }
    }

    // MARK: Viewport

    /// Sets the viewport that the viewer requested. Returns the origin of the previous viewport.
    /// In a viewport of another size, the first item that met the viewport keeps its place.
    ///
    /// - Parameters:
    ///   - drawn: the sequence of the last change that the viewer has drawn.
    ///   - sequence: the sequence of the last change that was sent.
    func setViewport(_ rect: Rect, drawn: UInt64, sequence: UInt64) -> Point? {
        let old = viewport
        var origin = rect.origin + shifts.distance(since: drawn)
        if let old, !shifts.acceptsOrigin(seen: drawn) {
            // The viewer has moved away from where it will be scrolled to.
            if old.origin != origin { shifts.recordShift(by: old.origin - origin, sequence: sequence + 1) }
            origin = old.origin
        }
        guard let old, old.size != rect.size else {
            viewport = Rect(origin: origin, size: rect.size)
            if old == nil { layOut() }
            return old?.origin
        }
        saveAnchor(in: Rect(origin: origin, size: direction.size(rect.size, across: old.size)))
        viewport = Rect(origin: origin, size: rect.size)
        if direction.across(old.size) != direction.across(rect.size) { measuredSizes = [:] }
        layOut()
        applyAnchor(forwarding: [:], sequence: sequence)
        return old.origin
    }

    /// Sets the range of items that the viewer requested.
    func setVisibleItems(_ items: VisibleItems?) { visibleItems = items }

    /// The viewport and the layout, as they were before a call that is refused.
    struct Place {
        fileprivate let viewport: Rect?
        fileprivate let items: (visible: VisibleItems?, shown: ShownItems?)
        fileprivate let opening: ViewOpening?
        fileprivate let measuredSizes: [SectionHandle: [Int: Size]]
        fileprivate let shifts: ViewportShifts
        fileprivate let layout: SharedLayout?
    }

    /// The present viewport and layout.
    var place: Place {
        Place(
            viewport: viewport, items: (visibleItems, shownItems), opening: opening, measuredSizes: measuredSizes,
            shifts: shifts, layout: shared)
    }

    /// Returns the viewport of a former place, if the view has only scrolled along the axis since.
    func formerViewport(_ place: Place) -> Rect? {
        guard let old = place.viewport, let viewport, old.size == viewport.size, let shared, place.layout === shared,
            direction.replacing(0, in: old.origin) == direction.replacing(0, in: viewport.origin)
        else { return nil }
        return old
    }

    /// Brings a former viewport and layout back. The list must not have changed since.
    func restore(_ place: Place) {
        (viewport, opening, measuredSizes, shifts) = (
            place.viewport, place.opening, place.measuredSizes, place.shifts
        )
        (visibleItems, shownItems) = place.items
        replaceLayout(with: place.layout)
        if let shared, !shared.isPrivate { environment.layouts.add(shared) }
    }

    /// Removes the viewport and the layout of a view that is being closed.
    func close() {
        (viewport, visibleItems) = (nil, nil)
        asleep = nil
        replaceLayout(with: nil)
    }

    /// Drops the movements of the viewport up to a sequence that the viewer has acknowledged and therefore drawn.
    func forgetShifts(upTo sequence: UInt64) { shifts.forget(upTo: sequence) }

    /// Records that a change with the viewport's origin was sent.
    ///
    /// - Parameter kept: the number of changes whose shifts are kept; `nil` = shifts are kept until the viewer
    ///   acknowledges them.
    func markSent(sequence: UInt64, keeping kept: UInt64?) {
        shifts.markSent()
        if let kept { shifts.dropAll(exceptNewest: kept, lastSent: sequence) }
    }

    /// Restores the viewport and the measured sizes of a resumed view, and lays the view out.
    func resume(_ state: ViewState, opening: ViewOpening?) {
        self.opening = opening
        for size in state.measured {
            guard let handle = map.handle(forID: size.objectID) else { continue }
            measuredSizes[handle, default: [:]][size.item] = size.size
        }
        if kind == .none { visibleItems = state.visibleItems } else { viewport = state.viewport }
        guard isActive else { return }
        shifts.resume(unsent: state.shift, sequence: state.sequence + 1)
        layOut()
        guard !state.isStalled, kind != .none else { return }
        // The viewer knows where the other engine laid its elements out.
        saveAnchor(
            state.shown.compactMap { item in
                guard let handle = map.handle(forID: item.objectID), let section = map.position(of: handle) else {
                    return nil
                }
                let key = ElementKey(handle: handle, kind: item.kind, index: item.item)
                return ViewElement(key: key, section: section, frame: item.frame, z: item.z)
            })
        applyAnchor(forwarding: [:], sequence: state.sequence)
    }

    // MARK: Opening

    /// Sets the item at which the view is to be opened.
    func setOpening(_ new: ViewOpening?) { opening = new }

    /// Moves the opening to the new index of its item. If the item was removed, the opening becomes `nil`.
    func moveOpening(_ forwarding: [SectionHandle: PositionMap]) {
        guard var opening else { return }
        let follows = forwarding[opening.handle].map { forward in opening.move { forward($0) } } ?? true
        guard follows, map.position(of: opening.handle) != nil,
            opening.item.map({ $0 < map.itemCount(of: opening.handle) }) ?? true
        else { return self.opening = nil }
        self.opening = opening
    }

    /// Returns and removes the item at which the view is to be opened.
    func consumeOpening() -> ViewOpening? {
        defer { opening = nil }
        return opening
    }

    /// Sets the first viewport of a view so that it shows the opening's item. Returns `false` if the view already has
    /// a viewport or no opening, so that the viewer's own origin is used.
    ///
    /// - Parameter rect: the viewport that the viewer requested, of which only the size is used.
    func applyOpening(_ rect: Rect, sequence: UInt64) -> Bool {
        guard viewport == nil, let opening = consumeOpening() else { return false }
        let inset = viewOptions.contentInset
        let start = Point(x: -inset.left, y: -inset.top)
        viewport = Rect(origin: start, size: rect.size)
        layOut()
        guard let range = scrollRange(of: opening) else {
            viewport = nil
            replaceLayout(with: nil)
            return false
        }
        // The viewer must be sent the viewport's origin, even if the scroll below does not change it.
        shifts.recordScroll(by: start - rect.origin, sequence: sequence + 1)
        let target = ScrollTarget(
            range: range, position: opening.position, additionalOffset: opening.additionalOffset)
        scroll(to: target, usesCurrentOffset: opening.item != nil, sequence: sequence)
        return true
    }

    private func scrollRange(of opening: ViewOpening) -> ClosedRange<Double>? {
        if let item = opening.item { return scrollRange(of: opening.handle, item: item) }
        return map.position(of: opening.handle).flatMap {
            layout.scrollRange(ofSection: $0, supplementary: opening.supplementary)
        }
    }

    // MARK: Scrolling

    /// Returns the range of an item along the scroll axis. For a section without items, it is the range of the header.
    func scrollRange(of handle: SectionHandle, item: Int) -> ClosedRange<Double>? {
        guard let section = map.position(of: handle) else { return nil }
        if let range = layout.scrollRange(ofItem: IndexPath(section: section, item: item)) { return range }
        guard item == 0, layout.attributes(of: .header, section: section) != nil else { return nil }
        return layout.scrollRange(ofSection: section, supplementary: [.header])
    }

    /// Scrolls a target into the viewport. Returns whether the viewport moved.
    ///
    /// - Parameters:
    ///   - usesCurrentOffset: whether the position `none` scrolls as little as possible from the current offset.
    ///     Otherwise, `none` is treated as `start`.
    ///   - sequence: the sequence of the last change that was sent.
    @discardableResult
    func scroll(to target: ScrollTarget, usesCurrentOffset: Bool = true, sequence: UInt64) -> Bool {
        guard let viewport else { return false }
        let inset = viewOptions.contentInset
        let isVertical = direction == .vertical
        let offset = target.offset(
            viewport: direction.along(viewport.size), content: direction.along(contentSize),
            lead: isVertical ? inset.top : inset.left, trail: isVertical ? inset.bottom : inset.right,
            current: usesCurrentOffset ? direction.along(viewport.origin) : nil)
        guard offset != direction.along(viewport.origin) else { return false }
        let origin = direction.replacing(offset, in: viewport.origin)
        self.viewport = Rect(origin: origin, size: viewport.size)
        shifts.recordScroll(by: origin - viewport.origin, sequence: sequence + 1)
        return true
    }

    // MARK: Anchoring

    /// Stores the elements on the screen as an anchor, before a change of the list is applied.
    func saveAnchor(_ elements: [ViewElement]) {
        anchor = nil
        guard viewOptions.isAnchored, layout.supportsAnchoring, let viewport else { return }
        guard viewOptions.isAnchoredAtStart || direction.along(viewport.origin) > 0 else { return }
        anchor = ViewAnchor(elements, in: viewport, layout: shared?.oldLayout ?? layout, direction: direction)
    }

    /// Stores the items that meet a viewport as an anchor, before the view is laid out in another size.
    private func saveAnchor(in viewport: Rect) {
        anchor = nil
        guard viewOptions.isAnchored, layout.supportsAnchoring else { return }
        guard viewOptions.isAnchoredAtStart || direction.along(viewport.origin) > 0 else { return }
        let elements = elements(in: viewport, origin: viewport.origin)
        anchor = ViewAnchor(elements, in: viewport, layout: layout, direction: direction)
    }

    /// Scrolls so that the anchor keeps its place on the screen. Only anchoring and scroll-to limit the viewport to the
    /// content.
    ///
    /// - Parameter sequence: the sequence of the last change that was sent.
    func applyAnchor(forwarding: [SectionHandle: PositionMap], sequence: UInt64) {
        guard let anchor, let viewport else { return }
        self.anchor = nil
        guard let shift = anchor.distance(to: layout, map, forwarding: forwarding) else { return }
        let along = direction.along(viewport.origin)
        let room = max(0, direction.along(contentSize) - direction.along(viewport.size))
        let distance = min(max(0, along + shift), room) - along
        guard distance != 0 else { return }
        self.viewport = Rect(
            origin: direction.replacing(along + distance, in: viewport.origin), size: viewport.size)
        shifts.recordShift(by: direction.replacing(distance, in: .zero), sequence: sequence + 1)
    }

    // MARK: Visible elements

    /// Computes the elements that the view shows: those that are displayed, and those that are fetched ahead.
    func visibleElements() -> (displayed: [ViewElement], all: [ViewElement]) {
        guard isActive else { return ([], []) }
        let empty = emptyElement().map { [$0] } ?? []
        guard kind != .none, let viewport else {
            let elements = (kind == .none ? requestedElements() : []) + empty
            return (elements, elements)
        }
        let displayed = displayedRect(of: viewport)
        guard viewOptions.prefetch > viewOptions.buffer else {
            let elements = elements(in: displayed, origin: viewport.origin) + empty
            return (elements, elements)
        }
        let all = elements(in: viewport.grown(by: viewOptions.prefetch, along: axis), origin: viewport.origin)
        return (all.filter { $0.frame.intersects(displayed) } + empty, all + empty)
    }

    /// The axis along which elements beyond the viewport are shown; `nil` = on all four sides.
    private var axis: ScrollDirection? { kind.usesPlacements ? nil : direction }

    /// Returns the part of the content whose elements are displayed with a viewport.
    func displayedRect(of viewport: Rect) -> Rect { viewport.grown(by: viewOptions.buffer, along: axis) }

    /// Returns the elements that overlap a rectangle, section by section.
    ///
    /// - Parameter origin: the origin of the viewport.
    func elements(in rect: Rect, origin: Point) -> [ViewElement] {
        let all = layout.attributes(in: rect, origin: origin)
        // Mostly the sections are next to each other, and are looked up at once.
        let bounds = layout.ordersBySection ? (all.first?.path.section ?? 0, all.last?.path.section ?? -1) : (0, -1)
        let handles = (0..<all.count).contains(bounds.1 - bounds.0) ? map.handles(in: bounds.0..<bounds.1 + 1) : []
        let elements = all.compactMap { attributes -> ViewElement? in
            let place = attributes.path.section - bounds.0
            let known = handles.indices.contains(place) ? handles[place] : map.handle(at: attributes.path.section)
            guard let handle = known else { return nil }
            return ViewElement(
                key: ElementKey(handle: handle, kind: attributes.kind, index: attributes.path.item),
                section: attributes.path.section, frame: attributes.frame, z: Int64(attributes.zIndex),
                travel: attributes.travel)
        }
        return layout.ordersBySection ? elements : elements.sorted(by: ViewElement.isBefore)
    }

    /// Whether the empty view is to be shown.
    var showsEmptyView: Bool { environment.isEmpty && !environment.options.emptyContent.isEmpty }

    /// Returns the element of the empty view, if it is to be shown.
    private func emptyElement() -> ViewElement? {
        guard showsEmptyView else { return nil }
        return ViewElement(
            key: ElementKey(handle: nil, kind: .cell, index: 0), section: 0,
            frame: Rect(origin: .zero, size: viewport?.size ?? .zero), z: 0)
    }

    /// Computes the elements of the requested range of items and of the overscan items around it, in the layout `none`.
    private func requestedElements() -> [ViewElement] {
        shownItems = nil
        guard let visibleItems, map.itemCount > 0 else { return [] }
        let order = ItemOrder(map)
        let shown = order.range(of: visibleItems)
        shownItems = ShownItems(
            range: order.path(of: shown.lowerBound)...order.path(of: shown.upperBound - 1),
            startsAtListStart: shown.lowerBound == 0)
        let around = viewOptions.overscanItems
        let first = order.path(of: shown.lowerBound - min(around, shown.lowerBound))
        let last = order.path(of: shown.upperBound - 1 + min(around, map.itemCount - shown.upperBound))
        var elements: [ViewElement] = []
        for section in first.section...max(first.section, last.section) {
            guard let handle = map.handle(at: section) else { break }
            let from = section == first.section ? first.item : 0
            let to = section == last.section ? last.item + 1 : Int.max
            for item in (0..<map.itemCount(of: handle)).clamped(to: from..<max(from, to)) {
                let key = ElementKey(handle: handle, kind: .cell, index: item)
                elements.append(ViewElement(key: key, section: section, frame: .zero, z: 0))
            }
        }
        return elements
    }

    /// Moves the requested range of items along with the items that a view with the layout `none` shows.
    func moveVisibleItems(_ change: PathForwarding) {
        guard viewOptions.isAnchored, var items = visibleItems, let shown = shownItems else { return }
        if shown.startsAtListStart, !viewOptions.isAnchoredAtStart {
            items.first = IndexPath(section: 0, item: 0)
        } else if let first = ItemOrder(map).start(ofLength: items.length, following: shown.range, applying: change) {
            items.first = first
        }
        visibleItems = items
    }

    // MARK: The end of the list

    /// The distance from the end of the viewport to the end of the content, in points; in the layout `none`, the
    /// number of items.
    ///
    /// It is 0 if the content ends before the viewport does. It is `nil` if near ends are not announced, or if the
    /// viewer has set neither a viewport nor a range of items.
    var distanceToEnd: Double? {
        guard environment.options.nearEndDistance > 0 else { return nil }
        if kind == .none {
            guard visibleItems != nil else { return nil }
            return shownItems.map { Double(map.itemCount(after: $0.range.upperBound)) } ?? 0
        }
        guard let viewport else { return nil }
        let end = direction.along(viewport.origin) + direction.along(viewport.size)
        return max(0, direction.along(contentSize) - end)
    }
}

extension SectionMap {
    /// Returns the number of items after a path, which may be past the end of its section or of the list.
    fileprivate func itemCount(after path: IndexPath) -> Int {
        guard let count = itemCount(at: path.section) else { return 0 }
        return itemCount - itemOffset(ofSection: path.section) - min(path.item, count - 1) - 1
    }
}

extension Rect {
    /// Returns the rectangle extended in both directions of an axis, or on all sides.
    fileprivate func grown(by distance: Double, along direction: ScrollDirection?) -> Rect {
        switch direction {
        case nil:
            Rect(
                x: minX - distance, y: minY - distance, width: size.width + 2 * distance,
                height: size.height + 2 * distance)
        case .vertical: Rect(x: minX, y: minY - distance, width: size.width, height: size.height + 2 * distance)
        case .horizontal: Rect(x: minX - distance, y: minY, width: size.width + 2 * distance, height: size.height)
        }
    }
}

/// The elements that keep their place on the screen while an update is presented.
struct ViewAnchor {
    /// The elements before the change. Its cells in the viewport are the candidates to anchor, in order of preference.
    private let elements: [ViewElement]
    private let viewport: Rect
    /// The path after the last candidate in the old list. If no candidate survives, the search for a surviving item
    /// starts there.
    private let next: IndexPath
    /// The old layout, which has the old frame of the surviving item.
    private let layout: any ListLayout
    private let direction: ScrollDirection

    /// Stores the elements that a viewport shows.
    init(_ elements: [ViewElement], in viewport: Rect, layout: any ListLayout, direction: ScrollDirection) {
        (self.elements, self.viewport) = (elements, viewport)
        next =
            elements.last { $0.isAnchor(in: viewport) }
            .map { IndexPath(section: $0.section, item: $0.key.index + 1) }
            ?? IndexPath(section: layout.sections(in: viewport)?.upperBound ?? 0, item: 0)
        self.layout = layout
        self.direction = direction
    }

    /// Returns the distance by which the anchor moved, or `nil` if the viewport need not be adjusted.
    ///
    /// If all items from the anchor on were removed, the distance is 0. The caller then only moves the viewport back
    /// into the content, so that the end of the remaining content comes into view.
    func distance(
        to new: any ListLayout, _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> Double? {
        let shift = movement(to: new, map, forwarding: forwarding)
        guard shift != 0, shift != nil || elements.contains(where: { $0.isAnchor(in: viewport) }) else {
            return nil
        }
        return shift ?? 0
    }

    /// Returns the distance by which the first surviving item from the anchor on moved; `nil` if none survived.
    private func movement(
        to new: any ListLayout, _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> Double? {
        for candidate in elements where candidate.isAnchor(in: viewport) {
            guard let key = candidate.key.forwarded(by: forwarding), let start = start(of: key, in: new, map) else {
                continue
            }
            return start - direction.along(candidate.frame.origin)
        }
        guard let survivor = nextSurvivor(map, forwarding: forwarding),
            let before = layout.attributes(ofItem: survivor.old), let after = new.attributes(ofItem: survivor.new)
        else { return nil }
        return direction.along(after.frame.origin) - direction.along(before.frame.origin)
    }

    private func start(of key: ElementKey, in layout: any ListLayout, _ map: SectionMap) -> Double? {
        guard let handle = key.handle, let section = map.position(of: handle) else { return nil }
        let attributes = layout.attributes(ofItem: IndexPath(section: section, item: key.index))
        return attributes.map { direction.along($0.frame.origin) }
    }

    /// Returns the first surviving item from the old path ``next`` on: its old path and its new path.
    private func nextSurvivor(
        _ map: SectionMap, forwarding: [SectionHandle: PositionMap]
    ) -> (old: IndexPath, new: IndexPath)? {
        for section in next.section..<max(next.section, map.oldCount) {
            guard let handle = map.oldHandle(at: section), let new = map.position(of: handle) else { continue }
            let (count, forward) = (map.itemCount(of: handle), forwarding[handle])
            let first = section == next.section ? next.item : 0
            for item in first..<max(first, map.oldItemCount(of: handle)) {
                // Without item changes, items keep their indexes, up to the new number of items.
                guard let after = forward.map({ $0(item) }) ?? item else { continue }
                guard after < count else { break }
                return (IndexPath(section: section, item: item), IndexPath(section: new, item: after))
            }
        }
        return nil
    }
}

/// The movements of a view's viewport that its viewer may not have drawn yet.
///
/// A viewer scrolls in the content that it last drew. The distance by which the engine has moved the viewport since then
/// is added to the origin that the viewer requests. A scroll-to that the viewer has not drawn yet is not undone.
struct ViewportShifts {
    private var shifts: [(sequence: UInt64, distance: Point)] = []
    private var scrollSequence: UInt64 = 0
    /// Whether the viewport was moved since the last change was sent.
    private(set) var isUnsent = false
    /// The distance by which the viewport was moved since the last change was sent.
    private(set) var unsent = Point.zero

    /// Records that the engine moved the viewport.
    ///
    /// - Parameter sequence: the sequence of the change that will send the movement to the viewer.
    mutating func recordShift(by distance: Point, sequence: UInt64) {
        isUnsent = true
        unsent = unsent + distance
        if let last = shifts.indices.last, shifts[last].sequence == sequence {
            shifts[last].distance = shifts[last].distance + distance
        } else {
            shifts.append((sequence, distance))
        }
    }

    /// Records that a scroll-to moved the viewport. Origins from before it are not accepted.
    ///
    /// - Parameter sequence: the sequence of the change that will send the movement to the viewer.
    mutating func recordScroll(by distance: Point, sequence: UInt64) {
        scrollSequence = sequence
        recordShift(by: distance, sequence: sequence)
    }

    /// Continues after another engine, whose last movements the viewer was not sent.
    mutating func resume(unsent distance: Point, sequence: UInt64) {
        if distance != .zero { recordShift(by: distance, sequence: sequence) }
    }

    /// Records that a change with the movements was sent.
    mutating func markSent() { (isUnsent, unsent) = (false, .zero) }

    /// Returns the distance by which the engine moved the viewport since a viewer drew the sequence `seen`.
    func distance(since seen: UInt64) -> Point {
        shifts.reduce(.zero) { $1.sequence > seen ? $0 + $1.distance : $0 }
    }

    /// Returns whether to accept an origin from a viewer that has drawn the sequence `seen`. An origin from before
    /// the last scroll-to is not accepted.
    func acceptsOrigin(seen: UInt64) -> Bool { seen >= scrollSequence }

    /// Drops the shifts up to a sequence that the viewer has acknowledged and therefore drawn.
    mutating func forget(upTo acknowledged: UInt64) { shifts.removeAll { $0.sequence <= acknowledged } }

    /// Drops all but the shifts of the newest `count` changes. Without acknowledgements, the viewer is assumed to
    /// have drawn the older changes.
    mutating func dropAll(exceptNewest count: UInt64, lastSent: UInt64) {
        guard lastSent > count, let first = shifts.first, first.sequence <= lastSent - count else { return }
        forget(upTo: lastSent - count)
    }
}

extension LayoutConfiguration {
    /// Makes the configuration of a view's layout from the options of the list and the view.
    init(_ options: ListOptions, _ view: ListViewOptions) {
        self = options.layoutConfiguration
        (contentInset, scale) = (view.contentInset, view.scale)
    }
}
