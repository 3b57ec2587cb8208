// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The breadcrumbs of one worker, with the slots in use, and the detection of calls that do not return.
struct CrumbTable {
    private let map: BreadcrumbMap
    /// The maximum duration of a call.
    private let callbackTimeout: Duration
    /// The slots in use. Slot 0 is for loading the plugin.
    private var used: Set<Int> = [0]
    /// The call in each slot at the last check, and the time of the first check that has seen the call.
    private var seen: [Int: (stamp: UInt64, since: ContinuousClock.Instant)] = [:]
    /// The slot of a call that has exceeded the timeout; nil = none has.
    private var culprit: Int?

    /// Makes the shared memory into which the worker writes.
    init(callbackTimeout: Duration) throws(ListError) {
        self.callbackTimeout = callbackTimeout
        map = try BreadcrumbMap()
    }

    /// The shared memory, which the worker inherits.
    var memory: BreadcrumbMap { map }

    /// Reserves a free slot; nil when all slots are in use.
    mutating func reserve() -> Int? {
        guard let slot = (1..<BreadcrumbMap.count).first(where: { !used.contains($0) }) else { return nil }
        used.insert(slot)
        return slot
    }

    /// Frees a slot.
    mutating func release(_ slot: Int) {
        used.remove(slot)
        seen[slot] = nil
    }

    /// Looks for a call that has exceeded the timeout, and records its slot as the culprit.
    ///
    /// - Returns: the timeout; nil = no call has exceeded it.
    mutating func findHang(at now: ContinuousClock.Instant) -> Duration? {
        for slot in used {
            let stamp = map.slot(at: slot)?.stamp ?? 0
            guard stamp != 0 else {
                seen[slot] = nil
                continue
            }
            if let known = seen[slot], known.stamp == stamp {
                guard known.since.duration(to: now) < callbackTimeout else {
                    culprit = slot
                    return callbackTimeout
                }
            } else {
                seen[slot] = (stamp, now)
            }
        }
        return nil
    }

    /// The calls that are running in the worker, by slot; after a timeout, only the call that has exceeded it.
    var callsUnderWay: [Int: Breadcrumb] {
        let suspects = culprit.map { [$0] } ?? used
        return Dictionary(
            suspects.compactMap { slot in map.slot(at: slot)?.breadcrumb.map { (slot, $0) } }, uniquingKeysWith: { $1 })
    }
}
