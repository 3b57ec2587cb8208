import Dispatch
import Synchronization

/// What goes to the terminal, written by a queue of its own: a terminal that nobody reads holds up nothing else.
///
/// Of the screens that were drawn while one is being written only the newest is written next.
final class TerminalOutput: Sendable {
    private let queue = DispatchQueue(label: "org.listd.listctl.terminal")
    /// The screen that is written next, when none of it is written yet.
    private let waiting = Mutex<String?>(nil)

    /// Writes all of a text.
    ///
    /// A terminal that has gone also ends standard input, which is how its loss is noticed.
    func write(_ text: String) {
        queue.async { try? StandardDescriptor.output.write(text) }
    }

    /// Writes a screen, unless a newer one comes before its turn.
    func draw(_ screen: String) {
        let isAwaited = waiting.withLock { waiting in
            defer { waiting = screen }
            return waiting != nil
        }
        guard !isAwaited else { return }
        queue.async { [self] in
            let newest = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            if let newest { try? StandardDescriptor.output.write(newest) }
        }
    }

    /// Writes a last text, in place of a screen that waits; answers whether the terminal took it in `seconds`.
    ///
    /// When it did not, what is left is lost with the process: nobody looks.
    func end(with text: String, within seconds: Double) -> Bool {
        waiting.withLock { $0 = nil }
        let taken = DispatchGroup()
        queue.async(group: taken) { try? StandardDescriptor.output.write(text) }
        return taken.wait(timeout: .now() + seconds) == .success
    }
}
