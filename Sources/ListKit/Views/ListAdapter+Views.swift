// SPDX-License-Identifier: Apache-2.0

/// The answer to a call of a view.
@frozen public struct ViewReply: Sendable {
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// What to announce before the answer, in order.
    public var effects: [AdapterEvent]

    /// Makes an answer.
    public init(sequence: UInt64, effects: [AdapterEvent]) {
        self.sequence = sequence
        self.effects = effects
    }
}

/// What is known of a view.
@frozen public struct ViewDescription: Sendable, Hashable {
    /// How a view stands.
    @frozen public enum State: String, Sendable, Hashable {
        /// It has not said what it looks at.
        case new
        /// It is sent what changes.
        case active
        /// It has used up its credit.
        case stalled
    }

    /// How it stands.
    public var state: State
    /// The sequence of the last change that was sent.
    public var sequence: UInt64
    /// The last sequence that was acknowledged.
    public var acknowledgedSequence: UInt64
    /// The extent of the whole content.
    public var contentSize: Size
    /// The viewport in content coordinates; zero before the first one and in the layout `none`.
    public var viewport: Rect
    /// The sections in range.
    public var workingRange: Range<Int>
    /// The objects of which an item is shown, in list order.
    public var visibleObjects: [String]
    /// The items that the viewer named in the layout `none`, as they followed the list since.
    public var visibleItems: VisibleItems?

    /// Describes a view.
    @_spi(Daemon) public init(
        state: State, sequence: UInt64, acknowledgedSequence: UInt64, contentSize: Size, viewport: Rect,
        workingRange: Range<Int>, visibleObjects: [String], visibleItems: VisibleItems? = nil
    ) {
        self.state = state
        self.sequence = sequence
        self.acknowledgedSequence = acknowledgedSequence
        self.contentSize = contentSize
        self.viewport = viewport
        self.workingRange = workingRange
        self.visibleObjects = visibleObjects
        self.visibleItems = visibleItems
    }
}

extension ListAdapter {
    /// Opens a view; it says nothing before its first viewport or visible range.
    ///
    /// - Parameter id: its name, not in use; numbers are best never used again.
    /// - Throws: `invalidArguments` for a name in use and for options out of range; `noSuchObject`, `noSuchItem` for what it is
    ///   to be opened at.
    public func openView(_ id: ViewID, options: ListViewOptions = ListViewOptions()) throws(ListError) {
        let opening = try options.opening.map { (opening) throws(ListError) in try self.opening(at: opening) }
        try addView(id, options).opening = opening
    }

    /// Opens a view, whatever its options say of where.
    func addView(_ id: ViewID, _ options: ListViewOptions) throws(ListError) -> ListView {
        guard !views.contains(where: { $0.id == id }) else {
            throw ListError(.invalidArguments, "view: \(id) is open already")
        }
        try options.validate()
        let kind = options.layout ?? configuration.layout
        let view = ListView(id: id, options: options, layoutKind: kind, layout: makeLayout(kind, options))
        views.append(view)
        return view
    }

    /// The viewer scrolled: the viewport is `rect`, in the content as of `seen`.
    ///
    /// - Parameter seen: the last sequence that the viewer has drawn; 0, or one that was never sent, is the newest. A viewer
    ///   without a credit window may be up to 256 changes behind.
    /// - Throws: `invalidArguments` for a layout without viewport and for numbers that are not finite or negative sizes.
    /// - Complexity: O(log n + visible); the first call and another size lay the list out.
    public func setViewport(view id: ViewID, seen: UInt64, rect: Rect) throws(ListError) -> ViewReply {
        let view = try view(id)
        guard view.layoutKind != .none else {
            throw ListError(.invalidArguments, "a view with the layout none has no viewport: name a visible range")
        }
        guard rect.isFinite, rect.size.width >= 0, rect.size.height >= 0 else {
            throw ListError(.invalidArguments, "the viewport \(rect)")
        }
        let drawn = seen == 0 || seen > view.picture.sequence ? view.picture.sequence : seen
        if view.viewport == nil, let reply = open(view, size: rect.size) { return reply }
        let old = view.viewport
        var origin = rect.origin
        if let old, !view.shifts.honoursOrigin(seen: drawn) {
            origin = old.origin
        } else {
            let along = configuration.direction.along(origin) + view.shifts.distance(since: drawn)
            origin = configuration.direction.replacing(along, in: origin)
        }
        view.viewport = Rect(origin: origin, size: rect.size)
        lastScrolledView = id
        if let old, configuration.direction.across(old.size) != configuration.direction.across(rect.size) {
            view.reportedSizes = [:]
        }
        if old?.size != rect.size { prepareLayout(of: view) }
        return reply(view, scrolledFrom: old?.origin)
    }

    /// The viewer has drawn everything up to a sequence; one that was never sent is ignored.
    ///
    /// Answers what it lacks, if its credit was used up. Only needed for a view with a credit window
    /// (``ListViewOptions/window``).
    public func acknowledge(view id: ViewID, sequence: UInt64) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        view.credit.acknowledge(sequence, lastSent: view.picture.sequence)
        view.shifts.forget(upTo: view.credit.acknowledged)
        view.history.forget(upTo: view.credit.acknowledged)
        guard view.credit.isStalled else { return [] }
        let mark = pendingEvents.count
        return settled(compose(view, endsStall: true), since: mark)
    }

    /// The picture of the present; it acknowledges everything and ends a stall. Slots keep their numbers.
    public func resync(view id: ViewID) throws(ListError) -> Picture {
        let view = try view(id)
        fetchContents(of: view)
        var difference = view.difference(self)
        if !difference.isEmpty || view.isOffsetMoved { _ = view.take(&difference, revision: revision) }
        forgetPictures(of: view)
        settle()
        // What callbacks brought about meanwhile is in the picture too.
        forgetPictures(of: view)
        return view.presentPicture(revision: revision)
    }

    /// The viewer gets everything at once: what waits for it is in there.
    private func forgetPictures(of view: ListView) {
        pendingEvents.removeAll { $0.isPicture(of: view.id) }
        for index in flushed.indices { flushed[index].events.removeAll { $0.isPicture(of: view.id) } }
        view.credit.acknowledgeAll(lastSent: view.picture.sequence)
        view.shifts.forget(upTo: view.picture.sequence)
        if view.layoutKind == .none { view.history.restart(sequence: view.picture.sequence) }
    }

    /// Closes a view: everything in it ends and leaves, then it is closed.
    public func closeView(_ id: ViewID) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        let mark = pendingEvents.count
        view.viewport = nil
        view.visibleItems = nil
        let step = step(view)
        let said = events(of: step, in: view)
        notify([step])
        views.removeAll { $0.id == id }
        return settled([said.display, said.range].compactMap { $0 } + [.closed(view: id)], since: mark)
    }

    /// What is known of a view.
    public func viewDescription(_ id: ViewID) throws(ListError) -> ViewDescription {
        let view = try view(id)
        return ViewDescription(
            state: view.credit.isStalled ? .stalled : view.isActive ? .active : .new, sequence: view.picture.sequence,
            acknowledgedSequence: view.credit.acknowledged, contentSize: view.contentSize,
            viewport: view.viewport ?? .zero, workingRange: view.workingRange, visibleObjects: visibleObjects(of: view),
            visibleItems: view.visibleItems)
    }

    /// The objects of which an item is shown; looked up once, for a view is often described without showing others.
    private func visibleObjects(of view: ListView) -> [String] {
        if let known = view.visibleObjects { return known }
        var handles: Set<SectionHandle> = []
        let objects = view.elements.compactMap { element -> String? in
            guard element.key.kind == .cell, let handle = element.key.handle, handles.insert(handle).inserted else {
                return nil
            }
            return sections.id(of: handle)
        }
        view.visibleObjects = objects
        return objects
    }

    /// The open views, in the order of their opening.
    public var openViews: [ViewID] { views.map(\.id) }

    /// The views that are not sent what they lack, so that no event tells how they stand.
    @_spi(Daemon) public var waitingViews: [ViewID] {
        views.filter { $0.credit.isStalled || $0.isHeld }.map(\.id)
    }

    /// Sends what was held back while ``holdsViews`` was true.
    public func resumeViews() -> [AdapterEvent] {
        holdsViews = false
        let mark = pendingEvents.count
        return settled(views.filter(\.isHeld).flatMap { compose($0, endsStall: true) }, since: mark)
    }

    // MARK: Steps

    func view(_ id: ViewID) throws(ListError) -> ListView {
        guard depth == (isCompleting ? 1 : 0), application == nil else {
            throw ListError(.invalidArguments, "a view was called from inside of a callback")
        }
        guard let view = views.first(where: { $0.id == id }) else {
            throw ListError(.invalidArguments, "no view \(id)")
        }
        return view
    }

    /// Brings a view up to date after its viewport changed, and answers everything that follows from it.
    ///
    /// - Parameter old: where the viewport lay, if its controllers are to hear that the content moved.
    func reply(_ view: ListView, scrolledFrom old: Point? = nil) -> ViewReply {
        let mark = pendingEvents.count
        let step = step(view)
        let pictures = compose(view)
        let said = events(of: step, in: view)
        notify([step])
        if let old, old != view.offset { notifyScroll(.scrolled, in: view) }
        let effects = settled(
            [said.display, said.range].compactMap { $0 } + pictures + nearEndEvents(of: view), since: mark)
        return ViewReply(sequence: view.picture.sequence, effects: effects)
    }
}

extension ListView {
    /// Everything that the viewer was sent, put together.
    func presentPicture(revision: UInt64) -> Picture {
        Picture(
            sequence: picture.sequence, revision: revision, contentSize: contentSize, offset: offset,
            items: picture.order.compactMap { picture.elements[$0] }.map(PictureItem.init))
    }
}
