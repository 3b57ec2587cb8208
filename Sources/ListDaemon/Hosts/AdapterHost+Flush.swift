internal import Dispatch
@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// Gives the engine what it may have now, and sees to it that it is flushed when it is due.
    func feed() {
        guard phase == .idle, hasWork else { return }
        for request in line.next() { adapter.enqueue(request, now: now) }
        if line.isRetrying || isEnding { postTurn() } else { scheduleFlush() }
    }

    /// Whether there may be something to flush or to end: nothing happens in a list that rests.
    private var hasWork: Bool { !isResting || !line.isEmpty || isEnding }

    private func scheduleFlush() {
        guard !isHeld else { return }
        switch adapter.flushTiming {
        case .idle: break
        case .now: postTurn()
        case .at(let time): postTurn(at: time)
        }
    }

    /// Commands that are already on their way are collected first.
    func postTurn() {
        guard !turnIsPosted else { return }
        turnIsPosted = true
        executor.post(isLight: line.isLight) {
            self.assumeIsolated { host in
                host.turnIsPosted = false
                host.takeTurn()
                host.noteSize()
            }
        }
    }

    private func postTurn(at time: UInt64) {
        let now = now
        guard time > now else { return postTurn() }
        if let posted = turnIsPostedFor, posted <= time { return }
        turnIsPostedFor = time
        executor.post(after: time - now) {
            self.assumeIsolated { host in
                host.turnIsPostedFor = nil
                host.takeTurn()
            }
        }
    }

    /// Says what section controllers caused by themselves, and flushes what is due.
    private func takeTurn() {
        guard phase == .idle, hasWork else { return }
        if let adapter = workingAdapter { yield(adapter.takeEvents()) }
        // Section controllers that change their items without end do not keep a list that is to go.
        if isEnding, line.isEmpty { return end() }
        let isUrgent = line.isRetrying || isEnding
        switch adapter.flushTiming {
        case .idle: break
        case .at(let time) where time > now && !isUrgent: scheduleFlush()
        default: if !isHeld { proceed(with: adapter.beginFlush(now: now)) }
        }
    }
}

// MARK: - One flush

extension AdapterHost {
    private func proceed(with step: FlushStep) {
        switch step {
        case .finished(let result): finish(result)
        case .diff(let job): run(job)
        case .commit(let transaction): commit(transaction)
        @unknown default:
            finish(adapter.abortFlush(ListError(.pluginFailed, "ListKit is newer than this daemon")))
        }
    }

    /// A large diff runs on another thread, while views go on scrolling.
    private func run(_ job: DiffJob) {
        phase = .diffing
        DispatchQueue.global().async {
            let output = job.run()
            self.executor.post {
                self.assumeIsolated { host in
                    host.phase = .idle
                    host.proceed(with: host.adapter.finishDiff(output))
                    if host.phase == .idle { host.takeDeferred() }
                }
            }
        }
    }

    private func commit(_ transaction: PreparedTransaction) {
        do throws(ListError) {
            let booked = try account?.book(transaction.content) { adapter.object(forID: $0) }
            if isStored { return store(transaction, booked: booked) }
            let (result, removed) = applyPrepared(transaction.content)
            finish(result, removed: removed)
        } catch {
            abort(error)
        }
    }

    /// Nothing is applied: each request gets an answer of its own, if they have to be told apart.
    func abort(_ error: ListError) {
        var result = adapter.abortFlush(error)
        if error.code == .limitsExceeded, line.retryOneByOne(result.answers.map(\.id)) { result.answers = [] }
        finish(result)
    }

    /// Says what a flush did: first the new numbers, then the signals in their order, then the answers.
    func finish(_ result: FlushResult, removed: LargeRemoval? = nil) {
        if let transaction = result.transaction {
            changes.append(transaction)
            noteChange()
        }
        line.answered(result.answers.map(\.id))
        for answer in result.answers { awaitedControllers[answer.id] = nil }
        yield(
            result.events,
            then: result.answers.map { answer in
                .answer(
                    answer.id,
                    answer.outcome.map {
                        .revision(
                            $0, droppedDuplicates: answer.droppedDuplicates, isRefused: answer.isRefused,
                            removed: removed)
                    })
            })
        feed()
    }
}

// MARK: - Quiet

extension AdapterHost {
    private func noteChange() {
        lastChange = now
        if !announcementIsPosted { postAnnouncement(after: Self.quietPeriod) }
    }

    private func postAnnouncement(after delay: UInt64) {
        announcementIsPosted = true
        executor.post(after: delay) { [weak self] in
            self?.assumeIsolated { $0.announceIfQuiet() }
        }
    }

    /// Says the revision once more, so that a client that lost the last signal notices.
    private func announceIfQuiet() {
        announcementIsPosted = false
        guard phase != .stopped else { return }
        let quiet = now - min(now, lastChange)
        if quiet >= Self.quietPeriod {
            sink([.announce(status)])
        } else {
            postAnnouncement(after: Self.quietPeriod - quiet)
        }
    }
}

// MARK: - The end

extension AdapterHost {
    /// Finishes what was accepted, whatever coalescing or a full bus say, then ends.
    func stop(_ id: RequestID, _ reason: ViewClosing) {
        stopping = (id, reason)
        isHeld = false
        feed()
    }

    private func end() {
        if let successor {
            self.successor = nil
            return leave(to: successor)
        }
        guard let (id, reason) = stopping else { return }
        account?.close()
        for view in workingAdapter?.openViews ?? [] { close(view, reason) }
        phase = .stopped
        stopping = nil
        ended = reason
        sink([.answer(id, .success(.done))])
    }
}
