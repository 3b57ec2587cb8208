// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) package import ListKit

/// The place of a list in a worker, with functions to communicate with the worker.
package struct HostSlot: Sendable {
    /// The number by which the worker's reports identify the list.
    let number: PresenterNumber
    /// Sends an order to the worker.
    let send: @Sendable (Order) -> Void
    /// Kills the worker, because it sent an impossible report.
    let kill: @Sendable (String) -> Void
    /// Closes the list in the worker and frees the slot.
    let close: @Sendable () -> Void
}

/// A presenter that forwards orders to a worker, in packets of a bounded size.
package final class WorkerPresenter: Presenter {
    /// The approximate maximum size of the objects in one packet, in bytes. A packet has one object at least.
    package static let pageBytes = 4 << 20

    private let slot: HostSlot
    /// The objects of the last order that had any, and the index of the first object that is not sent yet.
    private var unsent: (objects: [ListObject], next: Int) = ([], 0)
    /// The number of objects that are not sent yet.
    private var missing: Int { unsent.objects.count - unsent.next }

    package init(_ slot: HostSlot) { self.slot = slot }

    package var number: PresenterNumber { slot.number }
    package var isElsewhere: Bool { true }
    /// Always nil, as item updates wait in the worker.
    package var firstItemUpdate: Ticket? { nil }
    package var description: [String] { [] }

    package func open(_ setup: PresenterSetup, of table: SectionTable) -> [PresenterReport] {
        var setup = setup
        setup.objects = firstPage(of: table.objects(.new, in: 0..<table.count(.new)))
        slot.send(.open(number, setup, missing: missing))
        return []
    }

    package func present(_ change: Change, controllers: SectionControllerTable?) -> Announcement? {
        var update = PresenterUpdate(change, controllers: controllers)
        update.objects = firstPage(of: update.objects)
        slot.send(.present(number, update, missing: missing))
        return nil
    }

    package func presentItems(through ticket: Ticket) -> Announcement? { nil }
    package func unrequestedReports() -> [PresenterReport] { [] }

    package func perform(_ order: PresenterOrder, by user: UInt32?) -> [PresenterReport] {
        slot.send(.perform(number, order, by: user))
        return []
    }

    package func sendNextPage() -> Bool {
        let page = nextPage()
        guard !page.isEmpty else { return false }
        slot.send(.objects(number, page, missing: missing))
        return true
    }

    private func firstPage(of objects: [ListObject]) -> [ListObject] {
        unsent = (objects, 0)
        return nextPage()
    }

    private func nextPage() -> [ListObject] {
        var (end, bytes) = (unsent.next, 0)
        while end < unsent.objects.count {
            bytes += unsent.objects[end].byteCount
            if bytes > Self.pageBytes, end > unsent.next { break }
            end += 1
        }
        let page = Array(unsent.objects[unsent.next..<end])
        unsent = end < unsent.objects.count ? (unsent.objects, end) : ([], 0)
        return page
    }

    package func killWorker(_ reason: String) { slot.kill(reason) }

    package func close() -> (views: [ViewState], selection: [SelectedItem])? {
        slot.close()
        return nil
    }
}
