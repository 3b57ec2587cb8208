// SPDX-License-Identifier: Apache-2.0

/// When a plugin's worker is started, started again after it died, and given up.
///
/// Pure: given what happened and when, it says what to do. A dead worker is started again after a pause that doubles
/// with every death of the last minute; after the fifth death in a minute it is not started again until somebody asks
/// for the plugin. Deaths by a user's call make the pause longer, but are never the last one: such users have to wait
/// (``CallerBackOff``), and must not take the plugin from others.
package struct WorkerLifecycle: Sendable, Equatable {
    /// How the worker is.
    package enum State: Sendable, Equatable {
        /// The worker is not needed.
        case idle
        /// The process is there and has not reported yet that its plugin is loaded.
        case starting
        /// It works.
        case running
        /// It died, and is started again later.
        case pausing
        /// It died too often.
        case failed
    }

    /// What the supervisor has to do.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case none
        /// Start the process.
        case start
        /// Call ``pauseIsOver()`` after this time.
        case pause(Duration)
        /// Tell everybody that the plugin has failed.
        case giveUp
    }

    /// Deaths within this time count together.
    package static let period = Duration.seconds(60)
    /// The death that is the last one.
    package static let lastDeath = 5
    /// The pause after the first death.
    package static let firstPause = Duration.milliseconds(50)

    /// How the worker is.
    package private(set) var state = State.idle
    /// How often it was started again.
    package private(set) var restartCount: UInt32 = 0
    private var deaths: [ContinuousClock.Instant] = []
    private var deathsOfCallers: [ContinuousClock.Instant] = []

    /// A worker that was not needed yet.
    package init() {}

    /// Somebody needs the worker; what failed before is forgotten.
    package mutating func need() -> Action {
        switch state {
        case .idle, .failed:
            if state == .failed { forget() }
            state = .starting
            return .start
        case .starting, .running, .pausing:
            return .none
        }
    }

    /// The worker has loaded its plugin.
    package mutating func didStart() {
        if state == .starting { state = .running }
    }

    /// A process that was started beside the present one has loaded the plugin and replaces it, even while that one
    /// pauses; earlier failures are forgotten.
    package mutating func successorTookOver() {
        switch state {
        case .idle: break
        case .failed:
            forget()
            state = .running
        case .starting, .running, .pausing: state = .running
        }
    }

    /// The process has ended, or was ended because it did not answer.
    ///
    /// - Parameter isOfCaller: whether a user's call may have caused it, rather than the contents of a list.
    package mutating func didDie(at now: ContinuousClock.Instant, isOfCaller: Bool = false) -> Action {
        guard state == .starting || state == .running else { return .none }
        deaths.removeAll { $0 + Self.period <= now }
        deathsOfCallers.removeAll { $0 + Self.period <= now }
        if isOfCaller { deathsOfCallers.append(now) } else { deaths.append(now) }
        guard deaths.count < Self.lastDeath else {
            state = .failed
            return .giveUp
        }
        state = .pausing
        let recent = min(deaths.count + deathsOfCallers.count, Self.lastDeath - 1)
        return .pause(Self.firstPause * (1 << (recent - 1)))
    }

    /// The pause that was asked for is over.
    package mutating func pauseIsOver() -> Action {
        guard state == .pausing else { return .none }
        state = .starting
        restartCount &+= 1
        return .start
    }

    /// The worker is not needed any more.
    package mutating func dismiss() {
        state = .idle
        forget()
    }

    private mutating func forget() {
        deaths = []
        deathsOfCallers = []
    }

    /// The plugin itself refused to start: starting again would not help.
    package mutating func refuse() {
        state = .failed
    }
}
