// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where the daemon says what happens: to the journal when it listens, else to standard error.
///
/// A value that may be handed to any thread; all copies share one level, one rate limit and one sink. A message is
/// built only if its level is written. Control and format characters in it become `\xNN`, since names come from clients.
package struct Log: Sendable {
    /// What all copies share.
    private final class Shared: Sendable {
        struct State {
            var level: Level
            var limiter: RateLimiter
        }

        let state: Mutex<State>
        let sink: any LogSink
        let now: @Sendable () -> ContinuousClock.Instant

        init(state: State, sink: any LogSink, now: @escaping @Sendable () -> ContinuousClock.Instant) {
            self.state = Mutex(state)
            self.sink = sink
            self.now = now
        }
    }

    private let shared: Shared
    private let fields: [Field]

    private init(shared: Shared, fields: [Field]) {
        self.shared = shared
        self.fields = fields
    }

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - level: the least important messages that are written.
    ///   - sink: where they go.
    ///   - limit: how many messages of one key are written in how long.
    ///   - now: the clock of the limit.
    package init(
        level: Level, sink: any LogSink, limit: RateLimit = .perClient,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let state = Shared.State(level: level, limiter: RateLimiter(limit: limit))
        self.init(shared: Shared(state: state, sink: sink, now: now), fields: [])
    }

    /// The least important messages that are written; setting it changes every copy (`Manager.SetLogLevel`).
    package var level: Level {
        get { shared.state.withLock { $0.level } }
        nonmutating set { shared.state.withLock { $0.level = newValue } }
    }

    /// The same log, adding fields to each message.
    package func with(_ more: Field...) -> Log {
        Log(shared: shared, fields: fields + more)
    }

    /// Writes a message, unless its level is not written or its key is used up.
    ///
    /// - Parameters:
    ///   - level: how important it is.
    ///   - message: one sentence that names the thing it is about.
    ///   - more: facts beside those of this log.
    ///   - event: the kind of event, for important ones.
    ///   - limitKey: messages with the same key are limited together; nil is never limited. What is left out is
    ///     counted, and reported with the key's next message.
    package func write(
        _ level: Level, _ message: () -> String, _ more: [Field] = [], event: Event? = nil, limitedBy limitKey: String?
    ) {
        let verdict: RateLimiter.Verdict? = shared.state.withLock { state in
            guard level <= state.level else { return nil }
            guard let limitKey else { return .write(leftOut: 0) }
            return state.limiter.admit(limitKey, at: shared.now())
        }
        guard case .write(let leftOut) = verdict else { return }
        if leftOut > 0, let limitKey {
            let note = "\(leftOut) messages about \(limitKey) were left out"
            shared.sink.write(LogEntry(level: level, message: note, fields: fields, event: nil))
        }
        shared.sink.write(LogEntry(level: level, message: message(), fields: fields + more, event: event))
    }
}

extension Log {
    /// Says that something was lost or refused that should not have been.
    package func error(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.error, message, fields, event: event, limitedBy: key)
    }

    /// Says that something is wrong and listd goes on without it.
    package func warning(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.warning, message, fields, event: event, limitedBy: key)
    }

    /// Says something normal that is worth an admin's eye.
    package func notice(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.notice, message, fields, event: event, limitedBy: key)
    }

    /// Logs a message of the level info.
    package func info(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.info, message, fields, event: event, limitedBy: key)
    }

    /// Says how it happened.
    package func debug(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.debug, message, fields, event: event, limitedBy: key)
    }
}
