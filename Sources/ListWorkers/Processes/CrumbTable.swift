// SPDX-License-Identifier: Apache-2.0

internal import ListKit

/// The breadcrumbs of one worker: which slots are in use, and which call of the plugin does not come back.
struct CrumbTable {
    private let map: BreadcrumbMap
    /// How long a call may take.
    private let callbackTimeout: Duration
    /// Slot 0 belongs to the worker itself: loading the plugin.
    private var used: Set<Int> = [0]
    /// The call that each slot had when it was looked at first.
    private var seen: [Int: (stamp: UInt64, since: ContinuousClock.Instant)] = [:]
    /// The slot of the call that did not come back; nil = all did.
    private var culprit: Int?

    /// Makes the memory that the worker writes into.
    init(callbackTimeout: Duration) throws(ListError) {
        self.callbackTimeout = callbackTimeout
        map = try BreadcrumbMap()
    }

    /// The memory, to be passed to the worker.
    var memory: BreadcrumbMap { map }

    /// A slot that nobody else has; nil when there are none left.
    mutating func reserve() -> Int? {
        guard let crumb = (1..<BreadcrumbMap.count).first(where: { !used.contains($0) }) else { return nil }
        used.insert(crumb)
        return crumb
    }

    /// Makes a slot free again.
    mutating func release(_ crumb: Int) {
        used.remove(crumb)
        seen[crumb] = nil
    }

    /// Looks for a call that has taken too long, and remembers its slot as the culprit; returns the timeout, nil =
    /// there is none.
    mutating func findHang(at now: ContinuousClock.Instant) -> Duration? {
        for crumb in used {
            let stamp = map.slot(crumb)?.stamp ?? 0
            guard stamp != 0 else {
                seen[crumb] = nil
                continue
            }
            if let known = seen[crumb], known.stamp == stamp {
                guard known.since.duration(to: now) < callbackTimeout else {
                    culprit = crumb
                    return callbackTimeout
                }
            } else {
                seen[crumb] = (stamp, now)
            }
        }
        return nil
    }

    /// What the worker is in the middle of, as far as it reported so, by slot.
    var callsUnderWay: [Int: Breadcrumb] {
        let suspects = culprit.map { [$0] } ?? used
        return Dictionary(
            suspects.compactMap { crumb in map.slot(crumb)?.breadcrumb.map { (crumb, $0) } }, uniquingKeysWith: { $1 })
    }
}
