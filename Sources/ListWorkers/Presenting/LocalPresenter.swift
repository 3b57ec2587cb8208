// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// Presents a list on its own executor, with sections that both share: section controllers that are built in or run in the
/// daemon, and `listd/single` in place of those of a plugin that has failed.
///
/// What it reports is there at once. Item updates wait until the list says so, in their places among the requests.
package final class LocalPresenter: Presenter {
    package let number = PresenterNumbers.next()
    private let presentation: Presentation
    private let tracer = CallTracer(nil)

    /// - Parameter onActivity: called on the executor when something happened without an order; ``takeTurn()`` returns
    ///   what.
    package init(_ list: ObjectList, executor: HostExecutor, onActivity: @escaping () -> Void) {
        tracer.use(executor)
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

    package func present(_ update: ObjectUpdate, controllers: SectionControllerTable?) -> PresenterOutput? {
        output(presentation.present(update, controllers: controllers))
    }

    package func presentItems(through ticket: Ticket) -> PresenterOutput? {
        output(presentation.presentItems(through: ticket))
    }

    package func perform(_ order: PresenterOrder, by user: UInt32?) -> PresenterOutput? {
        if case .hold(let views, _) = order { return output(presentation.holdViews(views)) }
        return output(presentation.perform(order, by: user))
    }

    package func takeTurn() -> PresenterOutput? { output([]) }

    private func output(_ reports: [PresenterReport]) -> PresenterOutput {
        let unasked = presentation.unasked()
        return PresenterOutput(reports: unasked.isEmpty ? reports : reports + unasked, times: tracer.popTimes())
    }

    package func sendMore() -> Bool { false }

    package func blame(_ reason: String) {}

    package func close() -> LeftPresentation? { presentation.end() }
}
