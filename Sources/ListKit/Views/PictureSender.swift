// SPDX-License-Identifier: Apache-2.0

/// Composes the pictures for the viewer of one view: compares the view's elements with the picture that was sent, and
/// limits what is sent to the viewer's credit.
final class PictureSender {
    private let id: ViewID
    private let fields: Set<ExactText>
    private let environment: ViewEnvironment
    /// The view's elements when their items were last fetched. Those that were invalidated since have no content.
    private var cells: [ViewElement] = []
    /// Whether ``cells`` are in list order and the list has moved none of them since.
    private var areCellsInOrder = true
    /// Whether items in ``cells`` may have the same identity as others of their section.
    private var areIdentitiesUnchecked = false
    /// The approximate bytes of the view's elements with their contents, when they were last fetched.
    private(set) var byteCount = 0
    /// Whether items must be fetched again although no update is in progress.
    private(set) var isStale = false
    /// Whether changes are held back because all views are held.
    private(set) var isHeld = false
    /// The picture that the viewer was sent.
    private(set) var picture = SentPicture()
    private var slots = SlotPool()
    private(set) var credit: CreditWindow
    /// The changes of the list since the pictures that the viewer may still refer to. Used only in the layout `none`.
    private(set) var history = PictureHistory()
    /// The updates since the picture that the viewer was sent.
    private var updates = UnsentUpdates()

    /// The maximum number of changes that a viewer without a credit window may be behind when it scrolls.
    private static let rememberedChanges: UInt64 = 256

    /// The maximum number of attempts to fetch items. An attempt is repeated if a section gets a fault meanwhile.
    private static let maximumFetches = 4

    init(_ id: ViewID, _ options: ListViewOptions, in environment: ViewEnvironment) {
        self.id = id
        self.environment = environment
        fields = Set(options.fields.map { ExactText($0) })
        credit = CreditWindow(maximumCount: options.window, maximumBytes: options.windowBytes)
    }

    /// The sequence of the last change that was sent.
    var sequence: UInt64 { picture.sequence }

    /// The number of slots that the viewer has.
    var slotCount: Int { slots.count }

    /// The sections of which elements were sent.
    var handlesInUse: Set<SectionHandle> { picture.handlesInUse }

    /// Whether there are elements to send or to release although the view has no viewport.
    private var isUnfinished: Bool { !picture.isEmpty || credit.isStalled || isHeld }

    // MARK: Contents

    /// Fetches the items of the view's elements that are not cached.
    ///
    /// If a section gets a fault meanwhile, its items are fetched again, so that all of them are error items.
    ///
    /// - Parameter limit: the maximum for ``byteCount``.
    /// - Returns: `false` if the elements take more bytes. Then the cache is unchanged.
    @discardableResult
    private func fetchContents(of elements: () -> [ViewElement], within limit: Int = .max) -> Bool {
        let wasStale = isStale
        for _ in 0..<PictureSender.maximumFetches {
            isStale = false
            var (fetched, isOrdered) = withCachedContents(elements())
            var bytes = 0
            // The elements of a section are next to each other.
            var (start, isNew) = (0, areIdentitiesUnchecked)
            for index in fetched.indices {
                let key = fetched[index].key
                if key.handle != fetched[start].key.handle {
                    if isNew { checkIdentities(of: fetched[start..<index]) }
                    (start, isNew) = (index, areIdentitiesUnchecked)
                }
                if let content = fetched[index].content {
                    bytes += content.byteCount
                } else {
                    let content = fetchContent(of: key)
                    fetched[index].content = content
                    bytes += content.byteCount
                    isNew = true
                }
                guard bytes <= limit else {
                    isStale = isStale || wasStale
                    return false
                }
            }
            if isNew, start < fetched.count { checkIdentities(of: fetched[start...]) }
            guard isStale else {
                (cells, areCellsInOrder, areIdentitiesUnchecked, byteCount) = (fetched, isOrdered, false, bytes)
                return true
            }
        }
        (cells, areCellsInOrder) = withCachedContents(elements())
        return true
    }

    /// Returns elements with the contents that are cached, and whether they are in list order.
    private func withCachedContents(_ elements: [ViewElement]) -> (elements: [ViewElement], isInOrder: Bool) {
        let isInOrder = ViewElement.areInListOrder(elements)
        var result = elements
        // Elements that a picture shares with the view have the contents that were sent.
        for index in result.indices where result[index].content != nil { result[index].content = nil }
        guard isInOrder, areCellsInOrder else {
            var known: [ElementKey: ViewElement.Content] = [:]
            known.reserveCapacity(cells.count)
            for cell in cells { known[cell.key] = cell.content }
            for index in result.indices { result[index].content = known[result[index].key] }
            return (result, isInOrder)
        }
        var place = 0
        for index in result.indices {
            while place < cells.count, ViewElement.isBefore(cells[place], result[index]) { place += 1 }
            guard place < cells.count else { break }
            if cells[place].key == result[index].key { result[index].content = cells[place].content }
        }
        return (result, isInOrder)
    }

    /// Records a fault if two items of a section have the same identity.
    private func checkIdentities(of section: ArraySlice<ViewElement>) {
        guard section.count > 1, let handle = section.first?.key.handle else { return }
        var identities: Set<ExactText> = []
        for element in section {
            guard let identity = element.identity else { continue }
            if !identities.insert(ExactText(identity)).inserted {
                environment.store.recordFault(of: handle, "two items have the identity \(identity.quoted)")
            }
        }
    }

    /// Fetches the items that the view's elements lack.
    ///
    /// - Parameter growth: the bytes by which ``byteCount`` may grow.
    /// - Returns: `false` if it would grow by more. Then nothing is changed.
    func fetchContents(of view: ListView, growth: Int) -> Bool {
        let limit = growth < .max - byteCount ? byteCount + growth : .max
        return fetchUnsent(of: view, within: limit) ?? fetchContents(of: { view.elements }, within: limit)
    }

    /// Fetches the items of elements that an edit has brought.
    ///
    /// - Returns: `false` if the elements take more bytes; `nil` if the items of all elements must be fetched.
    private func fetchUnsent(of view: ListView, within limit: Int = .max) -> Bool? {
        guard let edit = picture.unsent else { return nil }
        var bytes = edit.elements.reduce(byteCount) { $0 - ($1.content?.byteCount ?? 0) }
        var fetched: [(index: Int, content: ViewElement.Content)] = []
        for index in edit.indexes {
            let content = cells[index].content ?? fetchContent(of: cells[index].key)
            if cells[index].content == nil { fetched.append((index, content)) }
            bytes += content.byteCount
            guard bytes <= limit else { return false }
        }
        guard !isStale, hasSameElements(as: view) else { return nil }
        change(view) { elements in
            for (index, content) in fetched { elements[index].content = content }
        }
        let sections = Set(fetched.lazy.filter { $0.content.item.identity != nil }.map { self.cells[$0.index].section })
        for section in sections {
            checkIdentities(of: cells[ViewElement.indexes(of: section..<section + 1, in: cells)])
        }
        guard !isStale, hasSameElements(as: view) else { return nil }
        byteCount = bytes
        return true
    }

    private func fetchContent(of key: ElementKey) -> ViewElement.Content {
        let item = fetchItem(of: key)
        return ViewElement.Content(
            item, objectID: key.handle.map { environment.store.id(of: $0) } ?? "",
            fields: item.content(filteredTo: fields))
    }

    private func fetchItem(of key: ElementKey) -> ListItem {
        guard let handle = key.handle else {
            return ListItem(reuseIdentifier: "empty", content: environment.options.emptyContent)
        }
        return key.kind == .cell
            ? environment.store.askItem(of: handle, at: key.index)
            : environment.store.askSupplementary(of: handle, kind: key.kind)
    }

    /// Returns an item as it was last fetched, or `nil` if it is not cached.
    ///
    /// - Parameter section: the present position of its section.
    func item(of key: ElementKey, section: Int) -> ListItem? {
        index(of: ViewElement(key: key, section: section, frame: .zero, z: 0)).flatMap { cells[$0].content?.item }
    }

    /// Returns the index in ``cells`` of an element at its present place; `nil` if it is not there.
    ///
    /// - Complexity: O(log elements); O(elements) while an update is presented that moved some.
    private func index(of element: ViewElement) -> Int? {
        areCellsInOrder
            ? ViewElement.index(of: element, in: cells) : cells.firstIndex { $0.key == element.key }
    }

    /// Removes the items of a section from the cache, so that they are fetched again if any is shown.
    func invalidate(_ handle: SectionHandle, isShown: Bool) {
        for index in cells.indices where cells[index].key.handle == handle { cells[index].content = nil }
        isStale = isStale || isShown
    }

    /// Records that invalidated items are being fetched.
    func clearStale() { isStale = false }

    // MARK: Sharing the elements with the view

    /// Whether the view, the cache and the picture have the same elements, in one array.
    private func hasSameElements(as view: ListView) -> Bool {
        !cells.isEmpty && cells.isSame(as: picture.elements) && cells.isSame(as: view.elements)
            && cells.isSame(as: view.displayed)
    }

    /// Whether the viewer was sent all that the view shows, as it is now, so that few elements can be changed alone.
    func isInStep(with view: ListView) -> Bool {
        hasSameElements(as: view) && !isStale && areCellsInOrder && !areIdentitiesUnchecked && picture.isInOrder
            && picture.orphans.isEmpty && !updates.isPending && !isHeld && !credit.isStalled
            && !view.geometry.shifts.isUnsent
    }

    /// Changes the elements of the view, the cache and the picture in place.
    private func change(_ view: ListView, _ body: (inout [ViewElement]) -> Void) {
        (cells, _) = ([], view.takeElements())
        var elements = picture.takeElements()
        body(&elements)
        picture.setElements(elements)
        cells = elements
        view.setElements(elements)
    }

    /// Applies an edit to the elements of a view that is in step. Returns the edit that brings the former ones back.
    ///
    /// - Parameter moved: the sections outside of which the list has moved none.
    func edit(_ edit: ElementEdit, moved: Range<Int>?, of view: ListView) -> ElementEdit {
        var undoing = edit
        change(view) { undoing = edit.apply(to: &$0) }
        picture.setUnsent(picture.takeElements(), undoing, moved: moved)
        return undoing
    }

    /// Brings back the elements before an edit that was not sent.
    func undo(_ undoing: ElementEdit, of view: ListView) {
        guard picture.unsent != nil, hasSameElements(as: view) else {
            picture.recallSent()
            var elements = view.takeElements()
            _ = undoing.apply(to: &elements)
            return view.setElements(elements)
        }
        change(view) { _ = undoing.apply(to: &$0) }
        picture.recordShown()
    }

    /// Shares the elements that were sent with the view and the cache, if they are all that the view shows.
    private func share(with view: ListView) {
        guard picture.isInOrder, picture.elements.count == cells.count, cells.count == view.elements.count,
            view.displayed.count == view.elements.count
        else { return }
        cells = picture.elements
        view.setElements(picture.elements)
    }

    // MARK: Updates

    /// Moves cached items to their new indexes and drops outdated ones.
    func apply(_ effects: UpdateEffects) {
        if !effects.keepsPlaces {
            picture.forward(effects.forwarding, in: effects.concernedSections)
            if let sections = effects.concernedSections, effects.change.removed.isEmpty, areCellsInOrder {
                return moveCells(of: sections, effects)
            }
            areCellsInOrder = false
        }
        cells =
            effects.asksAnew
            ? []
            : cells.compactMap { cell in
                guard !effects.isOutdated(cell.key), let key = cell.key.forwarded(by: effects.forwarding) else {
                    return nil
                }
                var cell = cell
                cell.key = key
                return cell
            }
    }

    /// Moves cached items in some sections to their new places, so that all stay in list order, and drops outdated ones.
    private func moveCells(of sections: Range<Int>, _ effects: UpdateEffects) {
        let range = ViewElement.indexes(of: sections, in: cells)
        let moved = cells[range].compactMap { cell -> ViewElement? in
            guard !effects.isOutdated(cell.key), let key = cell.key.forwarded(by: effects.forwarding),
                let section = key.handle.flatMap({ environment.map.position(of: $0) })
            else { return nil }
            var cell = cell
            (cell.key, cell.section) = (key, section)
            return cell
        }
        cells.replaceSubrange(range, with: moved.sorted(by: ViewElement.isBefore))
    }

    /// Records an update, which the next change will bring.
    ///
    /// - Parameter paths: the mapping of old to new item paths; `nil` if all items keep their paths.
    func recordUpdate(_ effects: UpdateEffects, _ paths: PathForwarding?) {
        updates.record(isAnimated: effects.change.animated, paths, forwarding: effects.forwarding)
    }

    /// Records the elements that came into view by the update that is being presented.
    func recordAppeared(_ appeared: [ViewElement], among present: [ViewElement], before layout: (any ListLayout)?) {
        updates.record(appeared: appeared, among: present, before: layout, environment.map)
    }

    /// Records new paths of items, for viewers that refer to items by their paths in an earlier picture.
    func record(_ change: PathForwarding) { history.record(change) }

    /// Clears the history, because the view's layout changed from or to `none`.
    func resetHistory() { history = PictureHistory() }

    /// Returns the changes of the list since a picture, in order.
    func changes(since seen: UInt64) -> [PathForwarding] { history.changes(since: seen, lastSent: picture.sequence) }

    /// Returns the changes of the list since a picture as one change, or `nil` if there was none.
    func change(since seen: UInt64) -> PathForwarding? { history.change(since: seen, lastSent: picture.sequence) }

    // MARK: Composing

    /// Composes the change that brings the viewer up to date, if the viewer's credit allows it.
    ///
    /// - Parameters:
    ///   - endsStall: whether the viewer has just acknowledged a picture. Otherwise a stall does not end.
    ///   - holds: whether all views are held, so that nothing is sent.
    ///   - isFetched: whether the items of all elements were just fetched.
    func compose(
        _ view: ListView, endsStall: Bool = false, holds: Bool, isFetched: Bool = false
    ) -> [AdapterEvent] {
        // A view without a viewport still has to release the elements that it showed.
        guard view.geometry.isActive || isUnfinished else {
            updates = UnsentUpdates()
            return []
        }
        if picture.unsent != nil {
            if let events = composeUnsent(view, holds: holds, isFetched: isFetched) { return events }
            picture.recallSent()
        }
        // Items are fetched even if nothing may be sent, because section controllers ask for displayed items.
        if !isFetched { fetchContents { view.elements } }
        guard endsStall || !credit.isStalled else { return [] }
        if holds {
            isHeld = true
            return []
        }
        if credit.isStalled, !credit.hasRoom { return [] }
        var difference = difference(of: view)
        if difference.isEmpty && !view.geometry.shifts.isUnsent {
            isHeld = false
            updates = UnsentUpdates()
            picture.recordUnchanged()
            credit.recordStallEnd()
            return []
        }
        let size = difference.size
        guard credit.hasRoom, credit.admits(bytes: size.credit) else {
            guard credit.recordStall() else { return [] }
            return [.stalled(view: id, sequence: picture.sequence, revision: environment.revision)]
        }
        var change = commit(&difference, view)
        change.transitions = transitions(of: difference)
        share(with: view)
        return send(change, size, view)
    }

    /// Composes the change that sends the elements that an edit has brought.
    ///
    /// - Returns: `nil` if the viewer also lacks other changes, or may be sent nothing.
    /// - Complexity: O(edited elements).
    private func composeUnsent(_ view: ListView, holds: Bool, isFetched: Bool) -> [AdapterEvent]? {
        guard let edit = picture.unsent, !holds, !credit.isStalled, credit.hasRoom,
            isFetched || fetchUnsent(of: view) == true, hasSameElements(as: view)
        else { return nil }
        let (indexes, geometry) = (edit.indexes, view.geometry)
        var difference = picture.difference(
            at: indexes, contentSize: geometry.contentSize, stickyEdge: geometry.stickyEdge)
        let (size, isUnchanged) = (difference.size, difference.isEmpty && !geometry.shifts.isUnsent)
        guard isUnchanged || credit.admits(bytes: size.credit) else { return nil }
        var news = isUnchanged ? nil : makeChange(&difference, sent: edit.elements, view)
        change(view) { elements in
            for (index, element) in zip(indexes, difference.present) { elements[index].slot = element.slot }
        }
        guard var change = news.take() else {
            picture.recordShown()
            updates = UnsentUpdates()
            return []
        }
        picture.advanceToShown(contentSize: geometry.contentSize, stickyEdge: geometry.stickyEdge)
        change.transitions = transitions(of: difference)
        return send(change, size, view)
    }

    /// Records a change as sent. Returns it as events, in pieces if it is large.
    private func send(
        _ change: PictureChange, _ size: (credit: Int, message: Int), _ view: ListView
    ) -> [AdapterEvent] {
        let changes =
            size.message <= SignalLimits.bytes ? [change] : change.split(maximumBytes: SignalLimits.bytes)
        picture.setSequence(changes.last?.sequence ?? picture.sequence)
        updates = UnsentUpdates()
        credit.recordSent(sequence: picture.sequence, bytes: size.credit)
        if view.geometry.kind == .none { history.record(sequence: change.sequence) }
        let kept = credit.isLimited ? nil : PictureSender.rememberedChanges
        view.geometry.markSent(sequence: picture.sequence, keeping: kept)
        if let kept { history.dropAll(exceptNewest: kept, lastSent: picture.sequence) }
        return changes.map { .picture($0) }
    }

    /// Composes the new contents of some elements, with the result that ``compose(_:endsStall:holds:)`` would have if
    /// nothing else changed.
    ///
    /// - Returns: `nil` if the viewer also lacks other changes, or may be sent nothing. Then `compose` must be
    ///   called, which fetches the items.
    /// - Complexity: O(elements · log of all elements).
    func composeContents(of elements: [ViewElement], _ view: ListView, holds: Bool) -> [AdapterEvent]? {
        let places = elements.compactMap { index(of: $0) }
        let before = places.map { cells[$0].content }
        let sent = elements.compactMap { picture.index(of: $0) }.map { ($0, picture.elements[$0].content) }
        // While the new items are made, none of the old items is cached.
        setContents(places.map { ($0, nil) }, of: view)
        let isComplete = places.count == elements.count && sent.count == elements.count
        let events = isComplete && !holds ? composeContents(of: elements, at: places, before, sent, view) : nil
        // What the picture shares with the view is what was sent again.
        if events == nil { picture.setContents(sent) }
        return events
    }

    private func composeContents(
        of elements: [ViewElement], at places: [Int], _ before: [ViewElement.Content?],
        _ sent: [(index: Int, content: ViewElement.Content?)], _ view: ListView
    ) -> [AdapterEvent]? {
        guard credit.hasRoom, picture.isInOrder, picture.orphans.isEmpty,
            picture.elements.count == view.elements.count,
            !view.geometry.shifts.isUnsent, picture.contentSize == view.geometry.contentSize
        else { return nil }
        let news = elements.map { fetchContent(of: $0.key) }
        guard !isStale else { return nil }
        setContents(Array(zip(places, news)), of: view)
        areIdentitiesUnchecked = true
        byteCount += news.reduce(0) { $0 + $1.byteCount } - before.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        var changed: [(index: Int, content: ViewElement.Content?)] = []
        var size = (credit: 0, message: 0)
        for (sent, (old, new)) in zip(sent, zip(before, news)) {
            guard let old, old.isReused(like: new), old.hasSameIdentity(as: new), let content = sent.content
            else { return nil }
            guard !content.hasSameFields(as: new) else { continue }
            changed.append((sent.index, new))
            size.credit += new.fields.byteCount + 12
            size.message += new.fields.byteCount + PictureChange.Rebinding.overhead
        }
        areIdentitiesUnchecked = false
        guard !changed.isEmpty else {
            updates = UnsentUpdates()
            return []
        }
        guard credit.admits(bytes: size.credit) else { return nil }
        var change = PictureChange(
            view: id, sequence: picture.sequence + 1, revision: environment.revision, contentSize: picture.contentSize,
            offset: view.geometry.offset)
        change.rebound = changed.map {
            PictureChange.Rebinding(slot: picture.elements[$0.index].slot, content: $0.content?.fields ?? Fields())
        }
        (change.isAnimated, change.stickyEdge) = (updates.isAnimated, picture.stickyEdge)
        picture.advance(withContents: changed)
        return send(change, size, view)
    }

    /// Sets the contents of cached elements, and of those of the view and the picture if they share them.
    private func setContents(_ contents: [(index: Int, content: ViewElement.Content?)], of view: ListView) {
        guard hasSameElements(as: view) else {
            for (index, content) in contents { cells[index].content = content }
            return
        }
        change(view) { elements in
            for (index, content) in contents { elements[index].content = content }
        }
    }

    /// Updates the picture to the view's present elements without sending a change.
    func updatePictureWithoutSending(_ view: ListView) {
        fetchContents { view.elements }
        var difference = difference(of: view)
        updates = UnsentUpdates()
        guard !difference.isEmpty || view.geometry.shifts.isUnsent else { return }
        _ = commit(&difference, view)
        view.geometry.markSent(sequence: picture.sequence, keeping: nil)
    }

    /// Returns the whole picture that the viewer was sent.
    ///
    /// - Parameter shift: how far the viewport was moved since the last change was sent.
    func wholePicture(_ geometry: ViewGeometry, shift: Point) -> Picture {
        var whole = Picture(
            sequence: picture.sequence, revision: environment.revision, contentSize: geometry.contentSize,
            offset: geometry.offset, items: items(of: picture.elements))
        whole.shift = shift
        whole.sticky = picture.elements.compactMap { element in
            element.travel.map { PictureChange.Sticky(slot: element.slot, $0) }
        }
        whole.stickyEdge = picture.stickyEdge
        return whole
    }

    private func items(of elements: [ViewElement]) -> [PictureItem] {
        elements.compactMap { element in element.content.map { PictureItem(element, $0) } }
    }

    /// Returns the difference between the picture that was sent and the view's present elements, without changing
    /// either.
    private func difference(of view: ListView) -> PictureDifference {
        let isComplete = cells.allSatisfy { $0.content != nil }
        return picture.difference(
            to: isComplete ? cells : cells.filter { $0.content != nil }, contentSize: view.geometry.contentSize,
            stickyEdge: view.geometry.stickyEdge)
    }

    /// Applies a difference to the picture and returns the difference as a change.
    private func commit(_ difference: inout PictureDifference, _ view: ListView) -> PictureChange {
        let geometry = view.geometry
        let change = makeChange(&difference, sent: picture.elements, view)
        picture.advance(
            to: difference.present, contentSize: geometry.contentSize, stickyEdge: geometry.stickyEdge)
        isHeld = false
        return change
    }

    /// Returns a difference as a change, and gives slots to its new elements.
    ///
    /// - Parameter sent: the elements with which the present ones were compared.
    private func makeChange(
        _ difference: inout PictureDifference, sent: [ViewElement], _ view: ListView
    ) -> PictureChange {
        let geometry = view.geometry
        var change = PictureChange(
            view: id, sequence: picture.sequence + 1, revision: environment.revision, contentSize: geometry.contentSize,
            offset: geometry.offset)
        (change.shift, change.isAnimated, change.stickyEdge) = (
            geometry.shifts.unsent, updates.isAnimated, geometry.stickyEdge
        )
        let reasons = updates.reasons(
            for: difference, sent: sent, environment.map, environment.options.direction,
            attributes: geometry.attributes(of:at:))
        for element in difference.released {
            slots.release(element.slot)
            change.released.append(element.slot)
        }
        change.shown.reserveCapacity(difference.shown.count)
        for index in difference.shown {
            guard let content = difference.present[index].content else { continue }
            difference.present[index].slot = slots.take(content.item.reuseIdentifier)
            change.shown.append(PictureItem(difference.present[index], content))
        }
        let present = difference.present
        change.placed = difference.placed.map { place in
            let element = present[place.index]
            return PictureChange.Placement(
                slot: element.slot, section: element.section, item: element.item, frame: element.frame, z: element.z)
        }
        change.rebound = difference.rebound.map {
            PictureChange.Rebinding(slot: present[$0].slot, content: present[$0].content?.fields ?? Fields())
        }
        if let reasons { change.setCauses(reasons) }
        change.sticky = sticky(difference, present)
        return change
    }

    /// Returns where the sticky elements of a difference travel.
    private func sticky(_ difference: PictureDifference, _ present: [ViewElement]) -> [PictureChange.Sticky] {
        var sticky: [PictureChange.Sticky] = []
        func append(_ index: Int) {
            if let travel = present[index].travel {
                sticky.append(PictureChange.Sticky(slot: present[index].slot, travel))
            }
        }
        for index in difference.shown { append(index) }
        let rerouted = Set(difference.rerouted)
        for place in difference.placed where !rerouted.contains(place.index) { append(place.index) }
        for index in difference.rerouted {
            // An element that is not sticky any more stays where it is.
            let start = environment.options.direction.along(present[index].frame.origin)
            sticky.append(PictureChange.Sticky(slot: present[index].slot, present[index].travel ?? start...start))
        }
        return sticky
    }

    /// Asks transition delegates for the frames of elements that appear and disappear.
    private func transitions(of difference: PictureDifference) -> [PictureChange.Transition] {
        let store = environment.store
        // The handle is checked first, because few controllers have a transition delegate.
        func transition(of element: ViewElement, appears: Bool) -> PictureChange.Transition? {
            guard element.key.kind == .cell, let handle = element.key.handle, store.hasTransitions(handle) else {
                return nil
            }
            let frame = store.askTransition(
                of: handle, item: element.item, resting: element.frame, appears: appears)
            return frame.map { PictureChange.Transition(slot: element.slot, frame: $0) }
        }
        return difference.released.compactMap { transition(of: $0, appears: false) }
            + difference.shown.compactMap { transition(of: difference.present[$0], appears: true) }
    }

    // MARK: Acknowledging

    /// Records that nothing is held back for lack of credit any more, if the viewer has credit.
    func endStall() { if credit.hasRoom { credit.recordStallEnd() } }

    /// Records that the viewer has drawn everything up to a sequence.
    func acknowledge(_ sequence: UInt64) {
        credit.acknowledge(sequence, lastSent: picture.sequence)
        history.forget(upTo: credit.acknowledged)
    }

    /// Records that the viewer reads the whole picture, which acknowledges all changes.
    func acknowledgeAll(restartsHistory: Bool) {
        credit.acknowledgeAll(lastSent: picture.sequence)
        if restartsHistory { history.restart(sequence: picture.sequence) }
    }

    // MARK: Resuming

    /// Restores the picture, slots and credit of a resumed view.
    func resume(_ state: ViewState, keepsHistory: Bool) {
        let shown = state.shown
        slots = SlotPool(
            shown: shown.map { ViewState.ReleasedSlot(slot: $0.slot, reuseIdentifier: $0.reuseIdentifier) },
            released: state.released)
        var (elements, orphans): ([ViewElement], [ViewElement]) = ([], [])
        var keys: Set<ElementKey> = []
        for item in shown {
            let (element, exists) = shownElement(item)
            if exists, keys.insert(element.key).inserted { elements.append(element) } else { orphans.append(element) }
        }
        picture.resume(sequence: state.sequence, contentSize: state.contentSize, elements, orphans: orphans)
        (areCellsInOrder, areIdentitiesUnchecked) = (false, true)
        credit.resume(
            sequence: state.sequence, acknowledged: state.acknowledgedSequence, isStalled: state.isStalled)
        if keepsHistory { history = state.history }
    }

    /// Returns an element that the viewer already shows, and whether its item still exists. If it does not, the next
    /// change releases the element.
    private func shownElement(_ item: PictureItem) -> (element: ViewElement, exists: Bool) {
        let map = environment.map
        let handle = item.objectID.isEmpty ? nil : map.handle(forID: item.objectID)
        var element = ViewElement(
            key: ElementKey(handle: handle, kind: item.kind, index: item.item), section: item.section,
            frame: item.frame, z: item.z)
        element.slot = item.slot
        var identity: String?
        var exists = handle != nil || item.objectID.isEmpty
        if item.kind == .cell, let handle {
            exists = (0..<map.itemCount(of: handle)).contains(item.item)
            if exists {
                let present = fetchContent(of: element.key)
                identity = present.item.identity
                var cell = element
                (cell.content, cell.slot) = (present, 0)
                cells.append(cell)
            }
        }
        element.content = ViewElement.Content(
            ListItem(identity: identity, reuseIdentifier: item.reuseIdentifier, content: item.content),
            objectID: item.objectID, fields: item.content)
        return (element, exists)
    }

    /// Stores in a view's state what the viewer was sent, so that another engine can resume the view.
    func save(in state: inout ViewState) {
        state.history = history
        state.sequence = picture.sequence
        state.acknowledgedSequence = credit.acknowledged
        state.isStalled = credit.isStalled
        state.contentSize = picture.contentSize
        state.shown = items(of: picture.elements + picture.orphans)
        state.released = slots.released
    }
}

extension [ViewElement] {
    /// Returns whether both arrays are in the same memory, so that they have the same elements; O(1).
    fileprivate func isSame(as other: [ViewElement]) -> Bool { span.isIdentical(to: other.span) }
}

extension PictureChange.Sticky {
    fileprivate init(slot: SlotNumber, _ travel: ClosedRange<Double>) {
        self.init(slot: slot, first: travel.lowerBound, last: travel.upperBound)
    }
}

extension SlotPool {
    /// The slots that show nothing. Slots with the same reuse identifier are in the order of their release.
    fileprivate var released: [ViewState.ReleasedSlot] {
        places.sorted { $0.value < $1.value }.flatMap { identifier, place in
            pools[place].free.map { ViewState.ReleasedSlot(slot: $0, reuseIdentifier: identifier.text) }
        }
    }

    /// Makes a pool with the slots that a viewer already has.
    fileprivate init(shown: [ViewState.ReleasedSlot], released: [ViewState.ReleasedSlot]) {
        self.init(after: (shown + released).map(\.slot).max() ?? 0)
        for known in shown { insertShown(known.slot, identifier: known.reuseIdentifier) }
        for known in released {
            insertShown(known.slot, identifier: known.reuseIdentifier)
            release(known.slot)
        }
    }
}
