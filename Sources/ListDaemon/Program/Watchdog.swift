// SPDX-License-Identifier: Apache-2.0

package import DBus

/// Tells the service manager that the daemon is alive, as long as the bus thread and every list's executor answer.
///
/// A round begins on the bus thread and asks everybody; when the last one has answered the manager is told, and a while
/// later the next round begins. Whoever hangs ends the rounds, and with them the signs of life (sd_watchdog_enabled(3)).
@DBusActor
package final class Watchdog {
    /// Asks somebody for a sign of life: it calls back from its own thread.
    package typealias Question = @DBusActor (_ answer: @escaping @Sendable () -> Void) -> Void

    private enum State {
        case resting
        /// Waiting for so many answers.
        case asking(left: Int)
        case ended
    }

    /// However short the interval is: a manager that wants signs of life more often does not get them.
    private nonisolated static let shortestPause = Duration.milliseconds(10)

    private let pause: Duration
    private let questions: @DBusActor () -> [Question]
    private let feed: @DBusActor () -> Void
    private var state = State.resting
    private var timer: LoopTimer?

    /// Makes a watchdog that rests.
    ///
    /// - Parameters:
    ///   - interval: how long the manager waits for a sign of life; three are given in it, so that one may be late.
    ///   - questions: who is to be asked now.
    ///   - feed: gives the sign of life.
    package nonisolated init(
        interval: Duration, questions: @escaping @DBusActor () -> [Question], feed: @escaping @DBusActor () -> Void
    ) {
        pause = max(interval / 3, Self.shortestPause)
        self.questions = questions
        self.feed = feed
    }

    /// Begins the first round; does nothing while one is under way.
    package func start() {
        guard case .resting = state else { return }
        let asked = questions()
        state = .asking(left: asked.count)
        guard !asked.isEmpty else { return finishRound() }
        for question in asked {
            question { [weak self] in EventLoop.shared.post { self?.answered() } }
        }
    }

    /// Gives no sign of life any more.
    package func end() {
        state = .ended
        timer?.cancel()
        timer = nil
    }

    private func answered() {
        guard case .asking(let left) = state else { return }
        state = .asking(left: left - 1)
        if left == 1 { finishRound() }
    }

    private func finishRound() {
        feed()
        state = .resting
        timer = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.start() }
    }
}
