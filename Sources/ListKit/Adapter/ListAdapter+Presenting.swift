// SPDX-License-Identifier: Apache-2.0

// A list whose objects somebody else keeps: an ``ObjectList`` judges, numbers and stores, and the adapter makes of each update
// what section controllers and views make of it. Nobody enqueues requests in such an adapter.

extension ListAdapter {
    /// Presents an update: section controllers are called, views follow, item updates that wait run with it.
    ///
    /// An update that is not announced only takes its options over; item updates wait. Only between two updates, and not from
    /// inside of a callback: nothing happens then.
    /// - Returns: what to announce. ``revision`` counts what was presented, so the numbers in it mean nothing.
    @_spi(Daemon) public func present(_ update: ObjectUpdate) -> Presented {
        guard mayPresent else { return Presented(itemCount: itemCount) }
        var flush = Flush()
        flush.changes = update.changes
        flush.reloaded = update.forced.flatMap { sections.objects(in: $0.range) }
        flush.reloadsAll = update.rebuildsControllers
        flush.relaysOut = update.relaysOut
        flush.configuration = update.configuration
        flush.isAnimated = update.animated
        guard update.isAnnounced else { return presented(takeOver(flush)) }
        takeItemUpdates(through: update.through, into: &flush)
        return apply(flush)
    }

    /// The place of the first item update that waits; `nil` = none does.
    @_spi(Daemon) public var firstItemUpdate: Ticket? {
        for case .itemUpdate(let update) in queue { return update.ticket }
        return nil
    }

    /// The list is shown by somebody else from now on: nothing of this one is left in the table that they share.
    @_spi(Daemon) public func leaveTable() { sections.releaseAll() }

    /// Runs the item updates that wait.
    ///
    /// - Parameter ticket: the place of the last of them that runs; `nil` = all do.
    /// - Returns: what to announce; without a transaction when they changed nothing.
    @_spi(Daemon) public func presentItems(through ticket: Ticket? = nil) -> Presented {
        guard mayPresent, !queue.isEmpty else { return Presented(events: takeEvents(), itemCount: itemCount) }
        var flush = Flush()
        takeItemUpdates(through: ticket, into: &flush)
        return presented(applyItemUpdates(of: flush))
    }

    /// Asks the section controllers about an item that was dragged, when the item updates that wait have
    /// run.
    @_spi(Daemon) public func answer(_ move: ItemMoveRequest) -> ItemMoveAnswer {
        var answer = ItemMoveAnswer()
        if !queue.isEmpty { answer.changes.append(presentItems()) }
        guard mayPresent else {
            answer.verdict = .refused
            return answer
        }
        switch judgeMove(from: move.from, to: move.to) {
        case .error(let error): answer.verdict = .error(error)
        case .refused: answer.verdict = .refused
        case .nothing: answer.verdict = .section(from: move.from.section, to: move.from.section)
        case .section: answer.verdict = .section(from: move.from.section, to: move.to.section)
        case .object(let object): answer.verdict = .object(object)
        case .item(let section):
            var flush = Flush()
            flush.itemMove = (section, move.from.item, move.to.item)
            flush.isAnimated = move.animated
            answer.changes.append(apply(flush))
        }
        return answer
    }

    /// Tells the clock, in milliseconds, by which item updates are collected.
    @_spi(Daemon) public func setTime(_ now: UInt64) { self.now = max(self.now, now) }

    /// Whether the adapter is between two updates.
    private var mayPresent: Bool {
        if case .idle = flush { application == nil && depth == 0 } else { false }
    }

    /// Takes item updates, in the order of their places, which those of an adapter with a table of its own do not have.
    private func takeItemUpdates(through ticket: Ticket?, into flush: inout Flush) {
        coalescer.start(now: now)
        let count = queue.prefix { $0.isItemUpdate(through: ticket) }.count
        flush.work = Array(queue[..<count])
        queue.removeFirst(count)
        for case .itemUpdate(let update) in flush.work {
            flush.itemUpdates.append(update)
            flush.isAnimated = flush.isAnimated && update.animated
        }
    }

    private func apply(_ flush: Flush) -> Presented { presented(apply(flush, revision: revision + 1)) }

    private func takeOver(_ flush: Flush) -> FlushResult {
        guard let new = flush.configuration else { return finishUnchanged(flush) }
        let changesViews = configuration.affectsViews(comparedTo: new)
        take(new)
        return changesViews ? finishUnannounced(flush, changesViews: true) : finishUnchanged(flush)
    }

    /// What a flush without requests has to announce.
    private func presented(_ result: FlushResult) -> Presented {
        Presented(transaction: result.transaction, events: result.events, itemCount: itemCount)
    }
}

extension QueuedWork {
    /// Whether it is an item update, and its place no later than another one.
    fileprivate func isItemUpdate(through ticket: Ticket?) -> Bool {
        if case .itemUpdate(let update) = self { ticket.map { update.ticket <= $0 } ?? true } else { false }
    }
}
