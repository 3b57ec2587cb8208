// SPDX-License-Identifier: Apache-2.0

internal import ListConfiguration
@_spi(Daemon) package import ListKit

/// A command for an adapter host.
///
/// Commands are values, handled in the order in which they were sent. Each that carries a request id is answered by
/// exactly one ``AdapterEffect/answer(_:_:)``.
package indirect enum AdapterCommand: Sendable {
    /// Write; answered with a revision.
    case update(UpdateRequest)
    /// Read.
    case query(RequestID, AdapterQuery)
    /// Make a view; answered with what the list is.
    case openView(RequestID, ViewID, ListViewOptions)
    /// Do something with a view.
    case view(RequestID, ViewID, ViewCommand)
    /// End a view for a reason of the daemon's; not answered.
    case closeView(ViewID, ViewClosing)
    /// Take other options, and other section controllers if there are any; answered with a revision.
    case configure(RequestID, ListAdapter.Configuration, SectionControllerTable?)
    /// Hold all flushes and pictures, because earlier reports still wait to be read; or continue.
    case hold(Bool)
    /// Store each transaction before it is applied, beginning with the list as it is, or stop that; answered.
    case keep(RequestID, Bool)
    /// What ``AdapterEffect/store(_:_:)`` named is stored, or why it is not; not answered.
    case stored(StoringToken, ListError?)
    /// Finish what was accepted, close the views and end; answered with `done`, after which nothing comes.
    case stop(RequestID, ViewClosing)

    /// The request that waits for an answer.
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

/// What may be asked of an adapter without changing it.
package enum AdapterQuery: Sendable {
    /// A page of objects, at most about `byteLimit` bytes of them but at least one.
    case objects(offset: Int, limit: Int, byteLimit: Int)
    /// One object by its id.
    case find(id: String)
    /// The items of whole sections, at most about `byteLimit` bytes of them but at least one section.
    case items(firstSection: Int, sectionCount: Int, byteLimit: Int)
    /// How many items each section has, of at most `limit` sections.
    case itemCounts(firstSection: Int, limit: Int)
    /// The transactions after a revision, at most about `byteLimit` bytes of them but at least one.
    case changes(since: UInt64, byteLimit: Int)
    /// Everything that helps to find a fault, as text.
    case description
}

/// What the owner of a view may do with it.
package enum ViewCommand: Sendable {
    /// `View.SetViewport`.
    case setViewport(seen: UInt64, Rect)
    /// `View.SetVisibleRange`.
    case setVisibleRange(seen: UInt64, first: IndexPath, last: IndexPath)
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
    /// `View.Invoke`, as far as section controllers are asked.
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

/// What a viewer's user does to the content: the contract's words of `View.ReportScroll`.
package enum ScrollPhase: String, Sendable, CaseIterable {
    /// A finger or a pointer began to drag the content.
    case began
    /// It was let go; the content may go on moving.
    case ended
    /// The content came to rest.
    case decelerated

    /// What section controllers hear.
    ///
    /// When the user lets the content go, it is not known whether it goes on moving. A viewer may never report its
    /// rest, so the content counts as resting already.
    package var event: ListScrollEvent {
        switch self {
        case .began: .willBeginDragging
        case .ended: .didEndDragging(willDecelerate: false)
        case .decelerated: .didEndDecelerating
        }
    }
}

/// Why a view ends: the contract's words of `View.Closed`.
package enum ViewClosing: String, Sendable {
    /// Its owner closed it, or left.
    case closed = "closed"
    /// Its adapter was removed.
    case adapterRemoved = "adapter-removed"
    /// The daemon ends.
    case shuttingDown = "shutting-down"
}

/// Names what a host gave away to be stored, so that a late answer is known.
package typealias StoringToken = UInt64
