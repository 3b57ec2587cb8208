// SPDX-License-Identifier: Apache-2.0

package import DBus

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
