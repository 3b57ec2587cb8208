// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// What a signal asks of the daemon.
package enum SignalRequest: Sendable, Equatable {
    /// End in order (SIGTERM, SIGINT).
    case terminate
    /// Reload the configuration (SIGHUP).
    case reload
}

/// Turns the process's signals into requests, until it is cancelled.
///
/// Dispatch owns the signal handlers; the sources belong to the serial queue made here, and so do all calls of the
/// receiver. SIGPIPE is ignored for good: a client that goes away is an error of a write, never a death.
package final class Signals: Sendable {
    // Set once; a dispatch source may be cancelled from any thread, and nothing else is done with it.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Begins to listen; a signal that comes after this returns is a request.
    package init(receiver: @escaping @Sendable (SignalRequest) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "org.listd.signals")
        let registered = DispatchGroup()
        let requests: [(Int32, SignalRequest)] = [(SIGTERM, .terminate), (SIGINT, .terminate), (SIGHUP, .reload)]
        unsafe sources = requests.map { number, request in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { receiver(request) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.wait()
    }

    /// Stops listening.
    package func cancel() {
        for source in unsafe sources { source.cancel() }
    }
}
