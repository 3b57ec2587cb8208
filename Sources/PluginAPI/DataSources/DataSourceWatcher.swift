// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

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
