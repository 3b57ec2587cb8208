// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// What a signal says to a program that has taken over the terminal.
enum TerminalSignal: Sendable, Equatable {
    /// The terminal has another size (SIGWINCH).
    case resized
    /// The program has to end in order: by this signal.
    case ended(Int32)
}

/// Tells of the signals that concern the terminal, until it is cancelled.
///
/// Dispatch owns the signal handlers; the sources belong to the serial queue made here, and so do all calls of the
/// receiver. The receiver is `@Sendable` so that it belongs to no actor: whoever needs one goes there by itself.
final class TerminalSignals: Sendable {
    // Set once; a dispatch source may be cancelled from any thread, and nothing else is done with it.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Begins to listen; a signal that comes after this returns is told.
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
