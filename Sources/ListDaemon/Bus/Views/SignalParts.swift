// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// The division of large changes into several signals. A viewport may contain a whole list, and a whole list may be
// selected, so a change can exceed the size of a message on the bus.

extension DisplayChange {
    /// The change in parts of about ``SignalLimits/bytes``, which are reported one after the other; usually one part.
    package var parts: [DisplayChange] {
        let size =
            willDisplay.byteCount + didEndDisplaying.byteCount + itemsWillDisplay.byteCount
            + itemsDidEndDisplaying.byteCount
        guard size > SignalLimits.bytes else { return [self] }
        var parts = SignalPieces(DisplayChange(view: view, revision: revision)) {
            DisplayChange(view: $0.view, revision: $0.revision)
        }
        parts.append(willDisplay, to: \.willDisplay) { $0.byteCount }
        parts.append(didEndDisplaying, to: \.didEndDisplaying) { $0.byteCount }
        parts.append(itemsWillDisplay, to: \.itemsWillDisplay) { $0.byteCount }
        parts.append(itemsDidEndDisplaying, to: \.itemsDidEndDisplaying) { $0.byteCount }
        return parts.all
    }
}

extension WorkingRangeChange {
    /// The change in parts of about ``SignalLimits/bytes``, which are reported one after the other; usually one part.
    package var parts: [WorkingRangeChange] {
        let size = willEnter.byteCount + didExit.byteCount + itemsWillEnter.byteCount + itemsDidExit.byteCount
        guard size > SignalLimits.bytes else { return [self] }
        var parts = SignalPieces(WorkingRangeChange(view: view, revision: revision)) {
            WorkingRangeChange(view: $0.view, revision: $0.revision)
        }
        parts.append(willEnter, to: \.willEnter) { $0.byteCount }
        parts.append(didExit, to: \.didExit) { $0.byteCount }
        parts.append(itemsWillEnter, to: \.itemsWillEnter) { $0.byteCount }
        parts.append(itemsDidExit, to: \.itemsDidExit) { $0.byteCount }
        return parts.all
    }
}

extension SelectionChange {
    /// The change in parts of about ``SignalLimits/bytes``, which are reported one after the other; usually one part.
    ///
    /// No item is in both lists, so a client may apply the parts in any order.
    package var parts: [SelectionChange] {
        let size = selected.byteCount + deselected.byteCount
        guard size > SignalLimits.bytes else { return [self] }
        var parts = SignalPieces(SelectionChange(revision: revision)) { SelectionChange(revision: $0.revision) }
        parts.append(selected, to: \.selected) { $0.byteCount }
        parts.append(deselected, to: \.deselected) { $0.byteCount }
        return parts.all
    }
}

// The approximate bytes of each element in a message.

extension [SectionReference] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [ItemReference] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
}

extension [SelectedItem] {
    fileprivate var byteCount: Int { reduce(0) { $0 + $1.byteCount } }
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
