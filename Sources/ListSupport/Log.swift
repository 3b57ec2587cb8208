// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The log of the daemon: it writes to the journal if standard error is connected to it, otherwise to standard error.
///
/// A value that can be passed to any thread; all copies share one level, one rate limit and one sink. A message is
/// built only if its level is enabled. Control and format characters in a message become `\xNN`, because names come
/// from clients.
package struct Log: Sendable {
    /// The state that all copies of a log share.
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
    ///   - level: the least important level that is written.
    ///   - sink: the destination of the entries.
    ///   - limit: the rate limit for messages with the same key.
    ///   - now: the clock of the rate limit.
    package init(
        level: Level, sink: any LogSink, limit: RateLimit = .perClient,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        let state = Shared.State(level: level, limiter: RateLimiter(limit: limit))
        self.init(shared: Shared(state: state, sink: sink, now: now), fields: [])
    }

    /// The least important level that is written. Setting it affects every copy of the log (`LogControl1.LogLevel`).
    package var level: Level {
        get { shared.state.withLock { $0.level } }
        nonmutating set { shared.state.withLock { $0.level = newValue } }
    }

    /// Whether messages reach systemd's journal.
    package var isInJournal: Bool { shared.sink.isInJournal }

    /// Returns a log that adds these fields to each message.
    package func with(_ more: Field...) -> Log {
        Log(shared: shared, fields: fields + more)
    }

    /// Writes a message, unless its level is disabled or the rate limit of its key is reached.
    ///
    /// - Parameters:
    ///   - level: the importance of the message.
    ///   - message: one sentence that names its subject.
    ///   - more: fields in addition to those of this log.
    ///   - event: the kind of event, for an important event.
    ///   - limitKey: the key under which the rate limit counts the message; nil = unlimited. Suppressed messages are
    ///     counted, and the number is reported with the key's next message.
    package func write(
        _ level: Level, _ message: () -> String, _ more: [Field] = [], event: Event? = nil, limitedBy limitKey: String?
    ) {
        let verdict: RateLimiter.Verdict? = shared.state.withLock { state in
            guard level <= state.level else { return nil }
            guard let limitKey else { return .write(leftOut: 0) }
            return state.limiter.admit(limitKey, at: shared.now())
        }
        if verdict == .leaveOut(isFirst: true), let limitKey {
            let note = "further messages about \(limitKey) are suppressed for a while"
            shared.sink.write(LogEntry(level: level, message: note, fields: fields + more, event: nil))
        }
        guard case .write(let leftOut) = verdict else { return }
        if leftOut > 0, let limitKey {
            let note = "\(leftOut) messages about \(limitKey) were suppressed"
            shared.sink.write(LogEntry(level: level, message: note, fields: fields, event: nil))
        }
        shared.sink.write(LogEntry(level: level, message: message(), fields: fields + more, event: event))
    }
}

extension Log {
    /// Logs that data was lost, or a request was refused, although it should not have been.
    package func error(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.error, message, fields, event: event, limitedBy: key)
    }

    /// Logs that something is wrong and that listd continues without the part at fault.
    package func warning(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.warning, message, fields, event: event, limitedBy: key)
    }

    /// Logs a normal event that an administrator should notice.
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

    /// Logs details of an event, for debugging.
    package func debug(
        _ message: @autoclosure () -> String, _ fields: Field..., event: Event? = nil, limitedBy key: String? = nil
    ) {
        write(.debug, message, fields, event: event, limitedBy: key)
    }
}
