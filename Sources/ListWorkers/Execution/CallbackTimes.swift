// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListConfiguration
internal import ListKit
internal import Synchronization

/// Statistics of section controllers by plugin: the number and duration of callbacks, in the daemon and in workers,
/// and the number of messages to and from workers.
///
/// They are written by the executors of all lists, and read by the bus thread.
package final class CallbackTimes: Sendable {
    /// The statistics of one plugin.
    package struct Times: Sendable, Equatable {
        /// The number of callbacks.
        package var calls: UInt64 = 0
        /// The total duration of all callbacks.
        package var nanoseconds: UInt64 = 0
        /// The duration of the longest callback.
        package var longestNanoseconds: UInt64 = 0
        /// The number of orders about lists that the worker was sent.
        package var orders: UInt64 = 0
        /// The number of reports about lists that the worker has sent.
        package var reports: UInt64 = 0

        package init() {}

        /// Adds a callback of a duration in nanoseconds.
        package mutating func addCall(nanoseconds time: UInt64) {
            calls &+= 1
            nanoseconds &+= time
            longestNanoseconds = max(longestNanoseconds, time)
        }

        /// Adds the callbacks of another process. Messages are not added.
        package mutating func add(_ other: Times) {
            calls &+= other.calls
            nanoseconds &+= other.nanoseconds
            longestNanoseconds = max(longestNanoseconds, other.longestNanoseconds)
        }
    }

    private let times = Mutex<[String: Times]>([:])

    package init() {}

    /// The statistics by the name of the plugin.
    package var byPlugin: [String: Times] { times.withLock { $0 } }

    /// Adds a callback of a duration in nanoseconds.
    package func addCall(nanoseconds: UInt64, of plugin: String) {
        times.withLock { $0[plugin, default: Times()].addCall(nanoseconds: nanoseconds) }
    }

    /// Adds the callbacks of another process.
    package func add(_ other: Times, of plugin: String) {
        times.withLock { $0[plugin, default: Times()].add(other) }
    }

    /// Counts a message about a list to a plugin's worker.
    func countMessage(toWorkerOf plugin: String) {
        times.withLock { $0[plugin, default: Times()].orders &+= 1 }
    }

    /// Counts a message about a list from a plugin's worker.
    func countMessage(fromWorkerOf plugin: String) {
        times.withLock { $0[plugin, default: Times()].reports &+= 1 }
    }
}

/// A stopwatch for the callbacks of one list's section controllers.
///
/// The time of a nested callback counts for the outermost one only.
struct CallbackStopwatch {
    private var start: UInt64 = 0
    private var depth = 0
    /// The last name that was parsed, and its plugin: a cache, as successive calls mostly have the same controller.
    private var last: (name: String, plugin: String?) = ("", nil)

    /// Records the begin of a call.
    mutating func willCall() {
        depth += 1
        if depth == 1 { start = DispatchTime.now().uptimeNanoseconds }
    }

    /// Records the end of a call. Returns its plugin and duration if it is the outermost call, and a plugin's.
    mutating func didCall(_ call: ListControllerCall) -> (plugin: String, nanoseconds: UInt64)? {
        depth -= 1
        guard depth == 0 else { return nil }
        let end = DispatchTime.now().uptimeNanoseconds
        let name = call.controllerName
        if name != last.name { last = (name, ControllerName(name)?.plugin) }
        guard let plugin = last.plugin, plugin != "listd" else { return nil }
        return (plugin, end - start)
    }
}
