// SPDX-License-Identifier: Apache-2.0

/// A watchdog that detects a worker that does not answer at all.
///
/// It has no side effects: each check returns the action for the supervisor. A check pings the worker, and every report
/// counts as an answer. Of the time between two checks, at most one ``step`` counts as silence: a busy or sleeping
/// machine that delayed the daemon has also delayed the worker.
package struct WorkerPulse: Sendable, Equatable {
    /// The next step of the supervisor.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case none
        /// Send a ping.
        case ask
        /// Kill the worker.
        case giveUp
    }

    /// The time that an answer may take in addition to a callback, as other processes may use the processors.
    package static let grace = Duration.seconds(5)

    /// The maximum time without a report after a ping.
    package let limit: Duration
    /// The interval of the checks.
    package let step: Duration
    /// The time without a report since the last ping; nil = no ping is unanswered.
    private var silence: Duration?
    private var lastCheck: ContinuousClock.Instant?

    /// Makes a watchdog that has not sent a ping yet.
    package init(callbackTimeout: Duration) {
        limit = callbackTimeout + Self.grace
        // Several checks per timeout, so that a hang is detected soon after the timeout.
        step = max(callbackTimeout / 5, .milliseconds(20))
    }

    /// Records a report of the worker, which answers the last ping.
    package mutating func recordAnswer() { silence = nil }

    /// Checks whether the worker has answered.
    ///
    /// - Parameter isListening: whether the daemon reads the worker's reports at present.
    package mutating func check(at now: ContinuousClock.Instant, isListening: Bool) -> Action {
        let passed = min(lastCheck.map { $0.duration(to: now) } ?? .zero, step)
        lastCheck = now
        guard isListening else {
            silence = silence.map { _ in .zero }
            return .none
        }
        guard let known = silence else {
            silence = .zero
            return .ask
        }
        silence = known + passed
        return known + passed >= limit ? .giveUp : .none
    }
}
