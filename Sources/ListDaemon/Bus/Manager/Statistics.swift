// SPDX-License-Identifier: Apache-2.0

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
        /// Signals of adapters that were not sent to a direct client, because the client did not read.
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
