// SPDX-License-Identifier: Apache-2.0

internal import DBus
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListSupport
internal import ListWorkers

/// The daemon's counters, and a handler that is called when the numbers of the status line have changed.
@DBusActor
final class ServiceCounts {
    /// The counts of events since the start.
    private(set) var statistics = Statistics()
    /// The durations of plugins' callbacks.
    let callbackTimes = CallbackTimes()
    /// Called when the number of lists, objects, views or failures has changed.
    private var changeHandler: @DBusActor () -> Void = {}

    nonisolated init() {}

    /// Counts events.
    func count(_ counter: Statistics.Counter, times: Int = 1) { statistics.add(times, to: counter) }

    /// Counts a refusal by a limit, if the limit is a quota.
    func countRefusal(by key: LimitKey?) {
        if key?.isQuota == true { count(.quotaRefusals) }
    }

    /// Calls the handler of ``onChange(_:)``, because the number of lists, objects, views or failures has changed.
    func notifyChange() { changeHandler() }

    /// Sets the handler for changes of the number of lists, objects, views or failures.
    func onChange(_ handler: @escaping @DBusActor () -> Void) { changeHandler = handler }
}

extension Service {
    /// All counters, and the amounts of the resources that users share.
    var counters: [String: UInt64] {
        var counters = counts.statistics.values
        counters["losses"] = UInt64(losses.count)
        counters["adapters"] = UInt64(adapters.count)
        counters["views"] = UInt64(views.count)
        counters["objects"] = UInt64(clamping: total(of: \.objectCount))
        counters["items"] = UInt64(clamping: total(of: \.itemCount))
        counters["bytes"] = UInt64(clamping: limits.quotas.total.bytes)
        counters["bulk-bytes"] = UInt64(clamping: limits.bulk.bytesHeld)
        let files = limits.lentFiles.use
        counters["lent-files"] = UInt64(clamping: files.files)
        counters["lent-bytes"] = UInt64(clamping: files.bytes)
        counters["waiting-calls"] = UInt64(clamping: calls.queue.waitingCalls)
        counters["waiting-bytes"] = UInt64(clamping: calls.queue.waitingBytes)
        let turns = EventLoop.shared.turns.lengths
        counters["loop-turn-p99"] = turns.quantile(0.99)
        counters["loop-turn-max"] = turns.longest
        counters["direct-clients-behind"] = UInt64(transports.direct.countBehind)
        for (plugin, times) in counts.callbackTimes.byPlugin {
            counters["plugin-\(plugin)-calls"] = times.calls
            counters["plugin-\(plugin)-microseconds"] = times.nanoseconds / 1000
            counters["plugin-\(plugin)-longest-microseconds"] = times.longestNanoseconds / 1000
            counters["plugin-\(plugin)-orders"] = times.orders
            counters["plugin-\(plugin)-reports"] = times.reports
        }
        return counters
    }

    /// The numbers of objects and failures for the status line: `3 lists, 1204 objects, 2 views, 1 list failed`.
    var summary: String {
        func phrase(_ count: Int, _ noun: String, suffix: String = "") -> String {
            "\(count) \(noun)\(count == 1 ? "" : "s")\(suffix)"
        }
        let lists = adapters.all
        let failed = lists.count { $0.state == .failed }
        let faulty = lists.count { $0.state != .failed && !$0.sourceError.isEmpty }
        let plugins = plugins.all.count { $0.state == .failed }
        var parts = [
            phrase(lists.count, "list"), phrase(total(of: \.objectCount), "object"), phrase(views.count, "view"),
        ]
        if failed > 0 { parts.append(phrase(failed, "list", suffix: " failed")) }
        if faulty > 0 { parts.append(phrase(faulty, "list", suffix: " with a source error")) }
        if plugins > 0 { parts.append(phrase(plugins, "plugin", suffix: " failed")) }
        if !losses.isEmpty { parts.append(losses.count == 1 ? "1 loss" : "\(losses.count) losses") }
        return parts.joined(separator: ", ")
    }

    /// Returns the sum of a count over all lists, at most `Int.max`.
    private func total(of count: KeyPath<ListStatus, Int>) -> Int {
        adapters.all.reduce(0) { $0.addingSaturated($1.status[keyPath: count]) }
    }
}

extension Int {
    /// Returns the sum, or the nearest `Int` if it overflows.
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// The counters of `Manager.GetStatistics`.
struct Statistics: Sendable {
    /// A counter since the start of the daemon; the raw value is its name on the bus.
    enum Counter: String, CaseIterable {
        /// Method calls that arrived.
        case calls
        /// Calls that were refused because too many calls of their connection or user were in flight.
        case callsRefused = "calls-refused"
        /// Calls and source events that were refused because of a user's quota.
        case quotaRefusals = "quota-refusals"
        /// Calls for contents that had to wait until earlier answers to their caller were sent.
        case readsHeld = "reads-held"
        /// Applied transactions.
        case transactions
        /// Objects that were dropped because an earlier object of the same list has the identifier.
        case duplicatesDropped = "duplicates-dropped"
        /// Signals of adapters; a signal to several receivers counts once.
        case signals
        /// Signals that were not sent to a direct client, because the client did not read.
        case signalsDropped = "signals-dropped"
        /// Notifications of clients that the bus dropped a signal to them, because they did not read.
        case signalsLost = "signals-lost"
        /// Pictures sent to views.
        case pictures
        /// Times that a view's credit was exhausted.
        case stalls
        /// Items that built-in section controllers dropped from updated objects.
        case itemsDropped = "items-dropped"
        /// Sizes, spacings and positions of updated objects that built-in section controllers replaced by defaults.
        case sizesReplaced = "sizes-replaced"
        /// Errors of section controllers that violated their contract.
        case sectionFaults = "section-faults"
        /// Times that flushes were held back because too much was queued for the bus.
        case holds
    }

    private var counts: [Counter: UInt64] = [:]

    /// Adds to a counter.
    mutating func add(_ count: Int, to counter: Counter) {
        counts[counter, default: 0] &+= UInt64(clamping: count)
    }

    /// All counters by name, including those that are 0.
    var values: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }
}
