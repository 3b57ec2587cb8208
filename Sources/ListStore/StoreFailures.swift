// SPDX-License-Identifier: Apache-2.0

internal import ListKit
internal import ListSupport
internal import Synchronization

/// The lines for the log about changes that a store refuses. The first refusal of a period has one; the others are
/// counted.
///
/// A full disk makes every writer fail, and retry. The lines of all of them would hide the one that says why.
package final class StoreFailures: Sendable {
    /// A time in which the store refuses changes.
    fileprivate struct Period {
        var reason: String
        /// The number of refusals that are not logged yet.
        var refused = 0
        /// The lists whose changes were refused and are not logged yet.
        var lists: Set<String> = []
        var lastRefusal: ContinuousClock.Instant
        var lastLine: ContinuousClock.Instant
    }

    /// The time between two lines about a store that goes on refusing changes.
    static let interval = Duration.seconds(60)
    /// The time without a refusal after which the store counts as working again.
    static let calm = Duration.seconds(10)

    private let period = Mutex<Period?>(nil)
    private let hasPeriod = Atomic(false)

    /// Makes the record of one store.
    package init() {}

    /// Records that a change of a list was refused. Returns the line for the log; nil if the refusal is only counted.
    func recordRefusal(_ error: ListError, of list: String, at now: ContinuousClock.Instant = .now) -> String? {
        hasPeriod.store(true, ordering: .relaxed)
        return period.withLock { period -> String? in
            guard var present = period, present.reason == error.reason else {
                period = Period(reason: error.reason, lastRefusal: now, lastLine: now)
                return
                    "list \(list.quoted) could not be stored: \(error.reason); its writer got StoreFailed, and nothing "
                    + "changed. Further refusals are counted"
            }
            present.lastRefusal = now
            present.refused += 1
            if present.lists.count < 1000 { present.lists.insert(list) }
            defer { period = present }
            guard present.lastLine.duration(to: now) >= Self.interval else { return nil }
            present.lastLine = now
            let line = "the store still refuses changes: \(present.countText) since the last line: \(present.reason)"
            (present.refused, present.lists) = (0, [])
            return line
        }
    }

    /// Records that a change was stored. Returns the line for the log when the store has recovered. Costs next to nothing
    /// unless changes were refused before.
    func recordSuccess(at now: ContinuousClock.Instant = .now) -> String? {
        guard hasPeriod.load(ordering: .relaxed) else { return nil }
        let ended = period.withLock { period -> Period? in
            guard let present = period, present.lastRefusal.duration(to: now) >= Self.calm else { return nil }
            period = nil
            return present
        }
        guard let ended else { return nil }
        hasPeriod.store(false, ordering: .relaxed)
        let further = ended.refused == 0 ? "" : ", after it had refused \(ended.countText)"
        return "the store accepts changes again\(further)"
    }
}

extension StoreFailures {
    /// The most lists that a line names.
    fileprivate static let mostNames = 5
}

extension StoreFailures.Period {
    /// The number of refusals, and the lists of which they were.
    fileprivate var countText: String {
        let names = lists.sorted().prefix(StoreFailures.mostNames).map(\.quoted).joined(separator: ", ")
        let more = lists.count > StoreFailures.mostNames ? " and \(lists.count - StoreFailures.mostNames) others" : ""
        return "\(refused) further change\(refused == 1 ? "" : "s") of \(names)\(more)"
    }
}
