// SPDX-License-Identifier: Apache-2.0

/// The state machine that decides when a plugin's worker is started, restarted after a death, and given up.
///
/// It has no side effects: each event returns the action for the supervisor. A dead worker is restarted after a pause
/// that doubles with every death of the last minute. After the fifth death in a minute that neither a user's call nor an
/// object explains, it is not restarted until somebody asks for the plugin. Deaths that may be caused by a user's call
/// never make the plugin fail: such users have to wait (``CallerBackOff``), and must not make the plugin unavailable to
/// others. Deaths in callbacks of objects make it fail only if there are so many that not the objects, but their section
/// controller is the cause, as each object kills two workers at most (``FatalObjects``).
package struct WorkerLifecycle: Sendable {
    /// The state of a worker.
    package enum State: Sendable, Equatable {
        /// The worker is not needed.
        case idle
        /// The process was started and has not loaded its plugin yet.
        case starting
        /// The worker has loaded its plugin.
        case running
        /// The worker died, and is restarted after a pause.
        case pausing
        /// The worker died too often, or its plugin refused to start.
        case failed
    }

    /// The next step of the supervisor.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case none
        /// Start the process.
        case start
        /// Call ``pauseDidEnd()`` after this time.
        case pause(Duration)
        /// Declare the plugin failed.
        case giveUp
    }

    /// The time for which a death counts.
    package static let period = Duration.seconds(60)
    /// The number of deaths within ``period``, of which nobody is to blame, with which the plugin has failed.
    package static let lastDeath = 5
    /// The number of deaths within ``period`` in callbacks of objects with which the plugin has failed: of 16 objects.
    package static let lastDeathOfObjects = 32
    /// The pause after the first death.
    package static let firstPause = Duration.milliseconds(50)

    /// The present state.
    package private(set) var state = State.idle
    /// How often the worker was restarted.
    package private(set) var restartCount: UInt32 = 0
    /// The recent deaths.
    private var deaths: [(time: ContinuousClock.Instant, blame: Death.Blame)] = []

    /// Makes the state machine of a worker that was not needed yet.
    package init() {}

    /// Requests the worker. After a failure, earlier deaths no longer count.
    package mutating func request() -> Action {
        switch state {
        case .idle, .failed:
            if state == .failed { forgetDeaths() }
            state = .starting
            return .start
        case .starting, .running, .pausing:
            return .none
        }
    }

    /// Records that the worker has loaded its plugin.
    package mutating func didStart() {
        if state == .starting { state = .running }
    }

    /// Records that a second process has loaded the plugin and replaces the first process, even while a restart of the
    /// first process is pending. After a failure, earlier deaths no longer count.
    package mutating func successorDidTakeOver() {
        switch state {
        case .idle: break
        case .failed:
            forgetDeaths()
            state = .running
        case .starting, .running, .pausing: state = .running
        }
    }

    /// Records that the process has ended by itself, or was killed because it did not answer.
    package mutating func didDie(at now: ContinuousClock.Instant, blaming blame: Death.Blame = .nobody) -> Action {
        guard state == .starting || state == .running else { return .none }
        deaths.removeAll { $0.time + Self.period <= now }
        deaths.append((now, blame))
        func count(_ blame: Death.Blame) -> Int { deaths.count { $0.blame == blame } }
        guard count(.nobody) < Self.lastDeath, count(.object) < Self.lastDeathOfObjects else {
            state = .failed
            return .giveUp
        }
        state = .pausing
        return .pause(Self.firstPause * (1 << (min(deaths.count, Self.lastDeath - 1) - 1)))
    }

    /// Records that the requested pause is over.
    package mutating func pauseDidEnd() -> Action {
        guard state == .pausing else { return .none }
        state = .starting
        restartCount &+= 1
        return .start
    }

    /// Records that the worker is not needed any more.
    package mutating func dismiss() {
        state = .idle
        forgetDeaths()
    }

    private mutating func forgetDeaths() { deaths = [] }

    /// Records that the plugin itself refused to start, so that a restart would not help.
    package mutating func didRefuse() {
        state = .failed
    }
}
