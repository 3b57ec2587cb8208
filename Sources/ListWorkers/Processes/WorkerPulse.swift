// SPDX-License-Identifier: Apache-2.0

/// Finds out when a worker as a whole does not answer any more.
///
/// Pure: given the times of looks and of reports, it says what to do. Each look asks the worker, and every report
/// counts as an answer. Between two looks, at most one step of silence counts: a busy or sleeping machine that delayed
/// the daemon has also delayed the worker.
package struct WorkerPulse: Sendable, Equatable {
    /// What the supervisor has to do.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case none
        /// Ask the worker for a sign of life.
        case ask
        /// End it.
        case giveUp
    }

    /// How long an answer may take beyond a callback, because others have the processors.
    package static let grace = Duration.seconds(5)

    /// The longest silence.
    package let limit: Duration
    /// How often to look.
    package let step: Duration
    /// How long a worker that was asked has reported nothing; nil = it is not asked.
    private var silence: Duration?
    private var lastLook: ContinuousClock.Instant?

    /// Nothing is asked yet.
    package init(callbackTimeout: Duration) {
        limit = callbackTimeout + Self.grace
        // Several times in a timeout, so that a hang is found out soon after it.
        step = max(callbackTimeout / 5, .milliseconds(20))
    }

    /// The worker has reported something.
    package mutating func heard() { silence = nil }

    /// Looks whether the worker has answered.
    ///
    /// - Parameter isListening: whether what the worker says is read at present.
    package mutating func look(at now: ContinuousClock.Instant, isListening: Bool) -> Action {
        let passed = min(lastLook.map { $0.duration(to: now) } ?? .zero, step)
        lastLook = now
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
