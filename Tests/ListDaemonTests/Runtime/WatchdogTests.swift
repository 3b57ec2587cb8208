// SPDX-License-Identifier: Apache-2.0

import DBus
import Dispatch
import ListDaemon
import Synchronization
import TestSupport
import Testing

@testable import ListConfiguration
@testable import ListSources
@testable import ListStore
@testable import ListSupport
@testable import ListWorkers

@Suite("Keep-alive messages of the watchdog", .timeLimit(.minutes(1)))
@DBusActor
struct WatchdogTests {
    /// A part of the daemon that answers the watchdog when the test allows it.
    private final class Asked: Sendable {
        let answers = Mutex<[@Sendable () -> Void]>([])

        func answer() {
            let waiting = answers.withLock { answers in
                defer { answers = [] }
                return answers
            }
            for answer in waiting { answer() }
        }
    }

    /// A counter that the bus thread owns.
    @DBusActor
    private final class Count {
        var value: Int
        init(_ value: Int) { self.value = value }
    }

    /// Waits until all work that was posted to the bus thread has run.
    private func settle() async {
        await withCheckedContinuation { continuation in EventLoop.shared.post { continuation.resume() } }
    }

    @Test(
        "all parts of the daemon answer, or there are no parts → each round sends one keep-alive message",
        arguments: [0, 1, 3])
    func alive(count: Int) async throws {
        let signs = EventLog<Void>()
        let queue = DispatchQueue(label: "test")
        let watchdog = Watchdog(interval: .milliseconds(3)) {
            (0..<count).map { _ in { answer in queue.async(execute: answer) } }
        } feed: {
            signs.record(())
        }
        watchdog.start()
        for _ in 0..<3 { try await signs.next() }
        watchdog.end()
    }

    @Test("one of two parts does not answer → no keep-alive message is sent until it does")
    func silence() async throws {
        let (one, other) = (Asked(), Asked())
        let signs = EventLog<Int>()
        let count = Count(0)
        let watchdog = Watchdog(interval: .seconds(3600)) {
            [one, other].map { asked in { answer in asked.answers.withLock { $0.append(answer) } } }
        } feed: {
            count.value += 1
            signs.record(count.value)
        }
        watchdog.start()
        one.answer()
        watchdog.start()
        one.answer()
        await settle()
        #expect(count.value == 0)
        other.answer()
        #expect(try await signs.next() == 1)
        watchdog.end()
    }

    @Test("a part answers during shutdown → no keep-alive message")
    func ended() async {
        let asked = Asked()
        let count = Count(0)
        let watchdog = Watchdog(interval: .milliseconds(3)) {
            [{ answer in asked.answers.withLock { $0.append(answer) } }]
        } feed: {
            count.value += 1
        }
        watchdog.start()
        watchdog.end()
        asked.answer()
        await settle()
        #expect(count.value == 0)
    }

    @Test("the state changes often → one status line is sent, and none if the text is unchanged")
    func statusLine() async throws {
        let lines = EventLog<String>()
        let count = Count(1)
        let line = StatusLine(pause: .zero) {
            "\(count.value) lists"
        } send: {
            lines.record($0)
        }
        line.update()
        line.update()
        for _ in 0..<3 { line.scheduleUpdate() }
        count.value = 2
        #expect(try await lines.next() == "1 lists")
        #expect(try await lines.next() == "2 lists")
        line.scheduleUpdate()
        await settle()
        count.value = 3
        line.update()
        #expect(try await lines.next() == "3 lists")
    }
}
