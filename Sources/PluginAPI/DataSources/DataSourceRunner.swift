internal import Dispatch

/// Runs one data source on an executor of its own; what the daemon, a worker and tests of plugins hold.
public final class DataSourceRunner: Sendable {
    private enum State {
        case new
        case running(any DataSource, DataSourceContext)
        case stopped
    }

    /// The source and what it works with; touched on `queue` only.
    private final class Owned: @unchecked Sendable {
        // Owned by the runner's serial queue.
        var state = State.new
    }

    private let queue: DispatchQueue
    private let owned = Owned()
    private let entry: DataSourceEntry
    private let host: PluginHost
    private let argument: String
    private let gate: SinkGate

    /// Prepares a source; nothing of it runs yet.
    ///
    /// - Parameters:
    ///   - entry: how it is made.
    ///   - argument: what follows the `?` in the list's source.
    ///   - host: the plugin's settings and log.
    ///   - deliver: gets its events, in order, from any thread; it may wait to slow the source down.
    public init(
        _ entry: DataSourceEntry, argument: String, host: PluginHost,
        deliver: @escaping @Sendable (DataSourceEvent) -> Void
    ) {
        self.entry = entry
        self.argument = argument
        self.host = host
        gate = SinkGate(deliver)
        queue = DispatchQueue(label: "org.listd.source.\(entry.name)")
    }

    /// Makes the source, and starts it if that went well.
    ///
    /// - Parameter completion: called on the source's executor: the error of a source that could not even be made, such as
    ///   an argument that makes no sense. What goes wrong later is an event.
    public func start(completion: @escaping @Sendable (ListError?) -> Void = { _ in }) {
        queue.async { [self] in
            guard case .new = owned.state else { return completion(nil) }
            let gate = gate
            let context = DataSourceContext(
                argument: argument, host: host, sink: DataSourceSink { gate.deliver($0) }, queue: queue)
            do {
                let source = try entry.make(context)
                owned.state = .running(source, context)
                completion(nil)
                begin(source)
            } catch {
                context.cancelAll()
                completion(ListError(dataSource: error))
            }
        }
    }

    private func begin(_ source: any DataSource) {
        do { try source.start() } catch { gate.deliver(.failed(ListError(dataSource: error).message)) }
    }

    /// Ends the source; events stop at once, `completion` is called on the source's executor when it has stopped.
    public func stop(completion: @escaping @Sendable () -> Void = {}) {
        gate.close()
        queue.async { [self] in
            if case .running(let source, let context) = owned.state {
                context.cancelAll()
                source.stop()
            }
            owned.state = .stopped
            completion()
        }
    }
}
