// SPDX-License-Identifier: Apache-2.0

/// The short road for a program without a host: completions instead of answers, and a scheduler that flushes.
extension ListAdapter {
    /// Asks the data source for its objects with the next flush and brings the list there.
    ///
    /// Until that flush the data source is kept alive.
    ///
    /// - Parameter completion: gets whether the update was applied; at once, with false, when there is no data source.
    public func performUpdates(animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        guard let dataSource else {
            completion?(false)
            return
        }
        enqueue(.dataSource(dataSource, animated: animated, completion: completion))
    }

    /// Brings the list to the given objects.
    ///
    /// - Parameter completion: gets whether the update was applied.
    public func performUpdates(_ objects: [ListObject], animated: Bool = true, completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: animated, .performUpdates(objects: objects), completion)
    }

    /// Makes all section controllers anew, over the data source's objects if there is one.
    ///
    /// - Parameter completion: gets whether it was done.
    public func reloadData(completion: ((Bool) -> Void)? = nil) {
        if let dataSource { enqueue(.dataSource(dataSource, animated: true, completion: nil)) }
        enqueue(animated: false, .reloadData, completion)
    }

    /// Builds the sections of some objects anew; unknown ones are ignored.
    public func reloadObjects(_ ids: [String], completion: ((Bool) -> Void)? = nil) {
        enqueue(animated: true, .reloadObjects(ids), completion)
    }

    /// Gives the list another data source; its objects are taken over at once, with everything that waits and with an update
    /// whose diff is being computed.
    ///
    /// From inside of a callback it happens right after it; without a scheduler, with the next flush.
    /// - Returns: the results of the flushes, in order; a scheduler has been told of them.
    @discardableResult
    public func setDataSource(_ new: (any ListAdapterDataSource)?) -> [FlushResult] {
        guard !isBusy else {
            deferred.append { [weak self, weak new] in
                guard let self, takeOver(new) else { return }
                if scheduler == nil { requestFlush(now: nil) } else { flushNow() }
            }
            return []
        }
        guard takeOver(new) else { return [] }
        guard case .idle = flush else {
            requestFlush(now: nil)
            return []
        }
        return flushNow()
    }

    /// Makes something the data source, with an update that waits; answers whether there is one.
    private func takeOver(_ new: (any ListAdapterDataSource)?) -> Bool {
        guard new !== dataSource else { return false }
        dataSource = new
        guard let new else { return false }
        cancelFlush()
        queue.append(.dataSource(new, animated: false, completion: nil))
        return true
    }

    /// Flushes everything that waits, computing diffs at once.
    ///
    /// Does nothing from inside of a callback, and while a flush is under way. It ends when a flush is cancelled
    /// (``cancelFlush()``), and after 256 of them, so that completions that ask for another update each do not keep it for
    /// ever: what waits then waits for the scheduler or the next call.
    /// - Returns: the results of the flushes, in order.
    @discardableResult
    public func flushNow() -> [FlushResult] {
        let start = flushed.count
        let cancelled = cancelledFlushes
        while !isBusy, case .idle = flush, !queue.isEmpty, cancelledFlushes == cancelled,
            flushed.count - start < ListAdapter.maximumFlushes
        {
            var step = beginFlush(now: scheduler?.now ?? now)
            if case .diff(let job) = step { step = finishDiff(job.run()) }
            let result = finish(step)
            flushed.append(result)
        }
        defer { flushed.removeSubrange(start...) }
        return Array(flushed[start...])
    }

    /// How many flushes one ``flushNow()`` makes at most.
    private static let maximumFlushes = 256

    /// Brings the list to the data source's objects.
    ///
    /// - Returns: whether the update was applied.
    public func performUpdates(animated: Bool = true) async -> Bool {
        await withCheckedContinuation { continuation in
            performUpdates(animated: animated) { continuation.resume(returning: $0) }
        }
    }

    /// Makes all section controllers anew.
    ///
    /// - Returns: whether it was done.
    public func reloadData() async -> Bool {
        await withCheckedContinuation { continuation in
            reloadData { continuation.resume(returning: $0) }
        }
    }

    // MARK: Scheduling

    private func enqueue(
        animated: Bool, _ operation: UpdateRequest.Operation, _ completion: ((Bool) -> Void)?
    ) {
        let request = UpdateRequest(id: 0, animated: animated, operation: operation)
        enqueue(.request(request, completion ?? { _ in }))
    }

    private func enqueue(_ work: QueuedWork) {
        queue.append(work)
        requestFlush(now: scheduler?.now)
    }

    /// Lets the scheduler flush when it is due.
    func scheduleFlush() {
        let timing = flushTiming
        guard let scheduler, timing != .idle, timing != scheduledFlush.timing else { return }
        scheduledFlush = (timing, scheduledFlush.count &+ 1)
        let count = scheduledFlush.count
        scheduler.schedule(timing) { [weak self] in
            // A flush that became due at another time has its own call.
            guard let self, scheduledFlush.count == count else { return }
            scheduledFlush.timing = .idle
            runScheduledFlush()
        }
    }

    private func runScheduledFlush() {
        guard let scheduler else { return }
        let step = beginFlush(now: scheduler.now)
        guard case .diff(let job) = step else {
            finish(step)
            return
        }
        scheduler.run(job) { [weak self] output in
            guard let self else { return }
            finish(finishDiff(output))
        }
    }

    @discardableResult
    private func finish(_ step: FlushStep) -> FlushResult {
        let result: FlushResult
        switch step {
        case .finished(let finished): result = finished
        case .commit: result = commitFlush()
        case .diff: result = FlushResult()
        }
        if !result.answers.isEmpty { scheduler?.adapter(self, answered: result.answers) }
        scheduler?.adapter(self, emitted: result.events)
        scheduleFlush()
        return result
    }
}
