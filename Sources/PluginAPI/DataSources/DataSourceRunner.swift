// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Runs one data source on an executor of its own; for the daemon, a worker and tests of plugins.
public final class DataSourceRunner: Sendable {
    private enum State {
        case new
        case made(any DataSource, DataSourceContext)
        case running(any DataSource, DataSourceContext)
        case stopped
    }

    /// The source and its context; used on `queue` only.
    private final class Owned: @unchecked Sendable {
        // Owned by the runner's serial queue.
        fileprivate var state = State.new
    }

    private let queue: DispatchQueue
    private let owned = Owned()
    private let entry: DataSourceEntry
    private let host: PluginHost
    private let argument: String
    private let gate: SinkGate
    private let calls: WatchedCalls

    /// Prepares a source; nothing of it runs yet.
    ///
    /// - Parameters:
    ///   - entry: the data source.
    ///   - argument: the text after the `?` in the list's source.
    ///   - host: the plugin's settings and log.
    ///   - deliver: gets its events, in order, from any thread; it may wait to slow the source down.
    public convenience init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost,
        deliver: @escaping @Sendable (DataSourceEvent) -> Void
    ) {
        self.init(entry, argument: argument, host: host, watcher: nil, deliver: deliver)
    }

    /// Prepares a source whose calls are watched.
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

    /// Makes the source; it does not run yet.
    ///
    /// - Parameter completion: called on the source's executor, with the error of a source that cannot be made, such as
    ///   for a wrong argument.
    public func make(completion: @escaping @Sendable (ListError?) -> Void) {
        makeWithTraits { traits in
            if case .failure(let error) = traits { completion(error) } else { completion(nil) }
        }
    }

    /// Makes the source, like ``make(completion:)``, and returns its properties.
    @_spi(Daemon) public func makeWithTraits(
        completion: @escaping @Sendable (Result<DataSourceTraits, ListError>) -> Void
    ) {
        queue.async { [self] in
            guard case .new = owned.state else { return completion(.success(DataSourceTraits())) }
            let (gate, calls) = (gate, calls)
            let context = DataSourceContext(
                argument: argument, host: host,
                sink: DataSourceSink { event in calls.wait { gate.deliver(event) } }, queue: queue, calls: calls)
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

    /// Starts the source, once it was made; later errors are events.
    public func start() { start(at: nil) }

    /// Starts the source from its cursor, once it was made.
    ///
    /// - Parameter cursor: the cursor of the list's present objects; `nil` = the source starts from the beginning.
    public func start(at cursor: [UInt8]?) {
        queue.async { [self] in
            guard case .made(let source, let context) = owned.state else { return }
            owned.state = .running(source, context)
            context.begin(at: cursor)
            do { try calls.call(.start) { try source.start() } } catch {
                gate.deliver(.failed(ListError(dataSource: error).message))
            }
        }
    }

    /// Passes a write to the source, which answers with ``DataSourceEvent/written(_:_:)``.
    public func write(_ write: DataSourceWrite) {
        queue.async { [self] in
            guard case .running(let source, _) = owned.state, let source = source as? any WritableDataSource else {
                return gate.deliver(
                    .written(
                        write.id, ListError(.sourceUnavailable, "the data source \(entry.name) cannot be written now")))
            }
            do {
                try calls.call(.write(user: write.user, request: write.id)) { try source.write(write) }
            } catch {
                gate.deliver(.written(write.id, ListError(dataSource: error)))
            }
        }
    }

    /// Ends the source; events stop at once, `completion` is called on the source's executor when it has stopped.
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
    /// Whether clients may write to its list.
    public var acceptsWrites: Bool

    /// Describes a source.
    public init(acceptsWrites: Bool = false) {
        self.acceptsWrites = acceptsWrites
    }

    init(_ source: any DataSource) {
        acceptsWrites = (source as? any WritableDataSource)?.acceptsWrites ?? false
    }
}
