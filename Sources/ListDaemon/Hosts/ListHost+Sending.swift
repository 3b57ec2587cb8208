// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
package import ListWorkers

// What comes to a list from other threads.

extension ListHost {
    /// A list with more objects is left to its own threads.
    static let mostObjects = 100_000

    package nonisolated func send(_ command: AdapterCommand, by user: UInt32?) {
        executor.post { self.assumeIsolated { $0.receive(command, by: user) } }
    }

    package nonisolated func enqueueOnLoop(_ command: AdapterCommand, by user: UInt32?) {
        let isLight = if case .stored = command { true } else { command.isLight }
        let isFirst = executor.enqueueOnLoop(isLight: isLight) { self.assumeIsolated { $0.receive(command, by: user) } }
        guard isFirst else { return }
        DBusActor.assumeIsolated { EventLoop.shared.afterReading { [self] in work() } }
    }

    package nonisolated func follow(_ observer: ContentObserver?) {
        executor.post { self.assumeIsolated { $0.setObserver(observer) } }
    }

    package nonisolated func ping(_ answer: @escaping @Sendable () -> Void) { executor.ping(answer) }

    /// Handles what a presenter reports; something little from the bus thread is handled there.
    package nonisolated func report(_ output: PresenterOutput, from number: PresenterNumber, isLight: Bool) {
        let body: @Sendable () -> Void = { self.assumeIsolated { $0.receive(output, from: number) } }
        if !isLight { executor.post(body) } else if executor.enqueueOnLoop(isLight: true, body) { work() }
    }

    private nonisolated func work() { executor.drainInline() }

    /// Has the list presented in a worker from now on.
    package nonisolated func attach(_ slot: HostSlot) {
        executor.post { self.assumeIsolated { $0.attach(WorkerPresenter(slot)) } }
    }

    /// Has the list presented in the daemon from now on.
    package nonisolated func presentLocally() {
        executor.post { self.assumeIsolated { $0.presentHere() } }
    }

    /// The presenter is gone, with its worker.
    ///
    /// - Parameter call: what was being called for the list; nil = nothing.
    package nonisolated func losePresenter(in call: DeadlyCall?) {
        executor.post { self.assumeIsolated { $0.lose(.death(call)) } }
    }

    /// What was refused because workers died of it may be asked again.
    package nonisolated func forgetRefusals() {
        executor.post { self.assumeIsolated { $0.link.forgetRefusals() } }
    }

    /// The same of a list that rests.
    var restDescription: String {
        "changes since revision \(objects.log.oldestRevision) are known\nrestored and not looked at yet"
    }

    /// How the list stands, for people.
    func description(writesUnderWay writes: Int) -> String {
        let revisions = objects.numbers.isUnstored ? "not stored" : "\(objects.numbers.left) revisions are reserved"
        return """
            changes since revision \(objects.log.oldestRevision) are known
            \(link.description)
            \(objects.phase), flush \(objects.timing), \(writes) writes under way, \(revisions)
            """
    }
}
