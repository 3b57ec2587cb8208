// SPDX-License-Identifier: Apache-2.0

package import ListKit

// A viewport may take in a whole list, and all of it may be selected: what appears, leaves or is selected at once can be
// more than a bus carries in one message.

extension DisplayChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    package var parts: [DisplayChange] {
        guard byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: DisplayChange(view: view, revision: revision))
        parts.add(willDisplay, to: \.willDisplay)
        parts.add(didEndDisplaying, to: \.didEndDisplaying)
        parts.add(itemsWillDisplay, to: \.itemsWillDisplay)
        parts.add(itemsDidEndDisplaying, to: \.itemsDidEndDisplaying)
        return parts.all
    }

    private var byteCount: Int {
        willDisplay.byteCount + didEndDisplaying.byteCount + itemsWillDisplay.byteCount
            + itemsDidEndDisplaying.byteCount
    }
}

extension WorkingRangeChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    package var parts: [WorkingRangeChange] {
        guard byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: WorkingRangeChange(view: view, revision: revision))
        parts.add(willEnter, to: \.willEnter)
        parts.add(didExit, to: \.didExit)
        return parts.all
    }

    private var byteCount: Int { willEnter.byteCount + didExit.byteCount }
}

extension SelectionChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    ///
    /// No item is in both lists, so a client may take the pieces in any order.
    package var parts: [SelectionChange] {
        guard selected.byteCount + deselected.byteCount > SignalLimits.bytes else { return [self] }
        var parts = SignalParts(empty: SelectionChange(revision: revision))
        parts.add(selected, to: \.selected)
        parts.add(deselected, to: \.deselected)
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

    mutating func add<Element: SignalElement>(
        _ elements: [Element], to list: WritableKeyPath<Change, [Element]>
    ) {
        for element in elements {
            if byteCount > 0, byteCount + element.byteCount > SignalLimits.bytes {
                finished.append(current)
                (current, byteCount) = (empty, 0)
            }
            current[keyPath: list].append(element)
            byteCount += element.byteCount
        }
    }

    var all: [Change] { finished + [current] }
}

/// What a signal may take.
package enum SignalLimits {
    /// About the most bytes that one signal says; the same as of one `Changed`.
    package static let bytes = 1 << 18
}

/// What the lists of a signal consist of.
private protocol SignalElement {
    /// At most so many bytes of the message.
    var byteCount: Int { get }
}

extension SectionReference: SignalElement {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}

extension ItemReference: SignalElement {
    fileprivate var byteCount: Int { objectID.utf8.count + 24 }
}

extension SelectedItem: SignalElement {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}

extension Array where Element: SignalElement {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}
