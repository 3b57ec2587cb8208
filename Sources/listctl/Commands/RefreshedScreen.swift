// SPDX-License-Identifier: Apache-2.0

import DBus
import Foundation
import Glibc

/// The terminal of a command that overwrites its own output again and again, until the user types q or Ctrl-C.
///
/// Until `close` restores the terminal, typed characters are not echoed.
@DBusActor
final class RefreshedScreen {
    private let saved: termios?
    private var keys: DescriptorWatch?
    private var signals: TerminalSignals?
    private var exitCode: ExitCode?
    private var pause: (timer: LoopTimer, next: CheckedContinuation<Void, Never>)?

    /// Takes over the terminal on standard output; nil when there is no terminal, or TERM says that it can only print
    /// lines.
    init?() {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? "dumb"
        guard isatty(STDOUT_FILENO) == 1, kind != "dumb" else { return nil }
        var mode = termios()
        // The C library fills in the mode.
        saved = unsafe tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
        // Signals are handled before the terminal changes, so that a signal at any time restores the terminal.
        signals = TerminalSignals { signal in
            EventLoop.shared.post { [weak self] in self?.handle(signal) }
        }
        Output.write("\u{1B}[?25l")
        guard saved != nil else { return }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The C library copies the mode.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        keys = try? EventLoop.shared.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.readKeys() }
    }

    /// Overwrites what is on the terminal. The caller must leave out lines that do not fit.
    func show(_ lines: [String]) {
        Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J")
    }

    /// Waits for the delay, or until the terminal is resized. Returns the exit code when the user typed q or a signal
    /// must end the program, else nil.
    func wait(_ delay: Duration) async -> ExitCode? {
        if let exitCode { return exitCode }
        await withCheckedContinuation { next in
            pause = (EventLoop.shared.addTimer(after: delay) { [weak self] in self?.endWait() }, next)
        }
        return exitCode
    }

    /// Restores the terminal. The last output stays on it.
    func close() {
        keys?.cancel()
        signals?.cancel()
        Output.write("\u{1B}[?25h\n")
        guard var mode = saved else { return }
        // The C library copies the mode.
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    private func handle(_ signal: TerminalSignal) {
        if case .ended(let number) = signal { exitCode = .ended(by: number) }
        endWait()
    }

    private func readKeys() {
        var bytes = [UInt8](repeating: 0, count: 256)
        // The C library fills in the bytes.
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0, !bytes.prefix(count).contains(UInt8(ascii: "q")) { return }
        if count <= 0 { keys?.cancel() }
        exitCode = .done
        endWait()
    }

    private func endWait() {
        guard let (timer, next) = pause else { return }
        pause = nil
        timer.cancel()
        next.resume()
    }
}
