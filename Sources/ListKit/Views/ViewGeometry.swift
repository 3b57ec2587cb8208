// SPDX-License-Identifier: Apache-2.0

/// An item that a view is to be opened at, as it followed the list since.
struct ViewOpening {
    let handle: SectionHandle
    let item: Int
    let position: ScrollPosition
}

/// Where everything in one view lies, and which part of it its viewer looks at.
///
/// It asks section controllers while it lays out, and never while a part of itself is being modified.
final class ViewGeometry {
    private let id: ViewID
    private let viewOptions: ListViewOptions
    private let environment: ViewEnvironment
    /// How the view lays out, by the options that it was laid out with last.
    private var settings: (kind: ListLayoutKind, configuration: LayoutConfiguration)
    /// Where everything lies; `nil` before the first viewport, and in the layout `none`.
    private var shared: SharedLayout?
    /// The viewport in content coordinates; `nil` before the first one.
    private(set) var viewport: Rect?
    /// The items that the viewer named, in the layout `none`, as they followed the list since.
    private(set) var visibleItems: VisibleItems?
    /// Those of them that are there, as they were found last.
    private(set) var shownItems: ShownItems?
    /// What the view is opened at, until its viewer says what it looks at.
    private(set) var opening: ViewOpening?
    /// Sizes that the viewer measured.
    private(set) var measuredSizes: [SectionHandle: [Int: Size]] = [:]
    /// What the list did to the viewport that the viewer may not have drawn.
    private(set) var shifts = ViewportShifts()
    /// What has to keep its place during an update.
    private var anchor: ViewAnchor?

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

    /// The kind of its layout.
    var kind: ListLayoutKind { settings.kind }
    private var map: SectionMap { environment.map }
    private var direction: ScrollDirection { environment.options.direction }

    /// Where everything lies; empty before the first viewport, and in the layout `none`.
    var layout: any ListLayout { shared?.layout ?? settings.kind.makeLayout(settings.configuration) }

    /// Whether each update has to be followed, because nobody else follows it for the view.
    var followsAlone: Bool { shared?.isPrivate == true || !measuredSizes.isEmpty || opening != nil }

    /// Whether the viewer has named a viewport or items.
    var isActive: Bool { viewport != nil || visibleItems != nil }

    /// The extent of the whole content.
    var contentSize: Size { kind == .none || viewport == nil ? .zero : layout.contentSize }

    /// Where the viewport lies.
    var offset: Point { viewport?.origin ?? .zero }

    /// The sections of which something is measured or shown first.
    var handlesInUse: Set<SectionHandle> {
        var handles = Set(measuredSizes.keys)
        if let opening { handles.insert(opening.handle) }
        return handles
    }

    // MARK: Laying out

    /// Lays the view out anew; a layout that views like it have is taken as it is.
    private func prepare() {
        guard kind != .none, let viewport else { return }
        let key = SharedLayout.Key(
            kind: kind, configuration: settings.configuration, size: viewport.size, inset: viewOptions.contentInset)
        if measuredSizes.isEmpty, let known = environment.layouts.layout(for: key) { return use(known) }
        let new = SharedLayout(key, kind.makeLayout(settings.configuration), isPrivate: !measuredSizes.isEmpty)
        use(new)
        new.prepare(measuredSizes, in: environment)
        if !new.isPrivate { environment.layouts.add(new) }
    }

    /// Has another layout from now on.
    private func use(_ new: SharedLayout?) {
        guard shared !== new else { return }
        if let shared {
            shared.remove(id)
            environment.layouts.removeIfUnused(shared)
        }
        shared = new
        new?.add(id)
    }

    /// Lays the view out anew by the list's present options.
    func relayOut() {
        let new = viewOptions.layout ?? environment.options.layout
        // A viewport means nothing in a view without a layout, and a range of items nothing in a view with one.
        if new != kind, new == .none || kind == .none { (viewport, visibleItems) = (nil, nil) }
        settings = Self.settings(viewOptions, environment)
        use(nil)
        prepare()
    }

    /// Follows an update of the list, unless the layout is one of several views.
    ///
    /// - Parameter resized: items of which only the sizes changed.
    func updateLayout(_ changes: LayoutChanges, resized: [IndexPath]) {
        guard let shared, shared.isPrivate else { return }
        shared.update(changes, resized: resized, measuredSizes, in: environment)
    }

    /// The viewer measured items; answers whether anything lies elsewhere.
    func setMeasured(_ sizes: [MeasuredSize], _ elements: [ViewElement]) -> Bool {
        var changed: Set<Int> = []
        for measured in sizes {
            guard let handle = map.handle(forID: measured.objectID), let section = map.position(of: handle),
                (0..<map.itemCount(of: handle)).contains(measured.item)
            else { continue }
            let before = measuredSizes[handle, default: [:]].updateValue(measured.size, forKey: measured.item)
            if before != measured.size { changed.insert(section) }
        }
        guard !changed.isEmpty, isActive, kind != .none else { return false }
        rememberAnchor(elements)
        if let shared, !shared.isPrivate { use(SharedLayout(shared.key, shared.layout, isPrivate: true)) }
        updateLayout(LayoutChanges(reloads: changed.sorted()), resized: [])
        return true
    }

    /// Carries measured sizes over to the items' new indexes.
    func followSizes(_ changes: SectionChanges, _ forwarding: [SectionHandle: IndexForwarding]) {
        guard !measuredSizes.isEmpty else { return }
        for old in changes.deletes { map.oldHandle(at: old).map { measuredSizes[$0] = nil } }
        for (handle, sizes) in measuredSizes {
            guard let forward = forwarding[handle] else { continue }
            var moved: [Int: Size] = [:]
            for (index, size) in sizes { if let new = forward(index) { moved[new] = size } }
            measuredSizes[handle] = moved
        }
    }

    // MARK: Looking

    /// The viewer looks at a part of the content; answers where the viewport lay before.
    ///
    /// - Parameter drawn: the last sequence that the viewer has drawn.
    func setViewport(_ rect: Rect, drawn: UInt64) -> Point? {
        let old = viewport
        var origin = rect.origin
        if let old, !shifts.honoursOrigin(seen: drawn) {
            origin = old.origin
        } else {
            origin = direction.replacing(direction.along(origin) + shifts.distance(since: drawn), in: origin)
        }
        viewport = Rect(origin: origin, size: rect.size)
        if let old, direction.across(old.size) != direction.across(rect.size) { measuredSizes = [:] }
        if old?.size != rect.size { prepare() }
        return old?.origin
    }

    /// The viewer looks at items.
    func setVisibleItems(_ items: VisibleItems?) { visibleItems = items }

    /// The viewer looks at nothing any more.
    func close() {
        (viewport, visibleItems) = (nil, nil)
        use(nil)
    }

    /// Forgets what a viewer that acknowledged a sequence has surely drawn.
    func forgetShifts(upTo sequence: UInt64) { shifts.forget(upTo: sequence) }

    /// A change went out that says where the viewport lies.
    ///
    /// - Parameter kept: of how many changes the shifts are kept; `nil` = until the viewer acknowledges them.
    func markSent(sequence: UInt64, keeping kept: UInt64?) {
        shifts.markSent()
        if let kept { shifts.forget(allBut: kept, before: sequence) }
    }

    /// Goes on where a viewer is.
    func resume(_ resumption: ViewResumption, opening: ViewOpening?) {
        self.opening = opening
        for size in resumption.measured {
            guard let handle = map.handle(forID: size.objectID) else { continue }
            measuredSizes[handle, default: [:]][size.item] = size.size
        }
        if kind == .none { visibleItems = resumption.visibleItems } else { viewport = resumption.viewport }
        if isActive { prepare() }
    }

    // MARK: Opening

    /// Opens the view at an item.
    func setOpening(_ new: ViewOpening?) { opening = new }

    /// Lets what the view is to be opened at follow its item; one that is gone is forgotten.
    func followOpening(_ forwarding: [SectionHandle: IndexForwarding]) {
        guard let opening else { return }
        let item = forwarding[opening.handle].map { $0(opening.item) } ?? opening.item
        guard let item, map.position(of: opening.handle) != nil, item < map.itemCount(of: opening.handle)
        else { return self.opening = nil }
        self.opening = ViewOpening(handle: opening.handle, item: item, position: opening.position)
    }

    /// What the view is to be opened at, once.
    func consumeOpening() -> ViewOpening? {
        defer { opening = nil }
        return opening
    }

    /// Shows the view for the first time, at what it is to be opened at; false when its viewer is to say where.
    func open(size: Size, sequence: UInt64) -> Bool {
        guard viewport == nil, let opening = consumeOpening() else { return false }
        let inset = viewOptions.contentInset
        viewport = Rect(origin: Point(x: -inset.left, y: -inset.top), size: size)
        prepare()
        guard let range = scrollRange(of: opening.handle, item: opening.item) else {
            viewport = nil
            use(nil)
            return false
        }
        // Its viewer has to learn where the viewport lies, wherever that is.
        shifts.scroll(sequence: sequence + 1)
        scroll(to: ScrollTarget(range: range, position: opening.position), sequence: sequence)
        return true
    }

    // MARK: Scrolling

    /// The stretch of the scroll axis that stands for an item; for a section without items, its header.
    func scrollRange(of handle: SectionHandle, item: Int) -> ClosedRange<Double>? {
        guard let section = map.position(of: handle) else { return nil }
        if let range = layout.scrollRange(ofItem: IndexPath(section: section, item: item)) { return range }
        guard item == 0, layout.attributes(of: .header, section: section) != nil else { return nil }
        return layout.scrollRange(ofSection: section, supplementary: [.header])
    }

    /// Brings a target into the viewport; answers whether the viewport moved.
    ///
    /// - Parameters:
    ///   - countsPresent: whether the position `none` moves as little as it can; else it is the start.
    ///   - sequence: that of the last change that was sent.
    @discardableResult
    func scroll(to target: ScrollTarget, countsPresent: Bool = true, sequence: UInt64) -> Bool {
        guard let viewport else { return false }
        let inset = viewOptions.contentInset
        let isVertical = direction == .vertical
        let offset = target.offset(
            viewport: direction.along(viewport.size), content: direction.along(contentSize),
            lead: isVertical ? inset.top : inset.left, trail: isVertical ? inset.bottom : inset.right,
            current: countsPresent ? direction.along(viewport.origin) : nil)
        guard offset != direction.along(viewport.origin) else { return false }
        self.viewport = Rect(origin: direction.replacing(offset, in: viewport.origin), size: viewport.size)
        shifts.scroll(sequence: sequence + 1)
        return true
    }

    // MARK: Anchoring

    /// Remembers what is on the screen, before the view follows a change of the list.
    func rememberAnchor(_ elements: [ViewElement]) {
        anchor = nil
        guard viewOptions.isAnchored, layout.supportsAnchoring, let viewport else { return }
        guard viewOptions.isAnchoredAtStart || direction.along(viewport.origin) > 0 else { return }
        anchor = ViewAnchor(elements, in: viewport, layout: shared?.before ?? layout, direction: direction)
    }

    /// Scrolls so that what was on the screen is where it was; only this and a scroll-to clamp.
    ///
    /// - Parameter sequence: that of the last change that was sent.
    func applyAnchor(forwarding: [SectionHandle: IndexForwarding], sequence: UInt64) {
        guard let anchor, let viewport else { return }
        self.anchor = nil
        guard let shift = anchor.distance(to: layout, map, forwarding: forwarding) else { return }
        let along = direction.along(viewport.origin)
        let room = max(0, direction.along(contentSize) - direction.along(viewport.size))
        let distance = min(max(0, along + shift), room) - along
        guard distance != 0 else { return }
        self.viewport = Rect(
            origin: direction.replacing(along + distance, in: viewport.origin), size: viewport.size)
        shifts.shift(by: distance, sequence: sequence + 1)
    }

    // MARK: What is visible

    /// The elements that the view shows.
    func visibleElements() -> [ViewElement] {
        guard isActive else { return [] }
        let empty = emptyElement()
        let elements = kind == .none ? namedElements() : laidOutElements()
        return empty.map { elements + [$0] } ?? elements
    }

    private func laidOutElements() -> [ViewElement] {
        guard let viewport else { return [] }
        let found = layout.attributes(
            in: viewport.grown(by: viewOptions.buffer, along: direction), origin: viewport.origin)
        let elements = found.compactMap { attributes -> ViewElement? in
            guard let handle = map.handle(at: attributes.path.section) else { return nil }
            return ViewElement(
                key: ElementKey(handle: handle, kind: attributes.kind, index: attributes.path.item),
                section: attributes.path.section, frame: attributes.frame, z: Int64(attributes.zIndex))
        }
        return layout.ordersBySection ? elements : elements.sorted(by: ViewElement.isBefore)
    }

    /// The empty view, where it is to be shown.
    private func emptyElement() -> ViewElement? {
        guard environment.isEmpty, !environment.options.emptyContent.isEmpty else { return nil }
        return ViewElement(
            key: ElementKey(handle: nil, kind: .cell, index: 0), section: 0,
            frame: Rect(origin: .zero, size: viewport?.size ?? .zero), z: 0)
    }

    /// The items that a viewer without a layout named, and those around them.
    private func namedElements() -> [ViewElement] {
        shownItems = nil
        guard let visibleItems, map.itemCount > 0 else { return [] }
        let order = ItemOrder(map)
        let shown = order.range(of: visibleItems)
        shownItems = ShownItems(
            range: order.path(of: shown.lowerBound)...order.path(of: shown.upperBound - 1),
            beginsTheList: shown.lowerBound == 0)
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

    /// Lets a view without a layout follow the items that it shows.
    func followItems(_ change: PathForwarding) {
        guard viewOptions.isAnchored, var items = visibleItems, let shown = shownItems else { return }
        if shown.beginsTheList, !viewOptions.isAnchoredAtStart {
            items.first = IndexPath(section: 0, item: 0)
        } else if let first = ItemOrder(map).first(of: items.length, following: shown.range, before: change) {
            items.first = first
        }
        visibleItems = items
    }

    // MARK: The end of the list

    /// What lies between the viewport's far end and the end of the content, in the layout `none` in items; nothing when the
    /// content ends before it, and `nil` when nobody wants to know.
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
    /// How many items lie behind one that may be past the end of its section, or of the list.
    fileprivate func itemCount(after path: IndexPath) -> Int {
        guard let count = itemCount(at: path.section) else { return 0 }
        return itemCount - itemOffset(ofSection: path.section) - min(path.item, count - 1) - 1
    }
}

extension Rect {
    /// The rectangle grown on both sides of an axis.
    fileprivate func grown(by distance: Double, along direction: ScrollDirection) -> Rect {
        switch direction {
        case .vertical: Rect(x: minX, y: minY - distance, width: size.width, height: size.height + 2 * distance)
        case .horizontal: Rect(x: minX - distance, y: minY, width: size.width + 2 * distance, height: size.height)
        }
    }
}
