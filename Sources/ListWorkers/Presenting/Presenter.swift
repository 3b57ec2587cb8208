// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit
internal import Synchronization

/// Shows the objects of one list: calls its section controllers, has its views, answers what depends on items.
///
/// Used on the list's executor. What it makes of an order comes back as ``PresenterReport``s, in the order in which things
/// happened: at once, or later through ``PresentedList/report(_:from:isLight:)``.
package protocol Presenter: AnyObject {
    /// Names it in what it reports.
    var number: PresenterNumber { get }
    /// Whether the section controllers of the plugin are asked there, where they may die of it.
    var asksPlugin: Bool { get }
    /// Whether it makes the changes of an update in the list's own table, and answers everything at once.
    var sharesTable: Bool { get }
    /// The place of the first item update that waits for ``presentItems(through:)``; nil = none does.
    var firstItemUpdate: Ticket? { get }
    /// How it stands, for people.
    var description: [String] { get }

    /// Has the list presented.
    ///
    /// - Parameters:
    ///   - setup: all but the objects.
    ///   - table: the objects, as they are after an update that is being presented.
    func open(_ setup: PresenterSetup, of table: SectionTable) -> PresenterOutput?

    /// Has an update presented.
    ///
    /// - Parameter controllers: section controllers that show the list from then on; nil = those that do.
    func present(_ update: ObjectUpdate, controllers: SectionControllerTable?) -> PresenterOutput?

    /// Has item updates run that wait.
    func presentItems(through ticket: Ticket) -> PresenterOutput?

    /// Has something else done.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func perform(_ order: PresenterOrder, by user: UInt32?) -> PresenterOutput?

    /// What happened without an order.
    func takeTurn() -> PresenterOutput?

    /// Sends the next objects of the order that has more of them than go at once; false when there are none.
    func sendMore() -> Bool

    /// Reports that the presenter sent an impossible report.
    func blame(_ reason: String)

    /// Releases it: later reports of it are ignored.
    ///
    /// - Returns: how everything stood; nil = as it was reported.
    func close() -> LeftPresentation?
}

/// Names a presenter of a list, or a data source, in a worker; never used again.
package typealias PresenterNumber = UInt32

enum PresenterNumbers {
    private static let last = Atomic<PresenterNumber>(0)

    /// A number that nothing else has.
    static func next() -> PresenterNumber { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
