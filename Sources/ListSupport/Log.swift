// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Synchronization

/// The log of the daemon: it writes to the journal if standard error is connected to it, otherwise to standard error.
///
/// A value that can be passed to any thread; all copies share one level, one rate limit and one sink. A message is
/// built only if its level is enabled. Control and format characters in a message become `\xNN`, because names come
/// from clients.
package struct Log: Sendable {
    /// The state that all copies of a log share.
    private final class Shared: Sendable {
        /// What decides whether a message is written.
        let filter: Mutex<(level: Level, limiter: RateLimiter)>
        let sink: any LogSink
        let now: @Sendable () -> ContinuousClock.Instant

        init(
            level: Level, limiter: RateLimiter, sink: any LogSink,
            now: @escaping @Sendable () -> ContinuousClock.Instant
        ) {
            filter = Mutex((level, limiter))
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
        self.init(
            shared: Shared(level: level, limiter: RateLimiter(limit: limit), sink: sink, now: now), fields: [])
    }

    /// The least important level that is written. Setting it affects every copy of the log (`LogControl1.LogLevel`).
    package var level: Level {
        get { shared.filter.withLock { $0.level } }
        nonmutating set { shared.filter.withLock { $0.level = newValue } }
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
        let verdict: RateLimiter.Verdict? = shared.filter.withLock { filter in
            guard level <= filter.level else { return nil }
            guard let limitKey else { return .write(leftOut: 0) }
            return filter.limiter.admit(limitKey, at: shared.now())
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

extension Log {
    /// The importance of a message; the raw value is the priority of syslog.
    package enum Level: Int32, Sendable, CaseIterable, Comparable {
        /// Data was lost, or a request was refused, although it should not have been.
        case error = 3
        /// Something is wrong, and listd continues without the part at fault.
        case warning = 4
        /// A normal event that an administrator should notice.
        case notice = 5
        /// A normal event.
        case info = 6
        /// Details of an event, for debugging.
        case debug = 7

        /// The level's name on the command line.
        package var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .notice: "notice"
            case .info: "info"
            case .debug: "debug"
            }
        }

        /// Finds a level by its name; nil if there is no level of that name.
        package init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// Orders levels by syslog priority: a less important level is greater.
        package static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}

extension Log {
    /// A field of a journal entry, by which entries can be searched.
    package struct Field: Sendable, Equatable {
        /// The name of the journal field.
        package let name: String
        /// The value of the field, as text.
        package let value: String

        /// The name of the adapter that the message is about.
        package static func adapter(_ name: String) -> Field { Field(name: "LISTD_ADAPTER", value: name) }

        /// The name of the plugin that the message is about.
        package static func plugin(_ name: String) -> Field { Field(name: "LISTD_PLUGIN", value: name) }

        /// The connection name of the client that caused the message.
        package static func client(_ name: String) -> Field { Field(name: "LISTD_CLIENT", value: name) }

        /// The Unix user that caused the message.
        package static func user(_ number: UInt32) -> Field { Field(name: "LISTD_USER", value: String(number)) }

        /// The process that caused the message.
        package static func process(_ number: Int32) -> Field {
            Field(name: "LISTD_PROCESS", value: String(number))
        }

        /// The revision of the adapter that the message is about.
        package static func revision(_ number: UInt64) -> Field {
            Field(name: "LISTD_REVISION", value: String(number))
        }

        /// The file that the message is about.
        package static func file(_ path: String) -> Field { Field(name: "LISTD_FILE", value: path) }
    }

    /// The kind of an important event, constant across versions, so that administrators can watch for it
    /// (`MESSAGE_ID`).
    package enum Event: String, Sendable, CaseIterable {
        /// All lists are loaded, and listd owns its bus name.
        case ready = "26c32c3299314d5e8d1eb2e1264beb1a"
        /// listd was asked to stop.
        case stopping = "985101c7f1a64de4a240bbd959287a48"
        /// The new configuration is in force.
        case reloaded = "9b8ed4c5728446538a4f61b3c9214343"
        /// The configuration has a mistake; the previous configuration stays in force.
        case configurationFault = "2c2e9eac0d7a4d17b280430376124eec"
        /// The stored lists could not be read; their file was set aside.
        case storeDamaged = "2928a6073d134161a250bc5cc16d46ca"
        /// A file of the store was removed or truncated while it was open; its contents are lost.
        case storeLost = "db2776ee862043c28a38534c37668b5f"
        /// An update could not be stored and was rejected.
        case storeFailed = "a97e5267da93404882cbdccc5e1ad55b"
        /// The source of a list failed; the list keeps its objects.
        case sourceFailed = "e1cef21201eb4743a649aaf522deaf41"
        /// A plugin's process ended or stopped answering, and is restarted.
        case pluginRestarted = "a6f08d59dfc64a17ab6a973fbdb0a06a"
        /// A plugin's process ended too often and is not restarted any more.
        case pluginFailed = "be8e250753e44a7fa0069b21aac23e10"
        /// A plugin was not loaded: its file, its manifest or the plugin itself refused.
        case pluginRefused = "d2a4f6f0c3f84b06a7f0f1d2c6be5b17"
    }
}

extension Log {
    /// Logs each iteration of an event loop that takes longer than 50 ms, with the call that took most of the time.
    @DBusActor
    package func reportLongTurns(of loop: EventLoop = .shared) {
        loop.turns.reportTurns(longerThan: .milliseconds(50)) { [self] length, work in
            guard let work else {
                let text = "the event loop was busy for \(length.rounded), but not with a call"
                return notice("\(text)", limitedBy: "the event loop")
            }
            let user = work.userID.map { "user \($0)" } ?? "an unknown user"
            let method = (work.interface.map { $0 + "." } ?? "") + work.member
            let what = work.isAnswer ? "the answer to \(method)" : "the call \(method)"
            notice(
                """
                the event loop was busy for \(length.rounded), including \(work.duration.rounded) with \(what) \
                of \(user) (\(work.byteCount) bytes)
                """, .client(work.callerName), limitedBy: user)
        }
    }
}

extension Duration {
    fileprivate var rounded: String { "\(Int((self / .milliseconds(1)).rounded())) ms" }
}

/// A rate limit: how many messages with the same key may be written within an interval.
package struct RateLimit: Sendable, Equatable {
    /// The maximum number of messages in one interval.
    package var burst: Int
    /// The length of an interval, which begins with the first message of a key.
    package var interval: Duration
    /// The maximum number of keys in memory.
    package var keys: Int

    /// Makes a rate limit.
    package init(burst: Int, interval: Duration, keys: Int) {
        self.burst = burst
        self.interval = interval
        self.keys = keys
    }

    /// The limit for messages that a client causes: enough to see what the client does, too few to fill a disk.
    package static let perClient = RateLimit(burst: 20, interval: .seconds(10), keys: 1024)
}

/// A counter of messages by key that decides which messages are written.
///
/// Its memory is bounded by the limit's number of keys. When that number is reached, keys whose interval is over are
/// evicted. If there are none, all new keys share one count.
package struct RateLimiter: Sendable {
    /// The decision about a message.
    package enum Verdict: Sendable, Equatable {
        /// Write the message. `leftOut` is the number of earlier messages with the same key that were suppressed and
        /// not yet reported.
        case write(leftOut: Int)
        /// Suppress the message. `isFirst` = it is the first one of the interval.
        case leaveOut(isFirst: Bool)
    }

    private let limit: RateLimit
    /// The messages of each key in its interval: how many were written, and how many were suppressed.
    private var counts: [String: (intervalStart: ContinuousClock.Instant, written: Int, leftOut: Int)] = [:]

    /// Makes a limiter without counts.
    package init(limit: RateLimit) {
        self.limit = limit
    }

    /// Counts a message and decides whether it is written.
    ///
    /// - Complexity: O(1); O(keys) when the maximum number of keys is reached.
    package mutating func admit(_ key: String, at now: ContinuousClock.Instant) -> Verdict {
        let key = counts[key] != nil || makeRoom(at: now) ? key : ""
        var count = counts[key] ?? (now, 0, 0)
        defer { counts[key] = count }
        var reported = 0
        if count.intervalStart.duration(to: now) >= limit.interval {
            reported = count.leftOut
            count = (now, 0, 0)
        }
        guard count.written < limit.burst else {
            count.leftOut += 1
            return .leaveOut(isFirst: count.leftOut == 1)
        }
        count.written += 1
        return .write(leftOut: reported)
    }

    /// Removes keys whose interval is over if there are too many keys; returns whether another key fits now.
    private mutating func makeRoom(at now: ContinuousClock.Instant) -> Bool {
        if counts.count < limit.keys { return true }
        counts = counts.filter { $0.value.intervalStart.duration(to: now) < limit.interval }
        return counts.count < limit.keys
    }
}
