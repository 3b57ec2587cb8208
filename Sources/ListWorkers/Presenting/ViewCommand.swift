// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

// What viewers ask of a list's presenter, and its answers. Both are values, because the presenter may be in a worker.

/// A command of a view's owner.
package enum ViewCommand: Sendable {
    /// `View.SetViewport`. What the view shows may grow by `growth` bytes, else the answer is `limitsExceeded`.
    case setViewport(seen: UInt64, Rect, growth: Int = .max)
    /// `View.SetVisibleRange`, with the same limit. In a view whose owner names items by revision, `seen` is the revision;
    /// on the way to the presenter it becomes the presenter's own, with the transactions that the owner missed until then.
    case setVisibleRange(
        seen: UInt64, first: IndexPath, last: IndexPath, growth: Int = .max, missed: [Transaction]? = nil)
    /// `View.ScrollTo`.
    case scrollTo(id: String, item: Int, ScrollPosition)
    /// `View.ReportScroll`.
    case reportScroll(ScrollPhase)
    /// `View.SetOnScreen`.
    case setOnScreen(Bool)
    /// `View.ReportSizes`.
    case reportSizes([MeasuredSize])
    /// `View.Select` (true) and `View.Deselect` (false).
    case select(id: String, item: Int, Bool)
    /// `View.ChangeSelection`.
    case changeSelection(select: [SelectedItem], deselect: [SelectedItem])
    /// `View.Invoke`, for an action that a section controller handles.
    case invoke(id: String, item: Int, action: String, parameters: Fields)
    /// `View.SetHighlighted`.
    case setHighlighted(id: String, item: Int, Bool)
    /// `View.Ack`.
    case acknowledge(sequence: UInt64)
    /// `View.Resync`.
    case resync
    /// `View.Close`.
    case close
}

/// A phase of scrolling by a viewer's user; the raw values are those of `View.ReportScroll`.
package enum ScrollPhase: String, Sendable, CaseIterable {
    /// The user began to drag the content.
    case began
    /// The user ended dragging; the content may still decelerate.
    case ended
    /// The content came to rest.
    case decelerated

    /// The event that section controllers get.
    ///
    /// When dragging ends, it is not known whether the content decelerates, and a viewer may never report its end. So
    /// the event says that the content does not decelerate.
    package var event: ListScrollEvent {
        switch self {
        case .began: .willBeginDragging
        case .ended: .didEndDragging(willDecelerate: false)
        case .decelerated: .didEndDecelerating
        }
    }
}

/// A question about the items of a list.
package enum ItemQuery: Sendable {
    /// The items of whole sections with some fields of their contents (none = all), of about `byteLimit` bytes at most,
    /// but of one section at least.
    case items(firstSection: Int, sectionCount: Int, byteLimit: Int, fields: [String] = [])
    /// The numbers of items of at most `limit` sections.
    case itemCounts(firstSection: Int, limit: Int)
}

/// The answer of a presenter to a viewer's call.
package enum PresenterAnswer: Sendable {
    /// Items of whole sections; `next` is the first section that is not included.
    case items(next: Int, [PlacedItem])
    /// The numbers of items of consecutive sections.
    case itemCounts([UInt32])
    /// The sequence number of the view's last sent picture.
    case sequence(UInt64)
    /// The view's offset after scrolling, and the sequence number of its last sent picture.
    case scrolled(offset: Point, sequence: UInt64)
    /// A truth value, such as whether an item is selected.
    case flag(Bool)
    /// Of the items to select, those that are selected now; of the items to deselect, those that are not selected now.
    case selection(selected: [SelectedItem], deselected: [SelectedItem])
    /// The whole picture of a view. The list knows its revision.
    case picture(Picture)
    /// An answer without content.
    case done
}

/// An item with its index path.
package struct PlacedItem: Sendable {
    /// The section.
    package var section: Int
    /// The identifier of the section's object.
    package var objectID: String
    /// The item's index in the section.
    package var index: Int
    /// The item.
    package var item: ListItem

    package init(section: Int, objectID: String, index: Int, item: ListItem) {
        self.section = section
        self.objectID = objectID
        self.index = index
        self.item = item
    }
}
