// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Tells the service manager how the daemon is (sd_notify(3)); without one it does nothing.
package struct Notify: Sendable {
    /// Messages to the service manager.
    package enum Message: Sendable, Equatable {
        /// The lists are restored and the name is owned.
        case ready
        /// The configuration is being read anew; ``ready`` follows.
        case reloading
        /// The daemon is ending.
        case stopping
        /// One line for `systemctl status`.
        case status(String)
        /// The daemon is alive; at least one in each ``watchdogInterval``.
        case watchdog
    }

    /// Makes a notifier for the manager that started this process, as `$NOTIFY_SOCKET` names it.
    package init() {}

    /// Sends messages together in one datagram; answers whether a manager took them.
    @discardableResult
    package func send(_ messages: Message...) -> Bool {
        unsafe sd_notify(0, messages.map(Self.text).joined(separator: "\n")) > 0
    }

    /// How long the manager waits for a sign of life; nil when it does not watch this process (sd_watchdog_enabled(3)).
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

    /// A reload is recognised by the time it began (`Type=notify-reload`, systemd.service(5)).
    private static func monotonicMicroseconds() -> UInt64 {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) &* 1_000_000 &+ UInt64(clamping: time.tv_nsec / 1000)
    }
}
