// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Queues a request; it is answered exactly once, in some ``FlushResult/answers``.
    ///
    /// - Parameter now: the time in milliseconds; only adaptive coalescing needs it.
    public func enqueue(_ request: UpdateRequest, now: UInt64? = nil) {
        queue.append(.request(request, nil))
        requestFlush(now: now)
    }

    /// Queues an item update, or runs it at once when data is being applied (rule BN-28).
    func queueItemUpdate(_ update: ItemUpdate) {
        if let application, application.isCollecting, application.running.count < Application.maximumNesting {
            runInside(update)
            return
        }
        var update = update
        update.ticket = makeTicket()
        queue.append(.itemUpdate(update))
        requestFlush(now: nil)
    }

    func requestFlush(now: UInt64?) {
        awaitsRetry = false
        if let now { self.now = max(self.now, now) }
        coalescer.request(now: self.now, isVisible: isVisible)
        scheduleFlush()
        noteActivity()
    }

    /// Tells the host, once the adapter is not in the middle of something.
    func noteActivity() {
        if isBusy { isActivityDeferred = true } else { onActivity?() }
    }

    /// When the host should call ``beginFlush(now:)``; idle while a flush is under way.
    public var flushTiming: FlushTiming {
        guard case .idle = flush else { return .idle }
        if queue.isEmpty { return .idle }
        if awaitsRetry { return .at(coalescer.retryTime) }
        return coalescer.timing == .idle ? .now : coalescer.timing
    }

    /// Whether a flush is under way: its diff is computed, or its transaction stored.
    public var isFlushing: Bool {
        if case .idle = flush { false } else { true }
    }

    /// Takes all that waits, judges it in strict order of arrival and prepares one transaction.
    ///
    /// Does nothing while a flush is under way.
    public func beginFlush(now: UInt64) -> FlushStep {
        self.now = max(self.now, now)
        guard case .idle = flush, application == nil, depth == 0, !queue.isEmpty else {
            return .finished(FlushResult())
        }
        coalescer.start(now: self.now)
        awaitsRetry = false
        let work = takeQueue()
        if !queue.isEmpty { coalescer.request(now: self.now, isVisible: isVisible) }
        var flush = Flush()
        flush.work = work
        if case .request(let request, _) = work.first, work.count == 1, let step = beginAlone(request, flush) {
            return step
        }
        let requests = requests(of: work)
        let staged = sections.table.stage(
            requests, revision: revision, updater: configuration.updater, rejecting: rejectedTypes(of: requests))
        flush.verdicts = staged.verdicts
        flush.isAnimated = staged.animated
        for case .itemUpdate(let update) in work {
            flush.itemUpdates.append(update)
            flush.isAnimated = flush.isAnimated && update.animated
        }
        flush.reloaded = staged.forced.sorted().compactMap { sections.object(at: $0) }
        flush.reloadsAll = staged.rebuildsControllers
        flush.hasUpdates = staged.hasWrites
        switch staged.outcome {
        case .changes(let changes):
            flush.changes = changes
            return prepare(flush)
        case .list(let list): return diff(list, flush)
        }
    }

    /// The requests among some work; data sources are asked now, each once (rule UP-66).
    private func requests(of work: [QueuedWork]) -> [UpdateRequest] {
        var known: [ObjectIdentifier: [ListObject]] = [:]
        return work.compactMap { element in
            switch element {
            case .request(let request, _): return request
            case .itemUpdate: return nil
            case .dataSource(let source, let animated, _):
                let objects = known[ObjectIdentifier(source)] ?? ask(source)
                known[ObjectIdentifier(source)] = objects
                return UpdateRequest(id: 0, animated: animated, operation: .performUpdates(objects: objects))
            }
        }
    }

    private func ask(_ source: any ListAdapterDataSource) -> [ListObject] {
        depth += 1
        defer { depth -= 1 }
        return source.objects(for: self)
    }

    /// The types in some requests for which there is no section controller; asked before the list is touched, as the
    /// provider may look at it.
    private func rejectedTypes(of requests: [UpdateRequest]) -> Set<ObjectIdentifier> {
        var rejected: Set<ObjectIdentifier> = []
        var kinds = LastKind()
        func ask(_ object: ListObject) {
            if !kinds.isKnown(for: object, in: self) { rejected.insert(ObjectIdentifier(object.objectType)) }
        }
        for request in requests {
            switch request.operation {
            case .performUpdates(let objects, _): objects.forEach(ask)
            case .applyChanges(_, let upserts): upserts.forEach { ask($0.object) }
            default: break
            }
        }
        return rejected
    }

    /// Takes what goes into one flush.
    private func takeQueue() -> [QueuedWork] {
        let end = queue.firstIndex { $0.requiresOwnTransaction } ?? queue.count
        let count = min(max(end, 1), queue.count)
        defer { queue.removeFirst(count) }
        return Array(queue[..<count])
    }

    // MARK: Diff

    private func diff(_ list: [ListObject], _ flush: Flush) -> FlushStep {
        diffGeneration &+= 1
        let job = DiffJob(
            old: sections.objects(in: 0..<sections.count), new: list,
            moves: configuration.minimalMoves ? .minimal : .positional, generation: diffGeneration)
        var flush = flush
        flush.changes.list = list
        self.flush = .diffing(flush, generation: diffGeneration)
        tellUpdaterDelegate { $0.adapter(self, willDiffFrom: job.old, to: list) }
        if job.objectCount >= configuration.backgroundDiffThreshold { return .diff(job) }
        return finish(job.run(), onBackgroundThread: false)
    }

    /// Takes what a ``DiffJob`` found; one that was cancelled meanwhile changes nothing.
    public func finishDiff(_ output: DiffJob.Output) -> FlushStep { finish(output, onBackgroundThread: true) }

    private func finish(_ output: DiffJob.Output, onBackgroundThread: Bool) -> FlushStep {
        guard case .diffing(var flush, output.generation) = self.flush, let list = flush.changes.list else {
            return .finished(FlushResult())
        }
        let result = output.result
        tellUpdaterDelegate { $0.adapter(self, didDiff: result, onBackgroundThread: onBackgroundThread) }
        // The delegate may have cancelled it.
        guard case .diffing = self.flush else { return .finished(FlushResult()) }
        flush.changes = SectionChanges(result, leadingTo: list)
        return prepare(flush)
    }

    // MARK: Preparing

    func prepare(_ flush: Flush) -> FlushStep {
        let reloaded = flush.reloaded.contains { sections.handle(of: $0) != nil }
        let changesMore = flush.reloadsAll || flush.configuration != nil || flush.itemMove != nil
        let reloads = flush.hasUpdates && configuration.updater == .reload
        guard !flush.changes.isEmpty || reloaded || changesMore || reloads else { return prepareItems(flush) }
        self.flush = .prepared(flush)
        return .commit(preparedTransaction(flush))
    }

    /// A flush in which only items change, if any do: that is known when it is applied.
    private func prepareItems(_ flush: Flush) -> FlushStep {
        guard !flush.itemUpdates.isEmpty else {
            if flush.verdicts.contains(where: { $0.error == nil }) { notifyListeners(flush) }
            return .finished(finishUnchanged(flush))
        }
        var flush = flush
        flush.hasOnlyItemUpdates = true
        self.flush = .prepared(flush)
        return .commit(preparedTransaction(flush))
    }

    private func preparedTransaction(_ flush: Flush) -> PreparedTransaction {
        PreparedTransaction(
            baseRevision: revision, revision: revision + 1, content: flush.changes.stored { sections.oldObject(at: $0) }
        )
    }

    func finishUnchanged(_ flush: Flush) -> FlushResult {
        self.flush = .idle
        tellUpdaterDelegate { $0.adapterDidFinishWithoutUpdates(self) }
        var result = FlushResult()
        result.answers = flush.answers(revision: revision)
        complete(flush, Application())
        result.events = settled()
        return result
    }
}

extension QueuedWork {
    /// Whether the request is flushed by itself: what it does depends on the items as they are.
    fileprivate var requiresOwnTransaction: Bool {
        if case .request(let request, _) = self { request.requiresOwnTransaction } else { false }
    }
}
