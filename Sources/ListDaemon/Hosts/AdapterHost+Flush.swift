internal import Dispatch
@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// Sees to it that what waits is flushed when it is due.
    func scheduleFlush() {
        guard phase == .idle, !isHeld else { return }
        switch adapter.flushTiming {
        case .idle: break
        case .now: postTurn()
        case .at(let time): postFlush(at: time)
        }
    }

    /// Commands that are already on their way are collected first.
    func postTurn() {
        guard !turnIsPosted else { return }
        turnIsPosted = true
        executor.post {
            self.assumeIsolated { host in
                host.turnIsPosted = false
                host.takeTurn()
            }
        }
    }

    /// Says what section controllers caused by themselves, and flushes what is due.
    private func takeTurn() {
        guard phase != .stopped else { return }
        yield(adapter.takeEvents())
        switch adapter.flushTiming {
        case .idle: break
        case .now: flush()
        case .at(let time): if time <= now { flush() } else { scheduleFlush() }
        }
    }

    private func postFlush(at time: UInt64) {
        let now = now
        guard time > now else { return postTurn() }
        if let posted = flushIsPostedFor, posted <= time { return }
        flushIsPostedFor = time
        executor.post(after: time - now) {
            self.assumeIsolated { host in
                host.flushIsPostedFor = nil
                host.scheduleFlush()
            }
        }
    }

    /// Starts a flush, unless one runs or the bus has to catch up first.
    func flush() {
        guard phase == .idle, !isHeld, adapter.flushTiming != .idle else { return }
        proceed(with: adapter.beginFlush(now: now))
    }

    private func proceed(with step: FlushStep) {
        switch step {
        case .finished(let result): finish(result)
        case .diff(let job): run(job)
        case .commit: finish(adapter.commitFlush())
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
                }
            }
        }
    }

    /// Says what a flush did: first the new numbers, then the signals in their order, then the answers.
    private func finish(_ result: FlushResult) {
        if let transaction = result.transaction {
            changes.append(transaction)
            noteChange()
        }
        let answers: [AdapterEffect] = result.answers.map { answer in
            .answer(
                answer.id,
                answer.outcome.map {
                    .revision($0, droppedDuplicates: answer.droppedDuplicates, isRefused: answer.isRefused)
                })
        }
        yield(result.events, then: answers)
        if stopping != nil { finishStopping() } else { scheduleFlush() }
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
    /// Finishes what was accepted, then ends.
    func stop(_ id: RequestID, _ reason: ViewClosing) {
        stopping = (id, reason)
        isHeld = false
        guard phase == .idle else { return }
        finishStopping()
    }

    /// Flushes until nothing waits; coalescing timers count no more.
    func finishStopping() {
        guard let (id, reason) = stopping, phase == .idle else { return }
        if adapter.flushTiming != .idle { return flush() }
        for view in adapter.openViews { close(view, reason) }
        phase = .stopped
        stopping = nil
        sink([.answer(id, .success(.done))])
    }
}
