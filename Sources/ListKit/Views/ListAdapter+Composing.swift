// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// The largest picture, in bytes of content, that goes out in one change.
    static let maximumChangeBytes = 262_144

    /// How many changes the viewer of a view without a credit window may be behind when it scrolls.
    static let rememberedChanges: UInt64 = 256

    /// Asks for the items of what a view shows, as far as they are not known.
    ///
    /// A section that turns out to be at fault is asked for again, so that all of its items are error items.
    func fetchContents(of view: ListView) {
        for _ in 0..<ListAdapter.maximumFetches {
            view.isStale = false
            var contents: [ElementKey: ListItem] = [:]
            contents.reserveCapacity(view.elements.count)
            var identities: [SectionHandle: Set<ExactText>] = [:]
            for element in view.elements {
                let item = view.contents[element.key] ?? content(of: element.key)
                contents[element.key] = item
                guard element.key.kind == .cell, let handle = element.key.handle, let identity = item.identity else {
                    continue
                }
                if !identities[handle, default: []].insert(ExactText(identity)).inserted {
                    fault(handle, "two items with the identity \(identity.quoted)")
                }
            }
            guard view.isStale else {
                view.contents = contents
                return
            }
        }
    }

    /// How often contents are asked for when sections turn out to be at fault on the way.
    private static let maximumFetches = 4

    private func content(of key: ElementKey) -> ListItem {
        guard let handle = key.handle else {
            return ListItem(reuseIdentifier: "empty", content: configuration.emptyContent)
        }
        return key.kind == .cell ? askItem(of: handle, at: key.index) : askSupplementary(of: handle, kind: key.kind)
    }

    /// Items of a section have to be asked for anew.
    func invalidateContents(of handle: SectionHandle) {
        for view in views {
            for element in view.elements where element.key.handle == handle {
                view.contents[element.key] = nil
                view.isStale = true
            }
        }
    }

    /// Sends what a viewer lacks, as far as its credit goes.
    ///
    /// - Parameter endsStall: whether the viewer acknowledged something: only then a stall can end.
    func compose(_ view: ListView, endsStall: Bool = false) -> [AdapterEvent] {
        // What a view shows that no longer looks at anything has to be released.
        let owesMore =
            !view.picture.elements.isEmpty || !view.orphans.isEmpty || view.credit.isStalled || view.isHeld
        guard view.isActive || owesMore else { return [] }
        // Also of a view that is not sent anything: its controllers ask for what it shows.
        fetchContents(of: view)
        guard endsStall || !view.credit.isStalled else { return [] }
        if holdsViews {
            view.isHeld = true
            return []
        }
        if view.credit.isStalled, !view.credit.hasRoom { return [] }
        var difference = view.difference(self)
        if difference.isEmpty && !view.isOffsetMoved {
            view.isHeld = false
            view.credit.endStall()
            return []
        }
        let bytes = difference.bytes
        guard view.credit.hasRoom, view.credit.admits(bytes) else {
            guard view.credit.stall() else { return [] }
            return [.stalled(view: view.id, sequence: view.picture.sequence, revision: revision)]
        }
        var change = view.take(&difference, revision: revision)
        change.transitions = transitions(of: difference, in: view)
        let changes = change.split(maximumBytes: ListAdapter.maximumChangeBytes)
        view.picture.sequence = changes.last?.sequence ?? view.picture.sequence
        view.credit.send(sequence: view.picture.sequence, bytes: bytes)
        if view.layoutKind == .none { view.history.record(sequence: change.sequence) }
        if !view.credit.isLimited {
            view.shifts.forget(allBut: Self.rememberedChanges, before: view.picture.sequence)
            view.history.forget(allBut: Self.rememberedChanges, before: view.picture.sequence)
        }
        return changes.map { .picture($0) }
    }
}

extension ListAdapter {
    /// What transition delegates say about elements that come and go.
    private func transitions(of difference: PictureDifference, in view: ListView) -> [PictureChange.Transition] {
        let gone = difference.released.indices.filter { hasTransitions(difference.released[$0].handle) }
        let come = difference.shown.filter { hasTransitions($0.handle) }
        return gone.compactMap { transition(of: difference.released[$0], appears: false) }
            + come.compactMap { view.picture.elements[$0].flatMap { transition(of: $0, appears: true) } }
    }

    /// Asked first, by the handle alone: few controllers have a delegate, and an element is large to copy.
    private func hasTransitions(_ handle: SectionHandle?) -> Bool {
        handle.flatMap { registry.controllers[$0]?.transitionDelegate } != nil
    }

    private func transition(of element: SentPicture.Element, appears: Bool) -> PictureChange.Transition? {
        guard element.kind == .cell, let handle = element.handle, let controller = registry.controllers[handle],
            let delegate = controller.transitionDelegate
        else { return nil }
        let frame = call(appears ? .display : .endDisplay, handle) {
            appears
                ? delegate.sectionController(
                    controller, initialFrameForItemAt: element.item, resting: element.frame)
                : delegate.sectionController(
                    controller, finalFrameForItemAt: element.item, resting: element.frame)
        }
        guard frame.isFinite, frame != element.frame else { return nil }
        return PictureChange.Transition(slot: element.slot, frame: frame)
    }
}

extension PictureChange {
    /// The change in pieces of a size; only the last one leads to an equal picture.
    func split(maximumBytes: Int) -> [PictureChange] {
        if byteCount <= maximumBytes { return [self] }
        var pieces: [PictureChange] = []
        var piece = self
        piece.shown = []
        piece.placed = []
        piece.rebound = []
        piece.transitions = []
        var bytes = 0
        func close(for size: Int) {
            guard bytes > 0, bytes + size > maximumBytes else { return }
            pieces.append(piece)
            piece = PictureChange(
                view: view, sequence: piece.sequence + 1, revision: revision, contentSize: contentSize, offset: offset)
            bytes = 0
        }
        for item in shown {
            close(for: item.byteCount)
            piece.shown.append(item)
            bytes += item.byteCount
        }
        for placement in placed {
            close(for: Placement.byteCount)
            piece.placed.append(placement)
            bytes += Placement.byteCount
        }
        for rebinding in rebound {
            close(for: rebinding.byteCount)
            piece.rebound.append(rebinding)
            bytes += rebinding.byteCount
        }
        piece.transitions = transitions
        return pieces + [piece]
    }
}

// About the bytes that each takes in a message: even a picture without content must not outgrow what a bus carries.

extension PictureChange {
    fileprivate var byteCount: Int {
        shown.reduce(0) { $0 + $1.byteCount } + placed.count * Placement.byteCount
            + rebound.reduce(0) { $0 + $1.byteCount }
    }
}

extension PictureItem {
    fileprivate var byteCount: Int { content.byteCount + objectID.utf8.count + reuseIdentifier.utf8.count + 96 }
}

extension PictureChange.Placement {
    fileprivate static let byteCount = 56
}

extension PictureChange.Rebinding {
    fileprivate var byteCount: Int { content.byteCount + 16 }
}
