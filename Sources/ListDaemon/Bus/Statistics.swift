// SPDX-License-Identifier: Apache-2.0

/// Counts what happens, for `Manager.GetStatistics`.
struct Statistics: Sendable {
    /// What is counted from the start of the daemon on; the raw value is the name on the bus.
    enum Counter: String, CaseIterable {
        /// Method calls that arrived.
        case calls
        /// Calls that were refused because their connection, or their user, had too many in flight.
        case callsRefused = "calls-refused"
        /// Calls, and events of sources, that were refused because a user would have had too much.
        case quotaRefusals = "quota-refusals"
        /// Calls for contents that had to wait until their caller had taken in what it asked for before.
        case readsHeld = "reads-held"
        /// Transactions that were applied.
        case transactions
        /// Objects that were dropped because their identifier occurred before in the same list.
        case duplicatesDropped = "duplicates-dropped"
        /// Signals of adapters that were sent, each counted once however many hear it.
        case signals
        /// Signals of adapters that were not sent to a direct client because it does not read.
        case signalsDropped = "signals-dropped"
        /// How often a client was told that the bus had to drop what was for it, because it did not read.
        case signalsLost = "signals-lost"
        /// Pictures that were sent to views.
        case pictures
        /// How often a view used up its credit.
        case stalls
        /// Items that built-in section controllers left out of updated objects.
        case itemsDropped = "items-dropped"
        /// Sizes, spacings and places of updated objects in whose stead built-in section controllers took the default.
        case sizesReplaced = "sizes-replaced"
        /// Section controllers that broke their contract.
        case sectionFaults = "section-faults"
        /// How often flushes were held because the bus did not take more.
        case holds
    }

    private var counts: [Counter: UInt64] = [:]

    /// Counts something.
    mutating func add(_ counter: Counter, _ count: Int = 1) {
        counts[counter, default: 0] &+= UInt64(clamping: count)
    }

    /// All counters by name, those that are still 0 too.
    var values: [String: UInt64] {
        Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
    }
}
