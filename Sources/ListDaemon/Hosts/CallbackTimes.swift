internal import Dispatch
internal import ListKit
internal import Synchronization

/// How often the section controllers of plugins inside the daemon were called, and how long that took, by plugin.
///
/// Written by the executors of all lists, read by the bus thread.
package final class CallbackTimes: Sendable {
    /// The calls of one plugin.
    package struct Times: Sendable, Equatable {
        /// How many there were.
        package var calls: UInt64 = 0
        /// How long all of them took together.
        package var nanoseconds: UInt64 = 0
        /// How long the longest took.
        package var longestNanoseconds: UInt64 = 0
    }

    private let times = Mutex<[String: Times]>([:])

    /// Nobody was called.
    package init() {}

    /// All that was counted, by the name of the plugin.
    package var byPlugin: [String: Times] { times.withLock { $0 } }

    /// Counts a call.
    package func add(_ nanoseconds: UInt64, of plugin: String) {
        times.withLock { times in
            var sum = times[plugin] ?? Times()
            sum.calls &+= 1
            sum.nanoseconds &+= nanoseconds
            sum.longestNanoseconds = max(sum.longestNanoseconds, nanoseconds)
            times[plugin] = sum
        }
    }
}

/// Times the section controllers of one list; it belongs to the list's executor.
///
/// What a controller causes to be called counts as its own time (IGListKit F68).
final class CallbackClock: ListPerformanceDelegate {
    private let times: CallbackTimes
    private var start: UInt64 = 0
    private var depth = 0

    init(_ times: CallbackTimes) {
        self.times = times
    }

    func adapter(_ adapter: ListAdapter, willCall call: ListControllerCall) {
        depth += 1
        if depth == 1 { start = DispatchTime.now().uptimeNanoseconds }
    }

    func adapter(_ adapter: ListAdapter, didCall call: ListControllerCall) {
        depth -= 1
        guard depth == 0, let plugin = ControllerName(call.controllerName)?.plugin, plugin != "listd" else { return }
        times.add(DispatchTime.now().uptimeNanoseconds - start, of: plugin)
    }
}
