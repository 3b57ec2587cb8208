// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Scrolls a view to an object: from its first item to its last, with the named supplementary views.
    ///
    /// An unknown object is ignored; one without items and without the named views is at the start of the content
    /// (rule AD-111).
    /// - Parameters:
    ///   - additionalOffset: added to the offset before it is clamped (rule AD-130).
    /// - Throws: `invalidArguments` in the layout `none` and before the first viewport.
    public func scroll(
        view id: ViewID, toObject objectID: String, supplementary kinds: Set<ElementKind> = [],
        position: ScrollPosition = .none, additionalOffset: Double = 0
    ) throws(ListError) -> (offset: Point, reply: ViewReply) {
        let view = try view(id)
        guard view.layoutKind != .none, view.viewport != nil else {
            throw ListError(.invalidArguments, "a view without a viewport cannot scroll")
        }
        guard additionalOffset.isFinite, let section = section(forID: objectID),
            let range = view.layout.scrollRange(ofSection: section, supplementary: kinds)
        else { return (view.offset, ViewReply(sequence: view.picture.sequence, effects: settled())) }
        let target = ScrollTarget(range: range, position: position, additionalOffset: additionalOffset)
        let reply = scroll(view, to: target, countsPresent: false)
        return (view.offset, reply)
    }

    /// The viewer says what the user does to the content; the section controllers that are shown hear it.
    public func reportScroll(view id: ViewID, _ event: ListScrollEvent) throws(ListError) -> [AdapterEvent] {
        let view = try view(id)
        switch event {
        case .willBeginDragging: view.scrolling = [.isTracking, .isDragging]
        case .didEndDragging(let willDecelerate): view.scrolling = willDecelerate ? [.isDecelerating] : []
        case .didEndDecelerating: view.scrolling = []
        case .scrolled: break
        }
        notifyScroll(event, in: view)
        return settled()
    }
}
