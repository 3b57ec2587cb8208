// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// A viewport may take in a whole list, and all of it may be selected: what appears, leaves or is selected at once can be
// more than a bus carries in one message.

extension DisplayChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    package var parts: [DisplayChange] {
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
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    package var parts: [WorkingRangeChange] {
        var parts = SignalPieces(WorkingRangeChange(view: view, revision: revision)) {
            WorkingRangeChange(view: $0.view, revision: $0.revision)
        }
        parts.append(willEnter, to: \.willEnter) { $0.byteCount }
        parts.append(didExit, to: \.didExit) { $0.byteCount }
        return parts.all
    }
}

extension SelectionChange {
    /// The change in pieces of about ``SignalLimits/bytes``, to be reported one after the other; mostly one.
    ///
    /// No item is in both lists, so a client may take the pieces in any order.
    package var parts: [SelectionChange] {
        var parts = SignalPieces(SelectionChange(revision: revision)) { SelectionChange(revision: $0.revision) }
        parts.append(selected, to: \.selected) { $0.byteCount }
        parts.append(deselected, to: \.deselected) { $0.byteCount }
        return parts.all
    }
}

// About the bytes that each takes in a message.

extension SectionReference {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}

extension ItemReference {
    fileprivate var byteCount: Int { objectID.utf8.count + 24 }
}

extension SelectedItem {
    fileprivate var byteCount: Int { objectID.utf8.count + 20 }
}
