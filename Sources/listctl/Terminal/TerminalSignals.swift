// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The meaning of a signal for a program that has taken over the terminal.
enum TerminalSignal: Sendable, Equatable {
    /// The terminal was resized (SIGWINCH).
    case resized
    /// The program must restore the terminal and end by this signal.
    case ended(Int32)
}

/// A listener that reports the signals that concern the terminal, until it is cancelled.
///
/// Dispatch owns the signal handlers. The receiver is called on a serial queue of this class. It is `@Sendable`, so it
/// is isolated to no actor, and has to enter one itself if needed.
final class TerminalSignals: Sendable {
    // Constant; a dispatch source may be cancelled from any thread, and nothing else is called on it.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Starts listening. Every signal that arrives after the initializer has returned is reported.
    init(receiver: @escaping @Sendable (TerminalSignal) -> Void) {
        let queue = DispatchQueue(label: "org.listd.listctl.signals")
        let registered = DispatchGroup()
        unsafe sources = [SIGWINCH, SIGHUP, SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receiver(number == SIGWINCH ? .resized : .ended(number)) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.wait()
    }

    /// Stops listening.
    func cancel() {
        for source in unsafe sources { source.cancel() }
    }
}
