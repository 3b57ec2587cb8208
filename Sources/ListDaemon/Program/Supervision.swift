// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
package import DBus
internal import Glibc

/// The reports to the service manager: the daemon's start, reload and stop, its status line, and the watchdog's
/// keep-alives.
@DBusActor
final class Supervision {
    private let service: Service
    private let notify = Notify()
    private lazy var statusLine = StatusLine { [service] in
        service.summary
    } send: { [notify] line in
        notify.send(.status(line))
    }
    private lazy var watchdog = notify.watchdogInterval.map { interval in
        Watchdog(interval: interval) { [service] in
            service.adapters.all.map { adapter in { adapter.host.ping($0) } }
        } feed: { [notify] in
            notify.send(.watchdog)
        }
    }

    init(of service: Service) { self.service = service }

    /// Reports that the daemon is ready, and starts the updates of the status line and the watchdog.
    func begin() {
        statusLine.update()
        service.counts.onChange { [weak self] in self?.statusLine.scheduleUpdate() }
        notify.send(.ready)
        watchdog?.start()
    }

    /// Reports that a reload begins.
    func beginReload() { notify.send(.reloading) }

    /// Reports that a reload has ended.
    func endReload() { notify.send(.ready) }

    /// Reports that the daemon is stopping, and ends the watchdog.
    func end() {
        notify.send(.stopping)
        watchdog?.end()
    }
}

/// The interface to the service manager (sd_notify(3)); without a manager it does nothing.
package struct Notify: Sendable {
    /// A message to the service manager.
    package enum Message: Sendable, Equatable {
        /// All lists are restored, and listd owns its bus name.
        case ready
        /// The configuration is being reloaded; ``ready`` follows.
        case reloading
        /// The daemon is stopping.
        case stopping
        /// The status line that `systemctl status` shows.
        case status(String)
        /// The watchdog's keep-alive; at least one is sent in each ``watchdogInterval``.
        case watchdog
    }

    /// Makes the interface to the manager that started this process, which `$NOTIFY_SOCKET` names.
    package init() {}

    /// Sends messages together in one datagram; returns whether a manager received them.
    @discardableResult
    package func send(_ messages: Message...) -> Bool {
        unsafe sd_notify(0, messages.map(Self.text).joined(separator: "\n")) > 0
    }

    /// The maximum time between keep-alives; nil if the manager does not watch this process (sd_watchdog_enabled(3)).
    package var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard unsafe sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    private static func text(_ message: Message) -> String {
        switch message {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// The time identifies the reload (`Type=notify-reload`, systemd.service(5)).
    private static func monotonicMicroseconds() -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) &* 1_000_000 &+ UInt64(clamping: time.tv_nsec / 1000)
    }
}

/// The status line for `systemctl status`, with counts of the daemon's objects. After a change, it is sent again with
/// a delay, so that it does not change too fast for a reader.
@DBusActor
package final class StatusLine {
    private let pause: Duration
    private let text: @DBusActor () -> String
    private let send: @DBusActor (String) -> Void
    private var lastLine = ""
    private var timer: LoopTimer?

    /// Makes a status line that has not been sent yet.
    ///
    /// - Parameters:
    ///   - pause: the delay after a change; further changes during the delay are sent with it.
    ///   - text: returns the present status.
    ///   - send: sends a status that differs from the previous one.
    package nonisolated init(
        pause: Duration = .seconds(1), text: @escaping @DBusActor () -> String,
        send: @escaping @DBusActor (String) -> Void
    ) {
        self.pause = pause
        self.text = text
        self.send = send
    }

    /// Records that the status may have changed.
    package func scheduleUpdate() {
        guard timer == nil else { return }
        timer = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.update() }
    }

    /// Sends the present status now, unless it was the last one sent.
    package func update() {
        timer?.cancel()
        timer = nil
        let new = text()
        guard new != lastLine else { return }
        lastLine = new
        send(new)
    }
}

/// The daemon side of the service manager watchdog, which sends keep-alives while the bus thread and all lists answer.
///
/// A round begins on the bus thread and asks each list. When all have answered, a keep-alive is sent; after a pause, the
/// next round begins. A list that is lent answers when it is back: a job that hangs stops the rounds, and the keep-alives
/// (sd_watchdog_enabled(3)).
@DBusActor
package final class Watchdog {
    /// A question whether a list is alive, which calls `answer` on any thread.
    package typealias Question = @DBusActor (_ answer: @escaping @Sendable () -> Void) -> Void

    private enum Round {
        case resting
        /// Waiting for `left` answers.
        case asking(left: Int)
        case ended
    }

    /// The minimum pause between rounds, even if the manager expects keep-alives more often.
    private nonisolated static let shortestPause = Duration.milliseconds(10)

    private let pause: Duration
    private let questions: @DBusActor () -> [Question]
    private let feed: @DBusActor () -> Void
    private var round = Round.resting
    private var timer: LoopTimer?

    /// Makes a watchdog that has not started.
    ///
    /// - Parameters:
    ///   - interval: the manager's watchdog interval. Three keep-alives are sent in it, so that one may be late.
    ///   - questions: returns the questions of a round.
    ///   - feed: sends a keep-alive.
    package nonisolated init(
        interval: Duration, questions: @escaping @DBusActor () -> [Question], feed: @escaping @DBusActor () -> Void
    ) {
        pause = max(interval / 3, Self.shortestPause)
        self.questions = questions
        self.feed = feed
    }

    /// Begins a round; does nothing while a round is in progress.
    package func start() {
        guard case .resting = round else { return }
        let asked = questions()
        round = .asking(left: asked.count)
        guard !asked.isEmpty else { return finishRound() }
        for question in asked {
            question { [weak self] in EventLoop.shared.post { self?.recordAnswer() } }
        }
    }

    /// Ends the keep-alives.
    package func end() {
        round = .ended
        timer?.cancel()
        timer = nil
    }

    private func recordAnswer() {
        guard case .asking(let left) = round else { return }
        round = .asking(left: left - 1)
        if left == 1 { finishRound() }
    }

    private func finishRound() {
        feed()
        round = .resting
        timer = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.start() }
    }
}
