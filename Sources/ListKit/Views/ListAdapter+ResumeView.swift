// SPDX-License-Identifier: Apache-2.0

/// A view as its viewer knows it, from which it goes on in another engine of the same list.
@_spi(Daemon) public struct ViewResumption: Sendable {
    /// Its name.
    public var id: ViewID
    /// What it was opened with.
    public var options: ListViewOptions
    /// The viewport in content coordinates; `nil` before the first one and in the layout `none`.
    public var viewport: Rect?
    /// The items that the viewer named in the layout `none`, as they followed the list since.
    public var visibleItems: VisibleItems?
    /// What happened since the pictures that the viewer may go by, in the layout `none`.
    public var history = PictureHistory()
    /// Whether the viewer can be seen.
    public var isOnScreen = true
    /// The sequence of the last change that the viewer was sent.
    public var sequence: UInt64 = 0
    /// The last sequence that it acknowledged.
    public var acknowledgedSequence: UInt64 = 0
    /// Whether it was told that its credit is used up.
    public var isStalled = false
    /// The extent of the content as it was sent.
    public var contentSize = Size.zero
    /// What the viewer shows.
    public var shown: [PictureItem] = []
    /// Slots that show nothing, in the order of their release.
    public var released: [ReleasedSlot] = []
    /// What the viewer measured.
    public var measured: [MeasuredSize] = []
    /// The last object when it was told that the end of the list is near, empty for a list without any; `nil` = it is not near.
    public var nearEnd: String?

    /// A slot that shows nothing, and the reuse identifier that it belongs to.
    public struct ReleasedSlot: Sendable, Hashable {
        /// The slot.
        public var slot: SlotNumber
        /// The reuse identifier.
        public var reuseIdentifier: String

        /// Makes a released slot.
        public init(slot: SlotNumber, reuseIdentifier: String) {
            self.slot = slot
            self.reuseIdentifier = reuseIdentifier
        }
    }

    /// Describes a view that has not been sent anything.
    public init(id: ViewID, options: ListViewOptions) {
        self.id = id
        self.options = options
    }
}

extension ViewResumption {
    /// Follows a change of the list that no engine has told the view of, as far as it is known without one: objects, with one
    /// item each.
    public mutating func follow(_ change: PathForwarding) {
        history.record(change)
        guard let items = visibleItems, options.isAnchored,
            options.isAnchoredAtStart || items.first != IndexPath(section: 0, item: 0)
        else { return }
        let last = IndexPath(section: items.first.section + items.length - 1, item: .max)
        let count = change.sections.newCount
        let order = ItemOrder(
            sectionCount: count, itemCount: count, itemOffset: { $0 }, itemCountOfSection: { $0 < count ? 1 : 0 },
            path: { $0 < count ? IndexPath(section: $0, item: 0) : nil })
        // Of a section of which something is shown, the same item is shown where the section is still there.
        if change.sections(items.first.section).map({ visibleItems?.first.section = $0 }) != nil { return }
        if let first = order.first(of: items.length, following: items.first...last, before: change) {
            visibleItems?.first = first
        }
    }
}

extension ListAdapter {
    /// Opens a view that goes on where its viewer is: sequences continue, slots keep their numbers, and what is announced is
    /// the difference to what the viewer shows.
    ///
    /// - Throws: as ``openView(_:options:)``.
    @_spi(Daemon) public func resumeView(_ resumption: ViewResumption) throws(ListError) -> [AdapterEvent] {
        let view = try addView(resumption.id, resumption.options)
        // What it was to be opened at may be gone by now.
        view.opening = resumption.options.opening.flatMap { try? opening(at: $0) }
        view.isVisible = resumption.isOnScreen
        for size in resumption.measured {
            guard let handle = sections.handle(forID: size.objectID) else { continue }
            view.reportedSizes[handle, default: [:]][size.item] = size.size
        }
        view.slots = SlotPool(
            shown: resumption.shown.map {
                ViewResumption.ReleasedSlot(slot: $0.slot, reuseIdentifier: $0.reuseIdentifier)
            }, released: resumption.released)
        view.picture.sequence = resumption.sequence
        view.picture.contentSize = resumption.contentSize
        for item in resumption.shown { adopt(item, in: view) }
        view.credit.resume(
            sequence: resumption.sequence, acknowledged: resumption.acknowledgedSequence,
            isStalled: resumption.isStalled)
        if view.layoutKind == .none {
            view.visibleItems = resumption.visibleItems
            view.history = resumption.history
        } else {
            view.viewport = resumption.viewport
        }
        view.nearEnd = resumption.nearEnd.flatMap { nearEnd(of: $0) }
        guard view.isActive else { return [] }
        prepareLayout(of: view)
        return reply(view).effects
    }

    /// Takes over what was selected in another engine: nobody has selected anything, so no section controller is asked or
    /// told, and there is no event.
    ///
    /// Items that are not there any more are left out.
    @_spi(Daemon) public func resumeSelection(_ items: [SelectedItem]) {
        for item in items {
            guard let handle = try? handle(ofItem: item.item, of: item.objectID) else { continue }
            _ = selection.insert(item.item, of: handle)
        }
    }

    /// A view as its viewer knows it, for another engine to go on with.
    ///
    /// - Throws: `invalidArguments` for a view that is not open.
    @_spi(Daemon) public func resumption(of id: ViewID) throws(ListError) -> ViewResumption {
        let view = try view(id)
        var resumption = ViewResumption(id: id, options: view.options)
        resumption.options.opening = view.opening.map {
            ListViewOpening(objectID: self.id(of: $0.handle), item: $0.item, position: $0.position)
        }
        resumption.viewport = view.layoutKind == .none ? nil : view.viewport
        resumption.visibleItems = view.visibleItems
        resumption.history = view.history
        resumption.isOnScreen = view.isVisible
        resumption.sequence = view.picture.sequence
        resumption.acknowledgedSequence = view.credit.acknowledged
        resumption.isStalled = view.credit.isStalled
        resumption.contentSize = view.picture.contentSize
        let sent = view.picture.order.compactMap { view.picture.elements[$0] } + view.orphans
        resumption.shown = sent.map { element in
            PictureItem(
                slot: element.slot, objectID: element.objectID, section: element.section, item: element.item,
                kind: element.kind, reuseIdentifier: element.reuseIdentifier, frame: element.frame, z: element.z,
                content: element.content)
        }
        resumption.released = view.slots.released
        resumption.measured = view.reportedSizes.flatMap { handle, sizes in
            sizes.map { MeasuredSize(objectID: self.id(of: handle), item: $0.key, size: $0.value) }
        }
        resumption.nearEnd = view.nearEnd.map { $0.last.map { self.id(of: $0) } ?? "" }
        return resumption
    }

    /// What was told when an object was the last; `nil` when it has left the list.
    private func nearEnd(of last: String) -> NearEnd? {
        last.isEmpty ? NearEnd(last: nil) : sections.handle(forID: last).map { NearEnd(last: $0) }
    }

    /// Takes an element over that the viewer shows; one whose item is gone is released with the next change.
    private func adopt(_ item: PictureItem, in view: ListView) {
        let handle = item.objectID.isEmpty ? nil : sections.handle(forID: item.objectID)
        let place = ElementKey(handle: handle, kind: item.kind, index: item.item)
        let element = SentPicture.Element(
            slot: item.slot, handle: handle, objectID: item.objectID, kind: item.kind, section: item.section,
            item: item.item, frame: item.frame, z: item.z, reuseIdentifier: item.reuseIdentifier, content: item.content)
        var identity: String?
        if item.kind == .cell, let handle {
            guard (0..<sections.itemCount(of: handle)).contains(item.item) else { return view.orphans.append(element) }
            let present = askItem(of: handle, at: item.item)
            view.contents[place] = present
            identity = present.identity
        }
        let key = SentPicture.Key(place, identity: identity)
        guard view.picture.elements[key] == nil, handle != nil || item.objectID.isEmpty else {
            return view.orphans.append(element)
        }
        view.picture.elements[key] = element
        view.picture.order.append(key)
    }
}

extension SlotPool {
    /// Slots that show nothing, those of one reuse identifier in the order of their release.
    var released: [ViewResumption.ReleasedSlot] {
        places.sorted { $0.value < $1.value }.flatMap { identifier, place in
            pools[place].free.map { ViewResumption.ReleasedSlot(slot: $0, reuseIdentifier: identifier.text) }
        }
    }

    /// Makes a pool as a viewer knows it.
    init(shown: [ViewResumption.ReleasedSlot], released: [ViewResumption.ReleasedSlot]) {
        self.init(after: (shown + released).map(\.slot).max() ?? 0)
        for known in shown { adopt(known.slot, known.reuseIdentifier) }
        for known in released {
            adopt(known.slot, known.reuseIdentifier)
            release(known.slot)
        }
    }
}
