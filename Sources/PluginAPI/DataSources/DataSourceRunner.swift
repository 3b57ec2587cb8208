// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// A runner, which runs one data source on an executor of its own; used by the daemon, by workers and by tests of
/// plugins.
public final class DataSourceRunner: Sendable {
    private enum Lifecycle {
        case new
        case made(any DataSource, DataSourceContext)
        case running(any DataSource, DataSourceContext)
        case stopped
    }

    /// The state of the source; accessed on `queue` only.
    private final class Owned: @unchecked Sendable {
        // Owned by the runner's serial queue.
        fileprivate var state = Lifecycle.new
    }

    private let queue: DispatchQueue
    private let owned = Owned()
    private let entry: DataSourceEntry
    private let host: PluginHost
    private let argument: String
    private let gate: SinkGate
    private let calls: WatchedCalls

    /// Prepares a source, without running any of its code.
    ///
    /// - Parameters:
    ///   - entry: the data source.
    ///   - argument: the text after the `?` in the list's option `source`.
    ///   - host: the plugin's settings and log.
    ///   - deliver: called with the source's events, in order, on any thread; it may block to slow the source down.
    public convenience init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost,
        deliver: @escaping @Sendable (DataSourceEvent) -> Void
    ) {
        self.init(entry, argument: argument, host: host, watcher: nil, deliver: deliver)
    }

    /// Prepares a source whose callbacks are watched.
    ///
    /// - Parameter watcher: called before and after every call of the source's code.
    @_spi(Daemon) public init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost, watcher: (any DataSourceWatcher)?,
        deliver: @escaping @Sendable (DataSourceEvent) -> Void
    ) {
        self.entry = entry
        self.argument = argument
        self.host = host
        gate = SinkGate(deliver)
        queue = DispatchQueue(label: "org.listd.source.\(entry.name)")
        calls = WatchedCalls(on: queue, watcher)
    }

    /// Makes the source, without starting it.
    ///
    /// - Parameter completion: called on the source's executor; with an error if the source cannot be made, such as
    ///   for a wrong argument.
    public func make(completion: @escaping @Sendable (ListError?) -> Void) {
        makeWithTraits { traits in
            if case .failure(let error) = traits { completion(error) } else { completion(nil) }
        }
    }

    /// Makes the source, like ``make(completion:)``, and passes its properties to the completion.
    @_spi(Daemon) public func makeWithTraits(
        completion: @escaping @Sendable (Result<DataSourceTraits, ListError>) -> Void
    ) {
        queue.async { [self] in
            guard case .new = owned.state else { return completion(.success(DataSourceTraits())) }
            let context = DataSourceContext(
                argument: argument, host: host, sink: makeSink(), queue: queue, calls: calls)
            do {
                let (source, traits) = try calls.call(.make) {
                    let source = try entry.make(context)
                    return (source, DataSourceTraits(source))
                }
                owned.state = .made(source, context)
                completion(.success(traits))
            } catch {
                context.cancelAll()
                owned.state = .stopped
                completion(.failure(ListError(making: error, argument: argument, settings: host.settings)))
            }
        }
    }

    private func makeSink() -> DataSourceSink {
        let (gate, calls, queue) = (gate, calls, queue)
        return DataSourceSink { event in
            // A section controller sends this event. Its list cannot handle the event before the callback returns, so the
            // source's executor waits for the list, and the callback does not.
            guard !ListThread.isCurrent else { return queue.async { calls.wait { gate.deliver(event) } } }
            calls.wait { gate.deliver(event) }
        }
    }

    /// Starts the source as soon as it is made. Later errors are sent as events.
    public func start() { start(at: nil) }

    /// Starts the source from a cursor, as soon as it is made.
    ///
    /// - Parameter cursor: the cursor that was stored with the list's present objects; `nil` = the source starts from
    ///   the beginning.
    public func start(at cursor: [UInt8]?) {
        queue.async { [self] in
            guard case .made(let source, let context) = owned.state else { return }
            owned.state = .running(source, context)
            context.setCursor(cursor)
            do { try calls.call(.start) { try source.start() } } catch {
                gate.deliver(.failed(ListError(dataSource: error).message))
            }
        }
    }

    /// Passes a client's write to the source, which answers with ``DataSourceEvent/written(_:_:)``.
    public func write(_ write: DataSourceWrite) {
        queue.async { [self] in
            guard case .running(let source, _) = owned.state, let source = source as? any WritableDataSource else {
                let error = ListError(
                    .sourceUnavailable, "the data source \(entry.name.quoted) accepts no writes now")
                return gate.deliver(.written(write.id, error))
            }
            do {
                try calls.call(.write(user: write.user, request: write.id)) { try source.write(write) }
            } catch {
                gate.deliver(.written(write.id, ListError(dataSource: error)))
            }
        }
    }

    /// Stops the source. Its events are dropped from now on. `completion` is called on the source's executor when the
    /// source has stopped.
    public func stop(completion: @escaping @Sendable () -> Void = {}) {
        gate.close()
        queue.async { [self] in
            switch owned.state {
            case .running(let source, let context):
                context.cancelAll()
                calls.call(.stop) { source.stop() }
            case .made(_, let context): context.cancelAll()
            case .new, .stopped: break
            }
            owned.state = .stopped
            completion()
        }
    }
}

/// Properties of a data source that are known once it is made.
@_spi(Daemon) @frozen public struct DataSourceTraits: Sendable, Hashable {
    /// Whether clients may write to lists of the source.
    public var acceptsWrites: Bool

    /// Makes the properties of a source.
    public init(acceptsWrites: Bool = false) {
        self.acceptsWrites = acceptsWrites
    }

    init(_ source: any DataSource) {
        acceptsWrites = (source as? any WritableDataSource)?.acceptsWrites ?? false
    }
}

/// The callbacks of a data source.
@_spi(Daemon) @frozen public enum DataSourceCallback: Sendable {
    /// The initializer.
    case make
    /// ``DataSource/start()``.
    case start
    /// ``DataSource/stop()``.
    case stop
    /// A timer of ``DataSourceContext``.
    case timer
    /// A readable descriptor of ``DataSourceContext``.
    case descriptor
    /// ``WritableDataSource/write(_:)``, with the user who writes and the number of the write.
    case write(user: UInt32, request: UInt64)
}

/// An observer of a data source's callbacks, called on the source's executor. With it a callback that never returns
/// can be identified.
@_spi(Daemon) public protocol DataSourceWatcher: Sendable {
    /// Called before each callback.
    func willCall(_ callback: DataSourceCallback)
    /// Called after each callback.
    func didCall()
    /// Called when a callback blocks because the list cannot keep up. The waiting time does not count as time of the
    /// callback.
    func willWait()
    /// Called when the callback continues.
    func didWait()
    /// Runs a callback, between `willCall` and `didCall`; by default on the source's executor.
    func perform(_ body: () -> Void)
}

extension DataSourceWatcher {
    /// Runs a callback at once, on the source's executor.
    public func perform(_ body: () -> Void) { body() }
}

/// A wrapper for the callbacks of one data source, which reports them to a watcher, if there is one.
struct WatchedCalls: Sendable {
    private static let home = DispatchSpecificKey<ObjectIdentifier>()

    private let watcher: (any DataSourceWatcher)?
    private let queue: DispatchQueue

    /// Makes a wrapper for callbacks on a source's queue.
    init(on queue: DispatchQueue, _ watcher: (any DataSourceWatcher)?) {
        self.watcher = watcher
        self.queue = queue
        if watcher != nil { queue.setSpecific(key: Self.home, value: ObjectIdentifier(queue)) }
    }

    /// Runs a callback.
    func call<Value, Failure: Error>(
        _ callback: DataSourceCallback, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let watcher else { return try body() }
        watcher.willCall(callback)
        defer { watcher.didCall() }
        var outcome: Result<Value, Failure>?
        watcher.perform {
            outcome = Result { () throws(Failure) in try body() }
        }
        guard let outcome else { return try body() }
        return try outcome.get()
    }

    /// Runs code that may block until the list has caught up. Reports the wait only on the source's queue, as a wait on
    /// another thread delays no callback.
    func wait(_ body: () -> Void) {
        guard let watcher, DispatchQueue.getSpecific(key: Self.home) == ObjectIdentifier(queue) else { return body() }
        watcher.willWait()
        body()
        watcher.didWait()
    }
}

/// The mark of a thread that runs the work of a list, such as a callback of a section controller.
///
/// Such a thread must not wait until a list has handled an event of a data source, because that list may be its own.
@_spi(Daemon) public enum ListThread {
    /// The number of nested pieces of work, in the thread's own value for this key.
    private static let depth: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Whether the current thread runs the work of a list.
    static var isCurrent: Bool { depth.map { unsafe pthread_getspecific($0) != nil } ?? false }

    /// Marks the current thread until the matching ``end()``.
    public static func begin() { add(1) }

    /// Ends the mark of the last ``begin()``.
    public static func end() { add(-1) }

    private static func add(_ count: Int) {
        guard let depth else { return }
        let new = unsafe Int(bitPattern: pthread_getspecific(depth)) + count
        unsafe pthread_setspecific(depth, UnsafeRawPointer(bitPattern: new))
    }
}
