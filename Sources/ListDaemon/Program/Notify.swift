// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

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
