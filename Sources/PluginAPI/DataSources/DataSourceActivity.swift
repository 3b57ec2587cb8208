// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// A timer or a watched descriptor of a data source; it ends with the source at the latest.
public final class DataSourceActivity {
    private let source: any DispatchSourceProtocol
    private let fileDescriptors: [Int32]
    private var whenCancelled: (() -> Void)?

    init(_ source: any DispatchSourceProtocol, closing fileDescriptors: [Int32] = []) {
        self.source = source
        self.fileDescriptors = fileDescriptors
    }

    /// Sets the callback of the timer or descriptor.
    func setCallback(_ body: @escaping () -> Void) {
        let body = OnQueue(body)
        source.setEventHandler { body.value() }
    }

    /// Starts the timer or watch; `whenCancelled` is called by ``cancel()``.
    func begin(whenCancelled: @escaping () -> Void) {
        self.whenCancelled = whenCancelled
        // Dispatch may use the descriptors until this handler runs.
        source.setCancelHandler { [fileDescriptors] in
            for fileDescriptor in fileDescriptors { close(fileDescriptor) }
        }
        source.activate()
    }

    /// Ends the callbacks at once, including a callback that is due already. A second call does nothing.
    public func cancel() {
        source.cancel()
        source.setEventHandler(handler: nil)
        whenCancelled?()
        whenCancelled = nil
    }
}

/// A value that only the callbacks of one serial queue use.
///
/// Dispatch needs Sendable closures because it cannot know that its queue is the executor that owns the value.
struct OnQueue<Value>: @unchecked Sendable {
    // Owned by the data source's queue: made on it, and read only by handlers that run on it.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
