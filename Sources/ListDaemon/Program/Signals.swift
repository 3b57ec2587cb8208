// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// A request to the daemon by a signal, or by a call that ends the daemon.
package enum SignalRequest: Sendable, Equatable {
    /// Stop the daemon in an orderly way (SIGTERM, SIGINT).
    case terminate
    /// Reload the configuration (SIGHUP).
    case reload
    /// Stop in an orderly way, to be started again (`Manager.Restore`).
    case restart
}

/// A receiver of the process's signals that turns them into requests, until it is cancelled.
///
/// Dispatch owns the signal handlers. The sources, and all calls of the receiver, run on the serial queue that the
/// initialiser makes. SIGPIPE is ignored permanently: a departed client causes an error of a write, and does not end
/// the process.
package final class Signals: Sendable {
    // The property is set once, and only `cancel` is called on its elements, which any thread may do.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    /// Starts to receive signals; every signal after the return becomes a request.
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

    /// Stops receiving signals.
    package func cancel() {
        for source in unsafe sources { source.cancel() }
    }
}
