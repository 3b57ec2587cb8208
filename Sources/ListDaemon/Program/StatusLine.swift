// SPDX-License-Identifier: Apache-2.0

package import DBus

/// One line that says how much there is, for `systemctl status`: sent again when it has changed, but not more often than
/// the eye can follow.
@DBusActor
package final class StatusLine {
    private let pause: Duration
    private let text: @DBusActor () -> String
    private let send: @DBusActor (String) -> Void
    private var lastLine = ""
    private var timer: LoopTimer?

    /// Makes a line that has reported nothing.
    ///
    /// - Parameters:
    ///   - pause: how long after a change the line is reported; further changes meanwhile are reported with it.
    ///   - text: what is true now.
    ///   - send: takes a line that differs from the one before.
    package nonisolated init(
        pause: Duration = .seconds(1), text: @escaping @DBusActor () -> String,
        send: @escaping @DBusActor (String) -> Void
    ) {
        self.pause = pause
        self.text = text
        self.send = send
    }

    /// Something has changed that the line may speak of.
    package func changed() {
        guard timer == nil else { return }
        timer = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.update() }
    }

    /// Says the line now, unless it is what was sent last.
    package func update() {
        timer?.cancel()
        timer = nil
        let new = text()
        guard new != lastLine else { return }
        lastLine = new
        send(new)
    }
}
