package import ListKit

// A viewport may take in a whole list, and all of it may be selected: what appears, leaves or is selected at once can be
// more than a bus carries in one message.

extension DisplayChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be said one after the other; mostly one.
    package var parts: [DisplayChange] {
        guard byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: DisplayChange(view: view, revision: revision))
        for reference in willDisplay { parts.add(reference, to: \.willDisplay, reference.byteCount) }
        for reference in didEndDisplaying { parts.add(reference, to: \.didEndDisplaying, reference.byteCount) }
        for reference in itemsWillDisplay { parts.add(reference, to: \.itemsWillDisplay, reference.byteCount) }
        for reference in itemsDidEndDisplaying {
            parts.add(reference, to: \.itemsDidEndDisplaying, reference.byteCount)
        }
        return parts.all
    }

    private var byteCount: Int {
        willDisplay.byteCount + didEndDisplaying.byteCount + itemsWillDisplay.byteCount
            + itemsDidEndDisplaying.byteCount
    }
}

extension WorkingRangeChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be said one after the other; mostly one.
    package var parts: [WorkingRangeChange] {
        guard byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: WorkingRangeChange(view: view, revision: revision))
        for reference in willEnter { parts.add(reference, to: \.willEnter, reference.byteCount) }
        for reference in didExit { parts.add(reference, to: \.didExit, reference.byteCount) }
        return parts.all
    }

    private var byteCount: Int { willEnter.byteCount + didExit.byteCount }
}

extension SelectionChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be said one after the other; mostly one.
    ///
    /// No item is in both lists, so a client may take the pieces in any order.
    package var parts: [SelectionChange] {
        guard selected.byteCount + deselected.byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: SelectionChange(revision: revision))
        for item in selected { parts.add(item, to: \.selected, item.byteCount) }
        for item in deselected { parts.add(item, to: \.deselected, item.byteCount) }
        return parts.all
    }
}

/// Cuts what a signal says into pieces.
private struct SignalParts<Change> {
    private let empty: Change
    private var finished: [Change] = []
    private var current: Change
    private var byteCount = 0

    /// - Parameter empty: a piece that says nothing yet.
    init(empty: Change) {
        self.empty = empty
        current = empty
    }

    mutating func add<Element>(
        _ element: Element, to list: WritableKeyPath<Change, [Element]>, _ size: Int
    ) {
        if byteCount > 0, byteCount + size > SignalLimits.bytes {
            finished.append(current)
            (current, byteCount) = (empty, 0)
        }
        current[keyPath: list].append(element)
        byteCount += size
    }

    var all: [Change] { finished + [current] }
}

/// What a signal may take.
package enum SignalLimits {
    /// About the most bytes that one signal says; the same as of one `Changed`.
    package static let bytes = 1 << 18
}

extension SectionReference {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}

extension ItemReference {
    fileprivate var byteCount: Int { objectID.utf8.count + 24 }
}

extension SelectedItem {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}

extension [SectionReference] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [ItemReference] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [SelectedItem] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
