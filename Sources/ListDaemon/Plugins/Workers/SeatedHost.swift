@_spi(Daemon) internal import ListKit
internal import Synchronization

/// The host of a list that another one guards: in a worker, or in the daemon when the worker's plugin has failed.
///
/// What it yields within one turn of its executor comes out in one piece. When this goes, the host goes, on its own executor:
/// with it go the section controllers, which nobody else's thread may meet.
final class SeatedHost: Sendable {
    /// Takes what comes out, on the host's executor.
    typealias Output = @Sendable (HostOutput) -> Void

    /// What waits to come out.
    private final class Batch: @unchecked Sendable {
        // Sendable: touched on the host's executor only.
        var output = HostOutput(effects: [], preparedRequests: [])
    }

    /// The executor of the host.
    let executor: HostExecutor
    private let relay = HostRelay()
    /// What its section controllers are traced with, those too that it gets later.
    let tracer: CallTracer

    /// Makes the host of a list as it is; every transaction is stored before it is applied.
    init(_ setup: HostSetup, controllers: SectionControllerTable, tracer: CallTracer, output: @escaping Output) {
        let batch = Batch()
        let relay = relay
        let host = AdapterHost(
            configuration: setup.configuration, controllers: controllers, objects: setup.objects,
            revision: setup.revision, isStored: true, tracer: tracer
        ) { effects in
            guard let host = relay.host else { return }
            let isFirst = batch.output.effects.isEmpty
            batch.output.effects += effects
            if effects.contains(where: \.isPrepared) {
                batch.output.preparedRequests = host.assumeIsolated { $0.line.givenIDs }
            }
            guard isFirst else { return }
            host.executor.post {
                batch.output.times = tracer.takeTimes()
                output(batch.output)
                batch.output = HostOutput(effects: [], preparedRequests: [])
            }
        }
        self.tracer = tracer
        executor = host.executor
        relay.set(host)
        executor.post { host.assumeIsolated { $0.resume(setup) } }
    }

    deinit { executor.post { [relay] in relay.empty() } }

    /// The host.
    var host: AdapterHost? { relay.host }

    /// Hands over a command; it is handled after all that were sent before it.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func send(_ command: AdapterCommand, by user: UInt32? = nil) { relay.host?.send(command, by: user) }
}

/// The way to a host, also from its own sink, which is made first; what keeps the host until it is emptied.
private final class HostRelay: Sendable {
    private let reference = Mutex<AdapterHost?>(nil)

    var host: AdapterHost? { reference.withLock { $0 } }

    func set(_ host: AdapterHost) { reference.withLock { $0 = host } }

    func empty() {
        // What ends with the host ends here, and not under the lock.
        _ = reference.withLock { host in
            defer { host = nil }
            return host
        }
    }
}

extension AdapterEffect {
    fileprivate var isPrepared: Bool {
        if case .prepared = self { true } else { false }
    }
}

extension AdapterHost {
    /// Brings the host to where its list is: views go on, and what was selected is selected.
    fileprivate func resume(_ setup: HostSetup) {
        // What the host said of itself when it was made may have come before anybody could hear it.
        sink([.status(status)])
        if setup.isHeld { handle(.hold(true)) }
        for view in setup.views {
            guard let events = try? adapter.resumeView(view) else { continue }
            yield(events, about: view.id)
        }
        adapter.resumeSelection(setup.selection)
        lastSelection = adapter.selectedItems
        // Said also when nothing is left: whoever guards the host still has what was selected.
        sink([.selection(lastSelection)])
    }
}
