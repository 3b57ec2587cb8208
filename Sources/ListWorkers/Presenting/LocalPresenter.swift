// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// A presenter in the list's own process, which shares the list's section table.
///
/// It has the section controllers that are built in or run in the daemon. `listd/single` replaces those of a plugin
/// that has failed. Each function returns its reports, instead of sending them later. Item updates wait for
/// ``presentItems(through:)``, each with its place among the requests.
package final class LocalPresenter: Presenter {
    package let number = PresenterNumbers.next()
    private let list: ObjectList
    private weak var executor: (any ListExecutor)?
    private let times: CallbackTimes?
    private let onActivity: () -> Void
    private var presentation: Presentation?
    /// Measures the calls of plugins' section controllers; nil if all of them are built in, whose frequent and short
    /// calls it would make too expensive.
    private var tracer: CallTracer?

    /// - Parameters:
    ///   - times: counts the calls of plugins' section controllers; nil = they are not counted.
    ///   - executor: runs the timers of section controllers.
    ///   - onActivity: called when something happened without an order. The owner then calls
    ///     ``unrequestedReports()``.
    package init(
        _ list: ObjectList, executor: (any ListExecutor)?, times: CallbackTimes?, onActivity: @escaping () -> Void
    ) {
        self.list = list
        self.executor = executor
        self.times = times
        self.onActivity = onActivity
    }

    package var isElsewhere: Bool { false }
    package var firstItemUpdate: Ticket? { presentation?.firstItemUpdate }
    package var description: [String] { presentation?.debugDescriptionLines ?? [] }

    package func open(_ setup: PresenterSetup, of table: SectionTable) -> [PresenterReport] {
        defer { countCalls() }
        tracer = setup.controllers.usesPlugins ? CallTracer(nil) : nil
        let new = Presentation(
            configuration: setup.configuration, controllers: setup.controllers.makeProvider(), sharing: table,
            makeTicket: { [list] in list.makeTicket() }, executor: executor, observer: tracer)
        new.onActivity = onActivity
        new.holdsViews = setup.holdsViews
        presentation = new
        return [.opened(new.resume(setup.views, selecting: setup.selection))]
    }

    package func present(_ change: Change, controllers: SectionControllerTable?) -> Announcement? {
        guard let presentation else { return nil }
        defer { countCalls() }
        if let controllers {
            tracer = controllers.usesPlugins ? tracer ?? CallTracer(nil) : nil
            presentation.setControllers(controllers.makeProvider())
            presentation.callObserver = tracer
        }
        return presentation.present(change)
    }

    package func presentItems(through ticket: Ticket) -> Announcement? {
        defer { countCalls() }
        return presentation?.presentItems(through: ticket)
    }

    package func perform(_ order: PresenterOrder, by user: UInt32?) -> [PresenterReport] {
        defer { countCalls() }
        return presentation?.perform(order) ?? []
    }

    package func unrequestedReports() -> [PresenterReport] {
        defer { countCalls() }
        return .changes(presentation?.takeChanges())
    }

    /// Adds the time of the calls of plugins' section controllers.
    private func countCalls() {
        guard let tracer else { return }
        for (plugin, time) in tracer.popTimes() { times?.add(time, of: plugin) }
    }

    package func sendNextPage() -> Bool { false }

    package func killWorker(_ reason: String) {}

    package func close() -> (views: [ViewState], selection: [SelectedItem])? {
        guard let presentation else { return nil }
        let selection = presentation.selectedItems
        let left = (presentation.close(), selection)
        presentation.leaveTable()
        self.presentation = nil
        return left
    }
}
