// SPDX-License-Identifier: Apache-2.0

package import DBus

/// One line that says how much there is, for `systemctl status`: said again when it has changed, but not more often than
/// the eye can follow.
@DBusActor
package final class StatusLine {
    private let pause: Duration
    private let text: @DBusActor () -> String
    private let say: @DBusActor (String) -> Void
    private var said = ""
    private var timer: LoopTimer?

    /// Makes a line that has said nothing.
    ///
    /// - Parameters:
    ///   - pause: how long after a change the line is said; further changes meanwhile are said with it.
    ///   - text: what is true now.
    ///   - say: takes a line that differs from the one before.
    package nonisolated init(
        pause: Duration = .seconds(1), text: @escaping @DBusActor () -> String,
        say: @escaping @DBusActor (String) -> Void
    ) {
        self.pause = pause
        self.text = text
        self.say = say
    }

    /// Something has changed that the line may speak of.
    package func changed() {
        guard timer == nil else { return }
        timer = EventLoop.shared.addTimer(after: pause) { [weak self] in self?.update() }
    }

    /// Says the line now, unless it is what was said last.
    package func update() {
        timer?.cancel()
        timer = nil
        let new = text()
        guard new != said else { return }
        said = new
        say(new)
    }
}
