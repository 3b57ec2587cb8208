// SPDX-License-Identifier: Apache-2.0

import Glibc
import ListDaemon
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

/// A log sink that keeps all entries.
final class RecordingSink: LogSink {
    private let kept = Mutex<[LogEntry]>([])
    var entries: [LogEntry] { kept.withLock { $0 } }
    func write(_ entry: LogEntry) { kept.withLock { $0.append(entry) } }
}

/// A clock that the test advances.
private final class ManualClock: Sendable {
    private let elapsed = Mutex(Duration.zero)
    private let start = ContinuousClock.Instant.now
    var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }
    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
}

@Suite("The log")
struct LogTests {
    @Test("messages are above the log level → they are not written, and not even formatted")
    func levels() {
        let sink = RecordingSink()
        let log = Log(level: .notice, sink: sink)
        log.error("a")
        log.warning("b")
        log.notice("c")
        log.info(
            {
                Issue.record("a message below the level was formatted"); return "d"
            }())
        #expect(sink.entries.map(\.message) == ["a", "b", "c"])
        #expect(sink.entries.map(\.level) == [.error, .warning, .notice])
    }

    @Test("the log level changes at run time → every copy of the log uses the new level")
    func changedLevel() {
        let sink = RecordingSink()
        let log = Log(level: .error, sink: sink)
        let copy = log.with(.adapter("mail"))
        copy.debug("before")
        log.level = .debug
        copy.debug("after")
        #expect(copy.level == .debug)
        #expect(sink.entries.map(\.message) == ["after"])
    }

    @Test("a log and its message have fields → the log's fields are written first, then the message's")
    func fields() {
        let sink = RecordingSink()
        let log = Log(level: .debug, sink: sink).with(.adapter("mail"), .plugin("files"))
        log.info("x", .client(":1.7"), .revision(9), .file("/f"), event: .ready)
        let entry = sink.entries.first
        #expect(entry?.event == .ready)
        #expect(
            entry?.fields.map { "\($0.name)=\($0.value)" } == [
                "LISTD_ADAPTER=mail", "LISTD_PLUGIN=files", "LISTD_CLIENT=:1.7", "LISTD_REVISION=9", "LISTD_FILE=/f",
            ])
    }

    @Test(
        "a message has control characters from outside → they are written as \\xNN, so that no log line can be forged")
    func controlCharacters() {
        let sink = RecordingSink()
        let log = Log(level: .debug, sink: sink)
        log.info("a\n<0>b\u{1B}[2J\u{7F}\u{85}ü\u{2028}", .adapter("m\nPRIORITY=0"))
        #expect(sink.entries.first?.message == "a\\x0a<0>b\\x1b[2J\\x7f\\x85ü\\x2028")
        #expect(sink.entries.first?.fields.first?.value == "m\\x0aPRIORITY=0")
    }

    @Test("directional and other format characters → escaped; letters and joiners stay")
    func formatCharacters() {
        let sink = RecordingSink()
        let log = Log(level: .debug, sink: sink)
        log.info(
            "a\u{61C}b\u{200E}\u{200F}c\u{202A}\u{202E}d\u{2066}\u{2069}e\u{FEFF}\u{80}\u{9F}", .adapter("\u{202E}x"))
        #expect(
            sink.entries.first?.message
                == "a\\x61cb\\x200e\\x200fc\\x202a\\x202ed\\x2066\\x2069e\\xfeff\\x80\\x9f")
        #expect(sink.entries.first?.fields.first?.value == "\\x202ex")
        log.info("👩\u{200D}🚀 نمی\u{200C}خواهم")
        #expect(sink.entries.last?.message == "👩\u{200D}🚀 نمی\u{200C}خواهم")
    }

    @Test(
        "one client causes too many messages → the excess is suppressed, and counted in the client's next message"
    )
    func rateLimit() {
        let sink = RecordingSink()
        let clock = ManualClock()
        let limit = RateLimit(burst: 2, interval: .seconds(10), keys: 4)
        let log = Log(level: .debug, sink: sink, limit: limit, now: { clock.now })
        for number in 1...5 { log.info("\(number)", limitedBy: ":1.1") }
        log.info("other", limitedBy: ":1.2")
        log.info("free")
        clock.advance(by: .seconds(10))
        log.info("later", limitedBy: ":1.1")
        #expect(
            sink.entries.map(\.message) == [
                "1", "2", "further messages about :1.1 are suppressed for a while", "other", "free",
                "3 messages about :1.1 were suppressed", "later",
            ])
    }

    @Test("events have ids → the ids are unique and have 128 bits in hexadecimal")
    func eventIdentifiers() {
        let identifiers = Log.Event.allCases.map(\.rawValue)
        #expect(Set(identifiers).count == identifiers.count)
        #expect(identifiers.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test("a level's name is parsed → the level is the same; an unknown name is parsed → the result is nil")
    func levelNames() {
        for level in Log.Level.allCases { #expect(Log.Level(name: level.name) == level) }
        #expect(Log.Level(name: "Error") == nil)
        #expect(Log.Level.allCases.map(\.rawValue) == [3, 4, 5, 6, 7])
    }

    @Test(
        "the log writes to a file descriptor → each entry is one line, with a priority only if the journal reads it")
    func standardError() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        let entry = LogEntry(level: .warning, message: "m", fields: [.adapter("a"), .revision(1)], event: .ready)
        StandardErrorSink(prefixed: true, descriptor: ends[1]).write(entry)
        StandardErrorSink(prefixed: false, descriptor: ends[1]).write(
            LogEntry(level: .error, message: "n", fields: [], event: nil))
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(ends[0], &bytes, bytes.count)
        #expect(
            String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                == "<4>m (LISTD_ADAPTER=a LISTD_REVISION=1)\nn\n")
    }

    @Test("JOURNAL_STREAM is set → standard error counts as the journal only if device and inode match")
    func journalStream() throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        var status = stat()
        try #require(unsafe fstat(ends[1], &status) == 0)
        func listening(_ stream: String?) -> Bool {
            JournalSink.isConnectedToJournal(
                environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:], descriptor: ends[1])
        }
        #expect(listening("\(status.st_dev):\(status.st_ino)"))
        #expect(!listening("\(status.st_dev):\(status.st_ino + 1)"))
        for wrong in ["", ":", "1", "\(status.st_dev):\(status.st_ino):1", "a:b"] { #expect(!listening(wrong)) }
        #expect(!listening(nil))
    }
}

@Suite("The rate limit of log messages")
struct RateLimiterTests {
    @Test("random messages with few keys → the limiter admits the same messages as a separate count for each key")
    func againstReference() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        let limit = RateLimit(burst: 3, interval: .milliseconds(100), keys: 10)
        var limiter = RateLimiter(limit: limit)
        var reference: [String: (start: Int, written: Int, leftOut: Int)] = [:]
        let start = ContinuousClock.Instant.now
        var time = 0
        for step in 0..<2000 {
            time += Int(generator.next() % 20)
            let key = "k\(generator.next() % 4)"
            let expected: RateLimiter.Verdict
            var count = reference[key] ?? (time, 0, 0)
            var reported = 0
            if time - count.start >= 100 {
                reported = count.leftOut
                count = (time, 0, 0)
            }
            if count.written < 3 {
                count.written += 1
                expected = .write(leftOut: reported)
            } else {
                count.leftOut += 1
                expected = .leaveOut(isFirst: count.leftOut == 1)
            }
            reference[key] = count
            let verdict = limiter.admit(key, at: start + .milliseconds(time))
            #expect(verdict == expected, "seed \(seed), step \(step)")
            if verdict != expected { return }
        }
    }

    @Test("there are more keys than can be tracked → surplus keys share one count until an interval ends")
    func keysAreBounded() {
        var limiter = RateLimiter(limit: RateLimit(burst: 1, interval: .seconds(1), keys: 2))
        let start = ContinuousClock.Instant.now
        #expect(limiter.admit("a", at: start) == .write(leftOut: 0))
        #expect(limiter.admit("b", at: start) == .write(leftOut: 0))
        #expect(limiter.admit("c", at: start) == .write(leftOut: 0))
        #expect(limiter.admit("d", at: start) == .leaveOut(isFirst: true))
        #expect(limiter.admit("d", at: start + .seconds(1)) == .write(leftOut: 0))
    }
}
