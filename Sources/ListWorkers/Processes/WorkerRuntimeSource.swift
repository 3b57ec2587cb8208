// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// A data source in its worker: one event is on its way to the daemon at a time, and the source waits meanwhile.
final class WorkerRuntimeSource: Sendable {
    /// How many bytes of objects go to the daemon at once.
    private static let pageBytes = 1 << 20

    private let runner: DataSourceRunner
    private let flow: EventFlow

    /// Prepares a data source; nothing of it runs yet.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, crumb: BreadcrumbSlot?,
        deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        let flow = EventFlow()
        self.flow = flow
        let tracer = crumb.map { SourceTracer($0, name: entry.name, argument: argument) }
        runner = DataSourceRunner(entry, argument: argument, host: host, watcher: tracer) { event in
            // One part is on its way at a time, so that a long list takes no more memory than itself and a page.
            for part in SourceEvent(event).parts(ofBytes: Self.pageBytes) where !flow.isOpened {
                deliver(part)
                flow.wait()
            }
        }
    }

    func make(completion: @escaping @Sendable (Result<DataSourceTraits, ListError>) -> Void) {
        runner.makeWithTraits(completion: completion)
    }

    func start(at cursor: [UInt8]?) { runner.start(at: cursor) }

    func write(_ write: DataSourceWrite) { runner.write(write) }

    /// The daemon has taken the last event.
    func eventWasTaken() { flow.go() }

    func stop(completion: @escaping @Sendable () -> Void) {
        flow.open()
        runner.stop(completion: completion)
    }
}

/// Lets a source go on when its event was taken; for good once it is open.
final class EventFlow: Sendable {
    private let taken = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    /// Whether nobody waits any more.
    var isOpened: Bool { isOpen.withLock { $0 } }

    /// Waits until the event was taken.
    func wait() {
        guard !isOpen.withLock({ $0 }) else { return }
        taken.wait()
        // Each thread that goes on lets another one go, however many there are.
        if isOpen.withLock({ $0 }) { taken.signal() }
    }

    /// The event was taken.
    func go() { taken.signal() }

    /// Nobody waits any more.
    func open() {
        isOpen.withLock { $0 = true }
        taken.signal()
    }
}

/// Leaves breadcrumbs of the calls of one data source; used on the source's executor.
private final class SourceTracer: DataSourceWatcher, @unchecked Sendable {
    // Sendable: the source's executor owns the state, every method is called there.
    private let slot: BreadcrumbSlot
    private let name: String
    private let argument: String
    private var stamp: UInt64 = 0
    private var calls: [(callback: PluginCallback, cause: CallCause?)] = []

    init(_ slot: BreadcrumbSlot, name: String, argument: String) {
        self.slot = slot
        self.name = name
        self.argument = argument
    }

    func willCall(_ callback: DataSourceCallback) {
        calls.append((PluginCallback(callback), CallCause(callback)))
        write()
    }

    func didCall() {
        calls.removeLast()
        write()
    }

    func willWait() { slot.setStamp(0) }

    func didWait() { write() }

    /// A new stamp each time, so that a call that is repeated does not look like one that hangs.
    private func write() {
        guard let call = calls.last else { return slot.setStamp(0) }
        slot.write(call.callback, controller: name, object: argument, cause: call.cause)
        stamp &+= 1
        slot.setStamp(stamp)
    }
}

extension CallCause {
    /// On whose behalf a data source is called; nil = its own.
    fileprivate init?(_ callback: DataSourceCallback) {
        guard case .write(let user, let request) = callback else { return nil }
        self.init(user: user, request: request)
    }
}
