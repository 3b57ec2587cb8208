// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import ListConfiguration
internal import ListKit
internal import Synchronization

/// How often the section controllers of plugins were called, in the daemon and in workers, how long that took, and how often
/// workers were spoken to for it, by plugin.
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
        /// How often its worker was told something about a list.
        package var orders: UInt64 = 0
        /// How often its worker has reported something about a list.
        package var reports: UInt64 = 0

        /// No calls.
        package init() {}

        /// Counts a call.
        package mutating func add(_ time: UInt64) {
            calls &+= 1
            nanoseconds &+= time
            longestNanoseconds = max(longestNanoseconds, time)
        }

        /// Adds times that were counted in another process.
        package mutating func add(_ other: Times) {
            calls &+= other.calls
            nanoseconds &+= other.nanoseconds
            longestNanoseconds = max(longestNanoseconds, other.longestNanoseconds)
        }
    }

    private let times = Mutex<[String: Times]>([:])

    /// No calls.
    package init() {}

    /// All that was counted, by the name of the plugin.
    package var byPlugin: [String: Times] { times.withLock { $0 } }

    /// Counts a call.
    package func add(_ nanoseconds: UInt64, of plugin: String) {
        times.withLock { $0[plugin, default: Times()].add(nanoseconds) }
    }

    /// Counts what a worker has counted.
    package func add(_ other: Times, of plugin: String) {
        times.withLock { $0[plugin, default: Times()].add(other) }
    }

    /// Counts what a presenter of a list has counted, of the plugins whose section controllers the list has.
    package func add(_ times: [String: Times], of plugins: Set<String>) {
        for (plugin, time) in times where plugins.contains(plugin) { add(time, of: plugin) }
    }

    /// Counts a message to a worker.
    func addOrder(toWorkerOf plugin: String) {
        times.withLock { $0[plugin, default: Times()].orders &+= 1 }
    }

    /// Counts a message from a worker.
    func addReport(ofWorkerOf plugin: String) {
        times.withLock { $0[plugin, default: Times()].reports &+= 1 }
    }
}

/// Times the calls of one list's section controllers.
///
/// What a controller causes to be called counts as its own time.
struct CallbackStopwatch {
    private var start: UInt64 = 0
    private var depth = 0
    /// The last name that was taken apart, and its plugin: most calls are of the same controller as the one before.
    private var last: (name: String, plugin: String?) = ("", nil)

    /// A call begins.
    mutating func willCall() {
        depth += 1
        if depth == 1 { start = DispatchTime.now().uptimeNanoseconds }
    }

    /// A call is over; answers whose it was and how long it took, if it is the outermost one and a plugin's.
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
