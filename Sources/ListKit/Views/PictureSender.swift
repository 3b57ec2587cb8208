// SPDX-License-Identifier: Apache-2.0

/// Composes the pictures for the viewer of one view: compares the view's elements with the picture that was sent, and
/// limits what is sent to the viewer's credit.
final class PictureSender {
    private let id: ViewID
    private let fields: Set<ExactText>
    private let environment: ViewEnvironment
    /// The cached contents of the view's elements. Entries are removed when they are invalidated.
    private(set) var contents: [ElementKey: Content] = [:]
    /// The approximate bytes of the view's elements with their contents, when they were last fetched.
    private(set) var byteCount = 0
    /// Whether items must be fetched again although no update is in progress.
    private(set) var isStale = false
    /// Whether changes are held back because all views are held.
    private(set) var isHeld = false
    /// The picture that the viewer was sent.
    private(set) var picture = SentPicture()
    /// Sent elements whose items were removed, but whose slots are not released yet.
    private var orphans: [SentPicture.Element] = []
    private var slots = SlotPool()
    private(set) var credit: CreditWindow
    /// The changes of the list since the pictures that the viewer may still refer to. Used only in the layout `none`.
    private(set) var history = PictureHistory()
    /// The updates since the picture that the viewer was sent.
    private var updates = UnsentUpdates()

    /// The content of an element.
    struct Content {
        let item: ListItem
        /// The fields of the item that the viewer is sent.
        let fields: Fields
        /// The approximate bytes that the element takes in a picture.
        let byteCount: Int
    }

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
    var handlesInUse: Set<SectionHandle> {
        var handles = Set(picture.elements.keys.compactMap(\.handle))
        handles.formUnion(orphans.compactMap(\.handle))
        return handles
    }

    /// Whether there are elements to send or to release although the view has no viewport.
    private var isUnfinished: Bool {
        !picture.elements.isEmpty || !orphans.isEmpty || credit.isStalled || isHeld
    }

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
            let elements = elements()
            var fetched: [ElementKey: Content] = [:]
            fetched.reserveCapacity(elements.count)
            var bytes = 0
            var identities: [SectionHandle: Set<ExactText>] = [:]
            for element in elements {
                let content = contents[element.key] ?? fetchContent(of: element.key)
                fetched[element.key] = content
                bytes += content.byteCount
                guard bytes <= limit else {
                    isStale = isStale || wasStale
                    return false
                }
                guard element.key.kind == .cell, let handle = element.key.handle, let identity = content.item.identity
                else { continue }
                if !identities[handle, default: []].insert(ExactText(identity)).inserted {
                    environment.store.recordFault(of: handle, "two items have the identity \(identity.quoted)")
                }
            }
            guard isStale else {
                (contents, byteCount) = (fetched, bytes)
                return true
            }
        }
        return true
    }

    /// Fetches the items that the view's elements lack.
    ///
    /// - Parameter growth: the bytes by which ``byteCount`` may grow.
    /// - Returns: `false` if it would grow by more. Then nothing is changed.
    func fetchContents(of view: ListView, growth: Int) -> Bool {
        fetchContents(of: { view.elements }, within: growth < .max - byteCount ? byteCount + growth : .max)
    }

    private func fetchContent(of key: ElementKey) -> Content {
        let item = fetchItem(of: key)
        let shown = item.content(filteredTo: fields)
        let names = item.reuseIdentifier.utf8.count + (key.handle.map { environment.store.id(of: $0).utf8.count } ?? 0)
        return Content(item: item, fields: shown, byteCount: shown.byteCount + names + PictureItem.overhead)
    }

    private func fetchItem(of key: ElementKey) -> ListItem {
        guard let handle = key.handle else {
            return ListItem(reuseIdentifier: "empty", content: environment.options.emptyContent)
        }
        return key.kind == .cell
            ? environment.store.askItem(of: handle, at: key.index)
            : environment.store.askSupplementary(of: handle, kind: key.kind)
    }

    /// Removes items from the cache, so that they are fetched again.
    func invalidate(_ keys: [ElementKey]) {
        for key in keys { contents[key] = nil }
        isStale = isStale || !keys.isEmpty
    }

    /// Records that invalidated items are being fetched.
    func clearStale() { isStale = false }

    /// Moves cached items to their new indexes and drops outdated ones.
    func apply(_ effects: UpdateEffects) {
        orphans += picture.forward(effects.forwarding)
        var kept: [ElementKey: Content] = [:]
        for (key, item) in effects.asksAnew ? [:] : contents where !effects.isOutdated(key) {
            if let new = key.forwarded(by: effects.forwarding) { kept[new] = item }
        }
        contents = kept
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
    /// - Complexity: O(elements).
    func composeContents(of elements: [ViewElement], _ view: ListView, holds: Bool) -> [AdapterEvent]? {
        let before = elements.map { contents[$0.key] }
        for element in elements { contents[element.key] = nil }
        guard !holds, credit.hasRoom, orphans.isEmpty, picture.elements.count == view.elements.count,
            !view.geometry.shifts.isUnsent, picture.contentSize == view.geometry.contentSize
        else { return nil }
        // While the new items are made, none of the old items is cached.
        let news = elements.map { fetchContent(of: $0.key) }
        guard !isStale else { return nil }
        for (element, content) in zip(elements, news) { contents[element.key] = content }
        byteCount += news.reduce(0) { $0 + $1.byteCount } - before.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        var difference = PictureDifference(capacity: 0)
        var keys: [SentPicture.Key] = []
        for (element, (old, new)) in zip(elements, zip(before, news)) {
            let item = new.item
            guard let old = old?.item, ExactText(item.reuseIdentifier) == ExactText(old.reuseIdentifier),
                item.identity.map({ ExactText($0) }) == old.identity.map({ ExactText($0) })
            else { return nil }
            // Of two items with the same identity, one is identified by its index.
            var key = SentPicture.Key(element.key, identity: element.key.kind == .cell ? item.identity : nil)
            if picture.elements[key]?.item != element.key.index { key = SentPicture.Key(element.key, identity: nil) }
            guard var sent = picture.elements[key], sent.item == element.key.index else { return nil }
            guard sent.content != new.fields else { continue }
            sent.content = new.fields
            difference.rebound.append(sent)
            keys.append(key)
        }
        guard !difference.rebound.isEmpty else {
            updates = UnsentUpdates()
            return []
        }
        let size = difference.size
        guard credit.admits(bytes: size.credit) else { return nil }
        var change = PictureChange(
            view: id, sequence: picture.sequence + 1, revision: environment.revision, contentSize: picture.contentSize,
            offset: view.geometry.offset)
        change.rebound = difference.rebound.map { PictureChange.Rebinding(slot: $0.slot, content: $0.content) }
        (change.isAnimated, change.stickyEdge) = (updates.isAnimated, picture.stickyEdge)
        picture.replaceContents(keys, by: difference.rebound)
        return send(change, size, view)
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
        let elements = picture.present
        var whole = Picture(
            sequence: picture.sequence, revision: environment.revision, contentSize: geometry.contentSize,
            offset: geometry.offset, items: elements.map(PictureItem.init))
        whole.shift = shift
        whole.sticky = elements.compactMap { element in
            element.travel.map { PictureChange.Sticky(slot: element.slot, $0) }
        }
        whole.stickyEdge = picture.stickyEdge
        return whole
    }

    /// Returns the difference between the picture that was sent and the view's present elements, without changing
    /// either.
    private func difference(of view: ListView) -> PictureDifference {
        var difference = PictureDifference(capacity: view.elements.count)
        var left = picture.elements
        for element in view.elements {
            guard let content = contents[element.key] else { continue }
            let item = content.item
            var key = SentPicture.Key(element.key, identity: element.key.kind == .cell ? item.identity : nil)
            if key.identity != nil, difference.present[key] != nil {
                key = SentPicture.Key(element.key, identity: nil)
            }
            var present = SentPicture.Element(
                slot: 0, handle: element.key.handle,
                objectID: element.key.handle.map { environment.store.id(of: $0) } ?? "", kind: element.key.kind,
                section: element.section, item: element.key.index, frame: element.frame, z: element.z,
                reuseIdentifier: item.reuseIdentifier, content: content.fields, travel: element.travel)
            if let sent = left[key], ExactText(sent.reuseIdentifier) == ExactText(present.reuseIdentifier) {
                left[key] = nil
                present.slot = sent.slot
                if !sent.isPlaced(like: present) {
                    difference.placed.append(present)
                    difference.placedKeys.append(key)
                }
                if sent.travel != present.travel { difference.rerouted.append(present) }
                if sent.content != present.content { difference.rebound.append(present) }
            } else {
                difference.shown.append(key)
            }
            difference.present[key] = present
            difference.order.append(key)
        }
        difference.released = orphans + left.values
        difference.released.sort { $0.slot < $1.slot }
        difference.isResized =
            picture.contentSize != view.geometry.contentSize || picture.stickyEdge != view.geometry.stickyEdge
        return difference
    }

    /// Applies a difference to the picture and returns the difference as a change, with slots for the new elements.
    ///
    /// `present` is moved out of the difference into the picture, to avoid a copy.
    private func commit(_ difference: inout PictureDifference, _ view: ListView) -> PictureChange {
        let geometry = view.geometry
        let reasons = updates.reasons(
            for: difference, sent: picture.elements, environment.map, environment.options.direction,
            attributes: geometry.attributes(of:at:))
        var change = PictureChange(
            view: id, sequence: picture.sequence + 1, revision: environment.revision, contentSize: geometry.contentSize,
            offset: geometry.offset)
        (change.shift, change.isAnimated, change.stickyEdge) = (
            geometry.shifts.unsent, updates.isAnimated, geometry.stickyEdge
        )
        var present: [SentPicture.Key: SentPicture.Element] = [:]
        swap(&present, &difference.present)
        for element in difference.released {
            slots.release(element.slot)
            change.released.append(element.slot)
        }
        change.shown.reserveCapacity(difference.shown.count)
        for key in difference.shown {
            guard let place = present.index(forKey: key) else { continue }
            present.values[place].slot = slots.take(present.values[place].reuseIdentifier)
            change.shown.append(PictureItem(present.values[place]))
        }
        change.placed = difference.placed.map {
            PictureChange.Placement(slot: $0.slot, section: $0.section, item: $0.item, frame: $0.frame, z: $0.z)
        }
        change.rebound = difference.rebound.map { PictureChange.Rebinding(slot: $0.slot, content: $0.content) }
        change.setCauses(reasons)
        change.sticky = sticky(difference, shown: difference.shown.compactMap { present[$0] })
        picture.advance(
            to: present, difference.order, contentSize: geometry.contentSize, stickyEdge: geometry.stickyEdge)
        orphans = []
        isHeld = false
        return change
    }

    /// Returns where the sticky elements of a difference travel.
    private func sticky(_ difference: PictureDifference, shown: [SentPicture.Element]) -> [PictureChange.Sticky] {
        var sticky: [PictureChange.Sticky] = []
        let rerouted = Set(difference.rerouted.map(\.slot))
        for element in shown + difference.placed.filter({ !rerouted.contains($0.slot) }) {
            if let travel = element.travel { sticky.append(PictureChange.Sticky(slot: element.slot, travel)) }
        }
        for element in difference.rerouted {
            // An element that is not sticky any more stays where it is.
            let start = environment.options.direction.along(element.frame.origin)
            sticky.append(PictureChange.Sticky(slot: element.slot, element.travel ?? start...start))
        }
        return sticky
    }

    /// Asks transition delegates for the frames of elements that appear and disappear.
    private func transitions(of difference: PictureDifference) -> [PictureChange.Transition] {
        let store = environment.store
        // The handle is checked first, because few controllers have a transition delegate and copying an element is
        // expensive.
        func hasTransitions(_ handle: SectionHandle?) -> Bool { handle.map { store.hasTransitions($0) } ?? false }
        func transition(of element: SentPicture.Element, appears: Bool) -> PictureChange.Transition? {
            guard element.kind == .cell, let handle = element.handle else { return nil }
            let frame = store.askTransition(
                of: handle, item: element.item, resting: element.frame, appears: appears)
            return frame.map { PictureChange.Transition(slot: element.slot, frame: $0) }
        }
        let gone = difference.released.indices.filter { hasTransitions(difference.released[$0].handle) }
        let come = difference.shown.filter { hasTransitions($0.handle) }
        return gone.compactMap { transition(of: difference.released[$0], appears: false) }
            + come.compactMap { picture.elements[$0].flatMap { transition(of: $0, appears: true) } }
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
        picture.resume(sequence: state.sequence, contentSize: state.contentSize)
        for item in shown { addShownElement(item) }
        credit.resume(
            sequence: state.sequence, acknowledged: state.acknowledgedSequence, isStalled: state.isStalled)
        if keepsHistory { history = state.history }
    }

    /// Adds an element that the viewer already shows. If its item no longer exists, the next change releases the
    /// element.
    private func addShownElement(_ item: PictureItem) {
        let map = environment.map
        let handle = item.objectID.isEmpty ? nil : map.handle(forID: item.objectID)
        let place = ElementKey(handle: handle, kind: item.kind, index: item.item)
        let element = SentPicture.Element(
            slot: item.slot, handle: handle, objectID: item.objectID, kind: item.kind, section: item.section,
            item: item.item, frame: item.frame, z: item.z, reuseIdentifier: item.reuseIdentifier, content: item.content)
        var identity: String?
        if item.kind == .cell, let handle {
            guard (0..<map.itemCount(of: handle)).contains(item.item) else { return orphans.append(element) }
            let present = fetchContent(of: place)
            contents[place] = present
            identity = present.item.identity
        }
        let key = SentPicture.Key(place, identity: identity)
        guard picture.elements[key] == nil, handle != nil || item.objectID.isEmpty else {
            return orphans.append(element)
        }
        picture.insertShown(element, key: key)
    }

    /// Stores in a view's state what the viewer was sent, so that another engine can resume the view.
    func save(in state: inout ViewState) {
        state.history = history
        state.sequence = picture.sequence
        state.acknowledgedSequence = credit.acknowledged
        state.isStalled = credit.isStalled
        state.contentSize = picture.contentSize
        state.shown = (picture.present + orphans).map(PictureItem.init)
        state.released = slots.released
    }
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
