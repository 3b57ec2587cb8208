// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc

/// The terminal of a command that overwrites its own lines again and again, until somebody types q or Ctrl-C.
///
/// Input is not echoed meanwhile; `close` restores the terminal.
@DBusActor
final class RefreshedScreen {
    private let saved: termios?
    private var keys: DescriptorWatch?
    private var signals: TerminalSignals?
    private var ended: ExitCode?
    private var pause: (timer: LoopTimer, next: CheckedContinuation<Void, Never>)?

    /// Takes over the terminal on standard output; nil when there is none, or one that only prints lines.
    init?() {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        guard isatty(STDOUT_FILENO) == 1, kind != "dumb" else { return nil }
        var mode = termios()
        // The C library fills in the mode.
        saved = unsafe tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
        // First, so that the terminal is restored whenever a signal comes.
        signals = TerminalSignals { signal in
            EventLoop.shared.post { [weak self] in self?.received(signal) }
        }
        Output.write("\u{1B}[?25l")
        guard saved != nil else { return }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The mode is copied.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        keys = try? EventLoop.shared.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.readKeys() }
    }

    /// Overwrites the former text; lines that do not fit must be left out.
    func show(_ lines: [String]) {
        Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
    }

    /// Waits, less long when the terminal is resized; returns the exit code when a signal or a key asks for the end.
    func wait(_ delay: Duration) async -> ExitCode? {
        if let ended { return ended }
        await withCheckedContinuation { next in
            pause = (EventLoop.shared.addTimer(after: delay) { [weak self] in self?.goOn() }, next)
        }
        return ended
    }

    /// Restores the terminal, with the last lines on it.
    func close() {
        keys?.cancel()
        signals?.cancel()
        Output.write("\u{1B}[?25h\n")
        guard var mode = saved else { return }
        // The mode is copied.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    private func received(_ signal: TerminalSignal) {
        if case .ended(let number) = signal { ended = .ended(by: number) }
        goOn()
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The C library fills in the bytes.
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0, !bytes.prefix(count).contains(UInt8(ascii: "q")) { return }
        if count <= 0 { keys?.cancel() }
        ended = .done
        goOn()
    }

    private func goOn() {
        guard let (timer, next) = pause else { return }
        pause = nil
        timer.cancel()
        next.resume()
    }
}
