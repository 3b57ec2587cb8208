// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
package import ListWorkers

// Entry points of a list for other threads.

extension ListHost {
    /// The maximum number of objects of a list whose commands the bus thread may handle. Commands of larger lists are
    /// handled by their own threads.
    static let mostObjects = 100_000

    package nonisolated func send(_ command: AdapterCommand, by user: UInt32?) {
        executor.post { self.assumeIsolated { $0.receive(command, by: user) } }
    }

    package nonisolated func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?) {
        let isLight = if case .stored = command { true } else { command.isLight }
        let isFirst = executor.enqueueOnLoop(isLight: isLight) { self.assumeIsolated { $0.receive(command, by: user) } }
        guard isFirst else { return }
        DBusActor.assumeIsolated { EventLoop.shared.afterReading { [self] in drainExecutor() } }
    }

    package nonisolated func observeContent(with observer: ContentObserver?) {
        executor.post { self.assumeIsolated { $0.setObserver(observer) } }
    }

    package nonisolated func ping(_ answer: @escaping @Sendable () -> Void) { executor.ping(answer) }

    /// Handles a presenter's report. A light report that comes from the bus thread is handled on that thread.
    package nonisolated func report(_ output: PresenterOutput, from number: PresenterNumber, isLight: Bool) {
        let body: @Sendable () -> Void = { self.assumeIsolated { $0.receive(output, from: number) } }
        if !isLight { executor.post(body) } else if executor.enqueueOnLoop(isLight: true, body) { drainExecutor() }
    }

    private nonisolated func drainExecutor() { executor.drainInline() }

    /// Attaches the list to a slot of a worker, which presents it from now on.
    package nonisolated func attach(_ slot: HostSlot) {
        executor.post { self.assumeIsolated { $0.attach(WorkerPresenter(slot)) } }
    }

    /// Presents the list in the daemon from now on.
    package nonisolated func presentLocally() {
        executor.post { self.assumeIsolated { $0.presentHere() } }
    }

    /// Handles the loss of the presenter, whose worker has ended.
    ///
    /// - Parameter call: the callback that was running for the list; nil if none was.
    package nonisolated func losePresenter(in call: DeadlyCall?) {
        executor.post { self.assumeIsolated { $0.handleLoss(.death(call)) } }
    }

    /// Allows requests again that were refused because workers had died while they handled them.
    package nonisolated func forgetRefusals() {
        executor.post { self.assumeIsolated { $0.link.forgetRefusals() } }
    }

    /// The description of a resting list for `Dump`.
    var restDescription: String {
        "changes since revision \(objects.log.oldestRevision) are available\nthe list is restored and not used yet, so that it has no engine"
    }

    /// Returns the description of the list's state for `Dump`.
    func description(writesUnderWay writes: Int) -> String {
        let revisions = objects.numbers.isUnstored ? "not stored" : "\(objects.numbers.left) revisions are reserved"
        return """
            changes since revision \(objects.log.oldestRevision) are available
            \(link.description)
            \(objects.phase), flush \(objects.timing), \(writes) writes in progress, \(revisions)
            """
    }
}
