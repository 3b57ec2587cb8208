// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// The calls of a data source's code.
@_spi(Daemon) @frozen public enum DataSourceCallback: Sendable {
    /// The source is made.
    case make
    /// ``DataSource/start()``.
    case start
    /// ``DataSource/stop()``.
    case stop
    /// What ``DataSourceContext`` calls back at a time.
    case timer
    /// What ``DataSourceContext`` calls back when a descriptor can be read.
    case descriptor
    /// ``WritableDataSource/write(_:)``, on behalf of a user: which request it is, as listd numbers those of the source.
    case write(user: UInt32, request: UInt64)
}

/// Called before and after each call of a data source's code, on the source's executor: to name the one that never came
/// back.
@_spi(Daemon) public protocol DataSourceWatcher: Sendable {
    /// The source is about to be called.
    func willCall(_ callback: DataSourceCallback)
    /// The call is over.
    func didCall()
    /// The source's list is behind: it is not the source that takes so long.
    func willWait()
    /// The source goes on.
    func didWait()
}

/// Tells a watcher of the calls of one data source, if there is one.
struct WatchedCalls: Sendable {
    private static let home = DispatchSpecificKey<ObjectIdentifier>()

    private let watcher: (any DataSourceWatcher)?
    private let queue: DispatchQueue

    /// Watches what runs on a source's queue.
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

    /// Does something that may wait for the list; a wait on another thread than the source's delays no callback.
    func wait(_ body: () -> Void) {
        guard let watcher, DispatchQueue.getSpecific(key: Self.home) == ObjectIdentifier(queue) else { return body() }
        watcher.willWait()
        body()
        watcher.didWait()
    }
}
