// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit

/// Presents a list on its own executor, with sections that both share: section controllers that are built in or run in the
/// daemon, and `listd/single` in place of those of a plugin that has failed.
///
/// What it reports is there at once. Item updates wait until the list says so, in their places among the requests.
final class LocalPresenter: Presenter {
    let number = PresenterNumbers.next()
    private let presentation: Presentation
    private let tracer = CallTracer(nil)

    /// - Parameter onActivity: called on the executor when something happened that was not ordered; ``takeTurn()`` says what.
    init(_ list: ObjectList, executor: HostExecutor, onActivity: @escaping () -> Void) {
        tracer.executor = executor
        presentation = Presentation(tracer: tracer, list: list)
        presentation.onActivity = onActivity
    }

    var asksPlugin: Bool { false }
    var sharesTable: Bool { true }
    var firstItemUpdate: Ticket? { presentation.firstItemUpdate }
    var description: [String] { presentation.description }

    func open(_ setup: PresenterSetup, of table: SectionTable) -> PresenterOutput? {
        output([presentation.open(setup)])
    }

    func present(_ update: ObjectUpdate, controllers: SectionControllerTable?) -> PresenterOutput? {
        output(presentation.present(update, controllers: controllers))
    }

    func presentItems(through ticket: Ticket) -> PresenterOutput? { output(presentation.presentItems(through: ticket)) }

    func perform(_ order: PresenterOrder, by user: UInt32?) -> PresenterOutput? {
        if case .hold(let views, _) = order { return output(presentation.holdViews(views)) }
        return output(presentation.perform(order, by: user))
    }

    func takeTurn() -> PresenterOutput? { output([]) }

    private func output(_ reports: [PresenterReport]) -> PresenterOutput {
        PresenterOutput(reports: reports + presentation.unasked(), times: tracer.takeTimes())
    }

    func sendMore() -> Bool { false }

    func blame(_ reason: String) {}

    func close() -> LeftPresentation? { presentation.end() }
}
