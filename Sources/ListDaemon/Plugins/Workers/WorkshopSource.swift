internal import Dispatch
internal import ListKit
internal import PluginAPI
internal import Synchronization

/// A data source in its worker: one event is on its way to the daemon at a time, and the source waits meanwhile.
final class WorkshopSource: Sendable {
    private let runner: DataSourceRunner
    private let flow: EventFlow

    /// Prepares a data source; nothing of it runs yet.
    init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, crumb: BreadcrumbSlot?,
        deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        let flow = EventFlow()
        self.flow = flow
        let traced = entry.traced(crumb, argument: argument)
        runner = DataSourceRunner(traced, argument: argument, host: host) { event in
            deliver(SourceEvent(event))
            flow.wait()
        }
    }

    func make(completion: @escaping @Sendable (ListError?) -> Void) { runner.make(completion: completion) }

    func start() { runner.start() }

    /// The daemon has taken the last event.
    func eventWasTaken() { flow.go() }

    func stop(completion: @escaping @Sendable () -> Void) {
        flow.open()
        runner.stop(completion: completion)
    }
}

/// Lets a source go on when its event was taken; for good once it is open.
private final class EventFlow: Sendable {
    private let taken = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    func wait() {
        guard !isOpen.withLock({ $0 }) else { return }
        taken.wait()
    }

    func go() { taken.signal() }

    func open() {
        isOpen.withLock { $0 = true }
        // One event is on its way at most for each thread of the source: those that wait go on one after the other.
        for _ in 0..<64 { taken.signal() }
    }
}

extension DataSourceEntry {
    /// The same data source, whose making, start and end leave breadcrumbs.
    fileprivate func traced(_ crumb: BreadcrumbSlot?, argument: String) -> DataSourceEntry {
        guard let crumb else { return self }
        let place = SourceCrumb(slot: crumb, name: name, argument: argument)
        return .source(name) { context in
            TracedSource(try place.trace(.sourceMake) { try make(context) }, place)
        }
    }
}

/// Where the breadcrumbs of one data source go; used on the source's executor.
private struct SourceCrumb: Sendable {
    let slot: BreadcrumbSlot
    let name: String
    let argument: String

    func trace<Result>(_ kind: PluginCallback, _ body: () throws -> Result) rethrows -> Result {
        slot.write(kind, controller: name, object: argument)
        slot.setStamp(UInt64(kind.rawValue))
        defer { slot.setStamp(0) }
        return try body()
    }
}

private final class TracedSource: DataSource {
    private let source: any DataSource
    private let place: SourceCrumb

    init(_ source: any DataSource, _ place: SourceCrumb) {
        self.source = source
        self.place = place
    }

    func start() throws { try place.trace(.sourceStart) { try source.start() } }
    func stop() { place.trace(.sourceStop) { source.stop() } }
}
