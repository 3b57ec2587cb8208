// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Brings what a view shows up to date and finds out what appeared and disappeared.
    func step(_ view: ListView, forwarding: [SectionHandle: IndexForwarding] = [:]) -> DisplayStep {
        let old = view.elements
        view.elements = visibleElements(of: view)
        var step = DisplayStep()
        step.compare(old, view.elements, forwarding: forwarding)
        updateWorkingRange(of: view, &step)
        return step
    }

    /// The working range: from the first visible section to the last, and some on both sides.
    private func updateWorkingRange(of view: ListView, _ step: inout DisplayStep) {
        let old = view.workingRange
        view.workingRange = workingRange(of: view)
        let new = view.workingRange
        if application == nil {
            step.entered = places(in: new, without: old)
            step.exited = places(in: old, without: new)
            return
        }
        for (section, handle) in places(in: new, without: 0..<0)
        where sections.oldPosition(of: handle).map(old.contains) != true {
            step.entered.append((section, handle))
        }
        for section in old {
            guard let handle = sections.oldHandle(at: section) else { continue }
            if sections.position(of: handle).map(new.contains) != true { step.exited.append((section, handle)) }
        }
    }

    private func workingRange(of view: ListView) -> Range<Int> {
        let visible = view.elements.lazy.filter { $0.key.handle != nil }.map(\.section)
        guard let first = visible.min(), let last = visible.max() else { return 0..<0 }
        let trail = view.options.trail ?? max(0, configuration.workingRange)
        let lead = view.options.lead ?? max(0, configuration.workingRange)
        switch view.options.workingRangeUnit {
        case .sections: return first - min(trail, first)..<last + 1 + min(lead, sections.count - 1 - last)
        case .items: return workingRange(of: view, from: first, to: last, itemsBefore: trail, after: lead)
        }
    }

    /// The sections of the visible items, from the first visible section to the last, and of some items on both sides.
    ///
    /// - Complexity: O(elements shown + log n).
    private func workingRange(
        of view: ListView, from first: Int, to last: Int, itemsBefore trail: Int, after lead: Int
    ) -> Range<Int> {
        // A header stands before the items of its section, a footer behind them.
        func item(of element: ViewElement, whereHeaderIs header: Int, footerIs footer: Int) -> Int {
            switch element.key.kind {
            case .cell: element.key.index
            case .header: header
            case .footer: footer
            }
        }
        let footer = sections.itemCount(at: first) ?? 0
        let begin =
            view.elements.lazy.filter { $0.key.handle != nil && $0.section == first }
            .map { item(of: $0, whereHeaderIs: 0, footerIs: footer) }.min() ?? 0
        let lastCount = sections.itemCount(at: last) ?? 0
        let end =
            view.elements.lazy.filter { $0.key.handle != nil && $0.section == last }
            .map { item(of: $0, whereHeaderIs: -1, footerIs: lastCount - 1) }.max() ?? 0
        let (lower, upper) = (
            sections.itemOffset(ofSection: first) + begin, sections.itemOffset(ofSection: last) + end
        )
        let leading = sections.path(ofItem: lower - min(trail, lower))?.section ?? first
        let trailing = sections.path(ofItem: upper + min(lead, sections.itemCount - 1 - upper))?.section ?? last
        return min(leading, first)..<max(trailing, last) + 1
    }

    /// The sections of one range that are in no other.
    private func places(in range: Range<Int>, without other: Range<Int>) -> [(section: Int, handle: SectionHandle)] {
        let before = range.lowerBound..<max(range.lowerBound, min(range.upperBound, other.lowerBound))
        let after = min(range.upperBound, max(range.lowerBound, other.upperBound))..<range.upperBound
        return [before, after].flatMap { part in
            part.isEmpty ? [] : zip(part, sections.handles(in: part)).map { ($0, $1) }
        }
    }

    /// What a step says to the world: display, then working range.
    func events(of step: DisplayStep, in view: ListView) -> (display: AdapterEvent?, range: AdapterEvent?) {
        // A section is named up to three times: as displayed, by its items and in range.
        var names: [SectionHandle: String] = [:]
        names.reserveCapacity(step.entered.count + step.exited.count)
        func name(of handle: SectionHandle) -> String {
            if let known = names[handle] { return known }
            let name = id(of: handle)
            names[handle] = name
            return name
        }
        func reference(_ place: (section: Int, handle: SectionHandle)) -> SectionReference {
            SectionReference(section: place.section, objectID: name(of: place.handle))
        }
        func item(_ element: ViewElement) -> ItemReference? {
            guard element.key.kind == .cell, let handle = element.key.handle else { return nil }
            return ItemReference(section: element.section, objectID: name(of: handle), item: element.key.index)
        }
        var display = DisplayChange(view: view.id, revision: revision)
        display.willDisplay = step.sectionsAppeared.map(reference)
        display.didEndDisplaying = step.sectionsDisappeared.map(reference)
        display.itemsWillDisplay = step.appeared.compactMap(item)
        display.itemsDidEndDisplaying = step.disappeared.compactMap(item)
        var range = WorkingRangeChange(view: view.id, revision: revision)
        range.willEnter = step.entered.map(reference)
        range.didExit = step.exited.map(reference)
        return (display.isEmpty ? nil : .display(display), range.isEmpty ? nil : .workingRange(range))
    }

    func id(of handle: SectionHandle) -> String { sections.id(of: handle) ?? "" }

    // MARK: Questions of section controllers

    func visibleIndexes(of controller: ListSectionController) -> [Int] {
        guard let handle = handle(of: controller), displayCounts.isDisplayed(handle) else { return [] }
        return displayCounts.displayedItems { $0 == handle }[handle] ?? []
    }

    func fullyVisibleIndexes(of controller: ListSectionController) -> [Int] {
        guard let handle = handle(of: controller) else { return [] }
        var indexes: Set<Int> = []
        for view in views {
            guard let viewport = view.viewport?.inset(by: view.options.contentInset) else { continue }
            for element in view.elements where element.key.handle == handle && element.key.kind == .cell {
                if viewport.contains(element.frame) { indexes.insert(element.key.index) }
            }
        }
        return indexes.sorted()
    }

    func displayedItem(of controller: ListSectionController, at index: Int) -> ListItem? {
        guard let handle = handle(of: controller) else { return nil }
        let key = ElementKey(handle: handle, kind: .cell, index: index)
        for view in views { if let item = view.contents[key] { return item } }
        return nil
    }
}

extension Rect {
    /// The rectangle less insets, never smaller than nothing.
    fileprivate func inset(by insets: EdgeInsets) -> Rect {
        Rect(origin: Point(x: minX + insets.left, y: minY + insets.top), size: size.inset(by: insets))
    }

    /// Whether a rectangle lies inside from edge to edge.
    fileprivate func contains(_ other: Rect) -> Bool {
        minX <= other.minX && minY <= other.minY && other.maxX <= maxX && other.maxY <= maxY
    }
}
