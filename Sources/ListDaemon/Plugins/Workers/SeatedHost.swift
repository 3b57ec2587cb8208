@_spi(Daemon) internal import ListKit
internal import Synchronization

/// The host of a list that another one guards: in a worker, or in the daemon when the worker's plugin has failed.
///
/// What it yields within one turn of its executor comes out in one piece.
final class SeatedHost: Sendable {
    /// Takes what comes out, on the host's executor.
    typealias Output = @Sendable (HostOutput) -> Void

    /// What waits to come out.
    private final class Batch: @unchecked Sendable {
        // Sendable: touched on the host's executor only.
        var output = HostOutput(effects: [], preparedRequests: [])
    }

    /// The host.
    let host: AdapterHost
    private let tracer: CallTracer

    /// Makes the host of a list as it is; every transaction is stored before it is applied.
    init(_ setup: HostSetup, controllers: SectionControllerTable, tracer: CallTracer, output: @escaping Output) {
        let batch = Batch()
        let relay = HostRelay()
        host = AdapterHost(
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
        relay.host = host
        let host = host
        host.executor.post { host.assumeIsolated { $0.resume(setup) } }
    }
}

/// The way from a host's sink back to the host; the sink is made first.
private final class HostRelay: Sendable {
    private let reference = Mutex<AdapterHost?>(nil)

    var host: AdapterHost? {
        get { reference.withLock { $0 } }
        set { reference.withLock { $0 = newValue } }
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
        for item in setup.selection {
            guard let (_, events) = try? adapter.selectItem(item.item, ofObject: item.objectID) else { continue }
            yield(events)
        }
    }
}
