// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import ListKit
internal import ListSources
@_spi(Daemon) internal import PluginAPI
internal import Synchronization

/// The worker's side of a data source. It sends one event to the daemon at a time, and blocks the source until the
/// daemon has handled that event.
final class WorkerRuntimeSource: Sendable {
    /// The maximum size of the objects in one event, in bytes; a larger event is sent in parts.
    private static let pageBytes = 1 << 20

    private let runner: DataSourceRunner
    private let flow: EventFlow

    /// Prepares a data source, without running any of its code.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, crumbSlot: BreadcrumbSlot?,
        deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        let flow = EventFlow()
        self.flow = flow
        let tracer = crumbSlot.map { SourceTracer($0, name: entry.name, argument: argument) }
        runner = DataSourceRunner(entry, argument: argument, host: host, watcher: tracer) { event in
            // Each part is encoded after the previous one is handled, so a long list needs memory for one more part
            // only.
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

    /// Lets the source send its next event, as the daemon has handled the last one.
    func allowNextEvent() { flow.signal() }

    func stop(completion: @escaping @Sendable () -> Void) {
        flow.open()
        runner.stop(completion: completion)
    }
}

/// A gate that blocks a source until its event is handled. Once opened, it never blocks again.
final class EventFlow: Sendable {
    private let taken = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    /// Whether ``open()`` was called.
    var isOpened: Bool { isOpen.withLock { $0 } }

    /// Blocks until the event is handled, or the gate is opened.
    func wait() {
        guard !isOpen.withLock({ $0 }) else { return }
        taken.wait()
        // After `open()`, each thread that wakes up wakes the next one.
        if isOpen.withLock({ $0 }) { taken.signal() }
    }

    /// Unblocks the source, as its event is handled.
    func signal() { taken.signal() }

    /// Unblocks the source for good.
    func open() {
        isOpen.withLock { $0 = true }
        taken.signal()
    }
}

/// A watcher that writes breadcrumbs for the calls of one data source; used on the source's executor.
private final class SourceTracer: DataSourceWatcher, @unchecked Sendable {
    // Sendable: the source's executor owns the state, and every method is called there.
    private let slot: BreadcrumbSlot
    private let name: String
    private let argument: String
    private var stamp: UInt64 = 0
    private var calls: [Breadcrumb] = []

    init(_ slot: BreadcrumbSlot, name: String, argument: String) {
        self.slot = slot
        self.name = name
        self.argument = argument
    }

    func willCall(_ callback: DataSourceCallback) {
        listd_trace_thread()
        var call = Breadcrumb(kind: PluginCallback(callback), controller: name, object: argument)
        if case .write(let user, let request) = callback { (call.user, call.request) = (user, request) }
        calls.append(call)
        write()
    }

    func didCall() {
        calls.removeLast()
        write()
    }

    func willWait() { slot.setStamp(0) }

    func didWait() { write() }

    /// Writes the innermost call with a new stamp, so that a repeated call does not look like one that hangs.
    private func write() {
        guard let call = calls.last else { return slot.setStamp(0) }
        slot.write(call)
        stamp &+= 1
        slot.setStamp(stamp)
    }
}
