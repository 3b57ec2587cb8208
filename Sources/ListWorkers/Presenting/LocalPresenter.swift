// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// A presenter on the list's own executor, which shares the list's section table.
///
/// It has the section controllers that are built in or run in the daemon. `listd/single` replaces those of a plugin
/// that has failed. Each function returns its reports, instead of sending them later. Item updates wait for
/// ``presentItems(through:)``, each with its place among the requests.
package final class LocalPresenter: Presenter {
    package let number = PresenterNumbers.next()
    private let presentation: Presentation
    private let tracer = CallTracer(nil)

    /// - Parameter onActivity: called on the executor when something happened without an order. The owner then calls
    ///   ``unrequestedReports()``.
    package init(_ list: ObjectList, executor: HostExecutor, onActivity: @escaping () -> Void) {
        tracer.setExecutor(executor)
        presentation = Presentation(tracer: tracer, list: list)
        presentation.onActivity(onActivity)
    }

    package var asksPlugin: Bool { false }
    package var sharesTable: Bool { true }
    package var firstItemUpdate: Ticket? { presentation.firstItemUpdate }
    package var description: [String] { presentation.description }

    package func open(_ setup: PresenterSetup, of table: SectionTable) -> PresenterOutput? {
        output([presentation.open(setup)])
    }

    package func present(_ change: Change, controllers: SectionControllerTable?) -> PresenterOutput? {
        output(presentation.present(change, controllers: controllers))
    }

    package func presentItems(through ticket: Ticket) -> PresenterOutput? {
        output(presentation.presentItems(through: ticket))
    }

    package func perform(_ order: PresenterOrder, by user: UInt32?) -> PresenterOutput? {
        if case .hold(let views, _) = order { return output(presentation.setHoldsViews(views)) }
        return output(presentation.perform(order, by: user))
    }

    package func unrequestedReports() -> PresenterOutput? { output([]) }

    private func output(_ reports: [PresenterReport]) -> PresenterOutput {
        let unrequested = presentation.unrequestedReports()
        return PresenterOutput(reports: unrequested.isEmpty ? reports : reports + unrequested, times: tracer.popTimes())
    }

    package func sendNextPage() -> Bool { false }

    package func killWorker(_ reason: String) {}

    package func close() -> LeftPresentation? { presentation.end() }
}
