// SPDX-License-Identifier: Apache-2.0

/// Shows the updates of a list, and decides about dragged items, for a ``ListDriver``: by itself, or through a connection
/// to a worker.
@_spi(Daemon) public protocol ListShowing: AnyObject {
    /// Whether it makes the changes in the list's own table, and then announces them at once.
    var sharesTable: Bool { get }

    /// Shows an update. `nil` if the announcement comes later, with ``ListDriver/presented(_:)``.
    func show(_ change: Change) -> Announcement?

    /// Runs the waiting item updates up to a ticket. `nil` if they have changed nothing, or their announcement comes
    /// later, with ``ListDriver/changed(_:answering:)``.
    func showItems(through ticket: Ticket, animated: Bool) -> Announcement?

    /// Asks the section controllers about a dragged item. `nil` if the verdict comes later, with
    /// ``ListDriver/decided(_:)``, or with ``ListDriver/changed(_:answering:)`` if a section controller has moved the
    /// item.
    func decide(_ move: ItemMoveRequest) -> ItemMoveVerdict?
}

/// Takes the steps of an ``ObjectList`` to what shows the list, up to the next one that its owner has to take.
///
/// The driver uses no thread, clock, store or file: the owner computes diffs, writes to the store, and waits. It
/// belongs to one executor, with its list and with what shows it.
@_spi(Daemon) public final class ListDriver {
    private let list: ObjectList
    /// What shows the list, which the owner of the driver holds.
    private unowned let target: any ListShowing

    /// Creates the driver of a list.
    public init(_ list: ObjectList, _ target: any ListShowing) {
        self.list = list
        self.target = target
    }

    /// Begins the next update; see ``ObjectList/next(now:isUrgent:diffsAtOnce:rejecting:)``.
    public func run(
        now: UInt64, isUrgent: Bool, diffsAtOnce: Bool = true,
        rejecting: ([UpdateRequest]) -> Set<ObjectIdentifier> = { _ in [] }
    ) -> OwnerStep {
        perform(list.next(now: now, isUrgent: isUrgent, diffsAtOnce: diffsAtOnce, rejecting: rejecting))
    }

    /// Continues with the output of a diff. The output of a cancelled diff is ignored.
    public func finishDiff(_ output: DiffJob.Output) -> OwnerStep { perform(list.finishDiff(output)) }

    /// Continues after the write of an update. A list that is not stored needs no write.
    ///
    /// - Parameter retryingEach: whether to retry requests that the store refused together, each in an update of its
    ///   own.
    public func stored(_ outcome: Result<Void, ListError>, retryingEach: Bool = false, now: UInt64) -> OwnerStep {
        perform(
            list.finishStoring(outcome, retryingEach: retryingEach, sharesTable: target.sharesTable, now: now))
    }

    /// Continues with the section controllers' verdict on a dragged item.
    public func decided(_ verdict: ItemMoveVerdict) -> OwnerStep { perform(list.finishAskingAboutMove(verdict)) }

    /// Announces an update that was shown.
    public func presented(_ said: Announcement) -> Announcement { list.finishPresenting(said) }

    /// Announces what section controllers have changed without an update.
    ///
    /// - Parameter request: the request for a dragged item, if they have changed it because of that request.
    /// - Returns: the announcement; `nil` if no number is available for its revision.
    public func changed(_ said: Announcement, answering request: RequestID? = nil) -> Announcement? {
        list.recordItemChanges(said, answering: request)
    }

    private func perform(_ step: UpdateStep) -> OwnerStep {
        switch step {
        case .owner(let step): return step
        case .ask(let move): return target.decide(move).map { decided($0) } ?? .wait(.idle)
        case .present(let change):
            return target.show(change).map { .announce(presented($0)) } ?? .wait(.idle)
        case .presentItems(let ticket):
            let animated = list.change?.animated ?? true
            let said = target.showItems(through: ticket, animated: animated)
            guard list.phase == .presenting else {
                return said.flatMap { changed($0) }.map { .announce($0) } ?? .wait(.idle)
            }
            // Requests that have changed nothing are answered after the item updates before them.
            return .announce(presented(said ?? Announcement(itemCount: list.itemCount, isFlat: list.isFlat)))
        }
    }
}
