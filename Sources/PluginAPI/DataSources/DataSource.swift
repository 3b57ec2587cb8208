// SPDX-License-Identifier: Apache-2.0

/// A data source, which fills a list from outside, such as from a directory, a device or a service.
///
/// listd makes a data source for each list whose option `source` is `PLUGIN/SOURCE?argument`. All methods of the
/// source, and all callbacks that it starts through its ``DataSourceContext``, run one after the other on the
/// source's own executor. So no locks are needed, and a source that blocks does not block other lists.
///
/// ```swift
/// final class LoadAverage: DataSource {
///     private let context: DataSourceContext
///     init(_ context: DataSourceContext) { self.context = context }
///
///     func start() {
///         context.poll(every: .seconds(1)) { [try ListObject(id: "load", type: "load", fields: readLoad())] }
///     }
/// }
/// ```
public protocol DataSource: AnyObject {
    /// Begins to read; called once.
    ///
    /// - Throws: The error that prevents the source from reading at all. The list's state becomes `failed` with the
    ///   error's text. A source that can recover reports ``DataSourceSink/failed(_:)`` instead, and continues.
    func start() throws

    /// Ends reading; called at most once, and no other call follows.
    ///
    /// Timers and descriptors of the context are already cancelled, and events sent to the sink are dropped. So close
    /// only the resources that the source opened by itself.
    func stop()
}

extension DataSource {
    /// Does nothing.
    public func stop() {}
}
