/// Fills a list from outside: a directory, a device, a service.
///
/// listd makes one for each list whose source names it, as `PLUGIN/SOURCE?argument`. All its methods, and everything
/// that it starts through its ``DataSourceContext``, run one after the other on an executor of its own: no locks are
/// needed, and a source that waits keeps nobody else waiting.
///
/// ```swift
/// final class LoadAverage: DataSource {
///     private let context: DataSourceContext
///     init(_ context: DataSourceContext) { self.context = context }
///
///     func start() {
///         context.poll(every: .seconds(1)) { [ListObject(id: "load", type: "load", fields: try readLoad())] }
///     }
/// }
/// ```
public protocol DataSource: AnyObject {
    /// Begins to read; called once.
    ///
    /// - Throws: What keeps the source from reading at all: the list's state becomes `failed` with the error's text.
    ///   A source that waits for better times reports ``DataSourceSink/failed(_:)`` instead, and goes on.
    func start() throws

    /// Ends reading; called at most once, and nothing afterwards.
    ///
    /// Timers and descriptors of the context are ended already, and what is sent to the sink is dropped: only what the
    /// source opened by itself needs to be closed.
    func stop()
}

extension DataSource {
    /// Does nothing.
    public func stop() {}
}

/// What a data source tells its list.
public enum DataSourceEvent: Sendable {
    /// The whole list; the engine finds out what changed.
    case replace([ListObject])
    /// Objects that are gone, then objects that are new or changed, in order.
    case changes(removed: [String], upserts: [UpdateRequest.Upsert])
    /// The source cannot be read for now; the list keeps what it has, and its state is `failed`.
    case failed(String)
    /// The source is read again, and nothing changed since.
    case ready
}

/// The way from a data source to its list; may be used from any thread or task.
///
/// Events arrive in the order they are sent. ``replace(_:)`` and ``changes(removed:upserts:)`` also end a failure. When
/// the list is far behind, sending waits until it has caught up.
public struct DataSourceSink: Sendable {
    private let deliver: @Sendable (DataSourceEvent) -> Void

    /// A sink that hands its events to a function.
    public init(_ deliver: @escaping @Sendable (DataSourceEvent) -> Void) {
        self.deliver = deliver
    }

    /// Sends one event.
    public func send(_ event: DataSourceEvent) { deliver(event) }

    /// Sends the whole list.
    public func replace(_ objects: [ListObject]) { deliver(.replace(objects)) }

    /// Sends what changed: identifiers to remove, unknown ones are no error; then objects to insert or update.
    public func changes(removed: [String] = [], upserts: [UpdateRequest.Upsert] = []) {
        deliver(.changes(removed: removed, upserts: upserts))
    }

    /// Says why the source cannot be read for now; one line that names the thing at fault.
    public func failed(_ message: String) { deliver(.failed(message)) }

    /// Says that the source is read again.
    public func ready() { deliver(.ready) }
}
