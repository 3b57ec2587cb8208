// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The calls of a data source's code.
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
    /// ``WritableDataSource/write(_:)``, for a user: the number of the request, by which listd counts those of the
    /// source.
    case write(user: UInt32, request: UInt64)
}

/// Is called before and after each call of a data source's code, on the source's executor, so that a call that never
/// returns can be named.
@_spi(Daemon) public protocol DataSourceWatcher: Sendable {
    /// The source is about to be called.
    func willCall(_ callback: DataSourceCallback)
    /// The call is over.
    func didCall()
    /// The source waits because its list is behind, which does not count as time of the source.
    func willWait()
    /// The source continues.
    func didWait()
}

/// Reports the calls of one data source to a watcher, if there is one.
struct WatchedCalls: Sendable {
    private static let home = DispatchSpecificKey<ObjectIdentifier>()

    private let watcher: (any DataSourceWatcher)?
    private let queue: DispatchQueue

    /// Watches the code that runs on a source's queue.
    init(on queue: DispatchQueue, _ watcher: (any DataSourceWatcher)?) {
        self.watcher = watcher
        self.queue = queue
        if watcher != nil { queue.setSpecific(key: Self.home, value: ObjectIdentifier(queue)) }
    }

    /// Calls the source's code.
    func call<Result>(_ callback: DataSourceCallback, _ body: () throws -> Result) rethrows -> Result {
        watcher?.willCall(callback)
        defer { watcher?.didCall() }
        return try body()
    }

    /// Runs code that may wait for the list; a wait on another thread than the source's delays no callback.
    func wait(_ body: () -> Void) {
        guard let watcher, DispatchQueue.getSpecific(key: Self.home) == ObjectIdentifier(queue) else { return body() }
        watcher.willWait()
        body()
        watcher.didWait()
    }
}
