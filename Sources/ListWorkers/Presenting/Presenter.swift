// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import Synchronization

/// A presenter of one list, in this process or in a worker. It calls the section controllers, owns the views, and
/// answers queries for items.
///
/// It is used on the list's executor. The results of an order are ``PresenterReport``s, in the order in which things
/// happened. They are returned, an update's as its announcement, or sent later to ``PresentedList/report(_:from:isLight:)``.
package protocol Presenter: AnyObject {
    /// The number that identifies the presenter in its reports.
    var number: PresenterNumber { get }
    /// Whether the list is presented in a worker, which may die, and which sends its reports later. Other presenters
    /// change the list's own table in an update, and return all their reports.
    var isElsewhere: Bool { get }
    /// The place of the first item update that waits for ``presentItems(through:)``; nil = none waits.
    var firstItemUpdate: Ticket? { get }
    /// The state of the presenter as lines of text, for debugging.
    var description: [String] { get }

    /// Opens the list in the presenter.
    ///
    /// - Parameters:
    ///   - setup: the configuration and state of the list, without the objects.
    ///   - table: the objects; while an update is being presented, the objects after that update.
    func open(_ setup: PresenterSetup, of table: SectionTable) -> [PresenterReport]

    /// Presents an update; nil if the announcement is sent later.
    ///
    /// - Parameter controllers: the section controllers that replace the present ones; nil = no replacement.
    func present(_ change: Change, controllers: SectionControllerTable?) -> Announcement?

    /// Runs the waiting item updates up to the one with this place, inclusive; nil if no item has changed.
    func presentItems(through ticket: Ticket) -> Announcement?

    /// Executes an order.
    ///
    /// - Parameter user: the user on whose behalf the order is executed; nil = listd itself.
    func perform(_ order: PresenterOrder, by user: UInt32?) -> [PresenterReport]

    /// Returns the reports of changes that happened without an order.
    func unrequestedReports() -> [PresenterReport]

    /// Sends the next page of objects of an order that has too many for one packet. Returns false when all objects were
    /// already sent.
    func sendNextPage() -> Bool

    /// Kills the worker of the presenter, because it sent an impossible report.
    func killWorker(_ reason: String)

    /// Closes the presenter. Its later reports are ignored.
    ///
    /// - Returns: the final views and selection; nil = all of it was already reported.
    func close() -> (views: [ViewState], selection: [SelectedItem])?
}

/// The number of a presenter or data source, by which orders and reports identify it. Numbers are never reused.
package typealias PresenterNumber = UInt32

enum PresenterNumbers {
    private static let last = Atomic<PresenterNumber>(0)

    /// Returns a new number.
    static func next() -> PresenterNumber { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
