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

/// A rate limiter for messages that no request asked for: it allows a burst, and then one message per interval.
///
/// It has no side effects: given the time, it returns the delay of the next message (the generic cell rate algorithm of
/// ITU-T I.371).
package struct FloodBrake: Sendable, Equatable {
    private let interval: Duration
    private let tolerance: Duration
    /// The theoretical arrival time of the last message, had all messages kept the interval.
    private var last: ContinuousClock.Instant?

    /// The limit for a worker's unrequested reports about one list or data source. It is higher than people can
    /// perceive, and too low to delay other lists.
    package static let perList = FloodBrake(burst: 256, interval: .milliseconds(2))
    /// The limit for all reports of a worker. It is higher than the reports of a busy worker, and leaves the event loop
    /// time for others.
    static let perWorker = FloodBrake(burst: 256, interval: .microseconds(40))

    /// Makes a rate limiter that no message has passed yet.
    ///
    /// - Parameters:
    ///   - burst: the number of messages that may follow each other without an interval, at least 1.
    ///   - interval: the interval of the messages in the long run.
    package init(burst: Int, interval: Duration) {
        self.interval = interval
        tolerance = interval * (max(1, burst) - 1)
    }

    /// Admits a message and returns nil, or returns the time after which the caller may ask again.
    package mutating func admit(at now: ContinuousClock.Instant) -> Duration? {
        let due = max((last ?? now - interval) + interval, now)
        let earliest = due - tolerance
        guard now >= earliest else { return now.duration(to: earliest) }
        last = due
        return nil
    }
}
