// SPDX-License-Identifier: Apache-2.0

/// Fills a list from outside: a directory, a device, a service.
///
/// listd makes one for each list whose source names it, as `PLUGIN/SOURCE?argument`. All its methods, and all callbacks
/// that it starts through its ``DataSourceContext``, run one after the other on an executor of its own: no locks are
/// needed, and a source that blocks does not block other lists.
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

    /// Ends reading; called at most once, and no other call follows.
    ///
    /// Timers and descriptors of the context have ended already, and events sent to the sink are dropped: close only
    /// what the source opened by itself.
    func stop()
}

extension DataSource {
    /// Does nothing.
    public func stop() {}
}
