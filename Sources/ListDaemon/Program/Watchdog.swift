// SPDX-License-Identifier: Apache-2.0

package import DBus

/// The daemon side of the service manager watchdog, which sends keep-alives while the bus thread and all lists answer.
///
/// A round begins on the bus thread and sends a question to each executor. When all have answered, a keep-alive is
/// sent; after a pause, the next round begins. An executor that hangs stops the rounds, and with them the keep-alives
/// (sd_watchdog_enabled(3)).
@DBusActor
package final class Watchdog {
    /// A question whether an executor is alive, which calls `answer` from its own thread.
    package typealias Question = @DBusActor (_ answer: @escaping @Sendable () -> Void) -> Void

    private enum State {
        case resting
        /// Waiting for `left` answers.
        case asking(left: Int)
        case ended
    }

    /// The minimum pause between rounds, even if the manager expects keep-alives more often.
    private nonisolated static let shortestPause = Duration.milliseconds(10)

    private let pause: Duration
    private let questions: @DBusActor () -> [Question]
    private let feed: @DBusActor () -> Void
    private var state = State.resting
    private var timer: LoopTimer?

    /// Makes a watchdog that has not started.
    ///
    /// - Parameters:
    ///   - interval: the manager's watchdog interval. Three keep-alives are sent in it, so that one may be late.
    ///   - questions: returns the questions of a round.
    ///   - feed: sends a keep-alive.
    package nonisolated init(
        interval: Duration, questions: @escaping @DBusActor () -> [Question], feed: @escaping @DBusActor () -> Void
    ) {
        pause = max(interval / 3, Self.shortestPause)
        self.questions = questions
        self.feed = feed
    }

    /// Begins a round; does nothing while a round is in progress.
    package func start() {
        guard case .resting = state else { return }
        let asked = questions()
        state = .asking(left: asked.count)
        guard !asked.isEmpty else { return finishRound() }
        for question in asked {
            question { [weak self] in EventLoop.shared.post { self?.recordAnswer() } }
        }
    }

    /// Ends the keep-alives.
    package func end() {
        state = .ended
        timer?.cancel()
        timer = nil
    }

    private func recordAnswer() {
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
