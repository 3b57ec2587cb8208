// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
@_spi(Daemon) package import ListKit

/// A command for an adapter host.
///
/// Commands are values that are handled in the order in which they were sent. A command with a request id is answered
/// by exactly one ``AdapterEffect/answer(_:_:)``.
package indirect enum AdapterCommand: Sendable {
    /// Update the list; answered with a revision.
    case update(UpdateRequest)
    /// Read objects, items or changes.
    case query(RequestID, AdapterQuery)
    /// Open a view; answered with the revision and the counts of the list.
    case openView(RequestID, ViewID, ListViewOptions)
    /// Execute a command of a view's owner.
    case view(RequestID, ViewID, ViewCommand)
    /// Close a view for a reason of the daemon's own; not answered.
    case closeView(ViewID, ViewClosing)
    /// Change the options, and the section controllers if there are any; answered with a revision.
    case configure(RequestID, ListOptions, SectionControllerTable?)
    /// Hold all flushes and pictures, because clients have not read earlier messages yet (true); or continue (false).
    case hold(Bool)
    /// Store the whole list, and from then on each transaction before it is applied (true); or stop storing (false).
    /// Answered.
    case keep(RequestID, Bool)
    /// The outcome of ``AdapterEffect/store(_:_:)``, with the reason of a failure; not answered.
    case stored(StoringToken, ListError?)
    /// Finish the accepted requests, close the views and end; answered with `done`, the last effect.
    case stop(RequestID, ViewClosing)

    /// The request that waits for an answer; nil for a command that is not answered.
    package var requestID: RequestID? {
        switch self {
        case .update(let request): request.id
        case .query(let id, _), .openView(let id, _, _), .view(let id, _, _), .stop(let id, _),
            .configure(let id, _, _), .keep(let id, _):
            id
        case .closeView, .hold, .stored: nil
        }
    }
}

/// A query of an adapter's contents.
package enum AdapterQuery: Sendable {
    /// A page of objects, of about `byteLimit` bytes at most, but of one object at least.
    case objects(offset: Int, limit: Int, byteLimit: Int)
    /// One object by its id.
    case find(id: String)
    /// The items of whole sections with some fields of their contents (none = all), of about `byteLimit` bytes at most,
    /// but of one section at least.
    case items(firstSection: Int, sectionCount: Int, byteLimit: Int, fields: [String] = [])
    /// The numbers of items of at most `limit` sections.
    case itemCounts(firstSection: Int, limit: Int)
    /// The transactions after a revision, of about `byteLimit` bytes at most, but one transaction at least.
    case changes(since: UInt64, byteLimit: Int)
    /// The state of the adapter as text, for debugging.
    case description
}

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

/// The number of a write to the store, by which the host recognises a late answer.
package typealias StoringToken = UInt64
