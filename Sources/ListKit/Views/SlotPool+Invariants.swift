// SPDX-License-Identifier: Apache-2.0

extension SlotPool {
    /// Stops a debug build after the first operation that breaks an invariant. Does nothing in release builds.
    func assertInvariants() {
        assert(brokenInvariant == nil, brokenInvariant ?? "")
    }

    /// A description of the first broken invariant; `nil` if all invariants hold. O(slots + identifiers).
    var brokenInvariant: String? {
        if slots.values.count(where: \.isShown) != shownCount { return "shownCount is \(shownCount), which is wrong" }
        if slots[0] != nil { return "slot 0 is in use" }
        if places.count != pools.count { return "there are \(places.count) identifiers but \(pools.count) pools" }
        if slots.values.contains(where: { $0.pool == nil && !$0.isShown }) { return "a slot without a pool is free" }
        for (identifier, place) in places {
            let pool = pools[place]
            let own = slots.filter { $0.value.pool == place }
            let free = Set(pool.free)
            if free.count != pool.free.count { return "the pool of \(identifier.text) has a free slot twice" }
            if free != Set(own.filter { !$0.value.isShown }.keys) {
                return "the free slots of the pool of \(identifier.text) differ from its slots that show nothing"
            }
            if own.count - free.count != pool.shownCount {
                return "shownCount of the pool of \(identifier.text) is wrong"
            }
        }
        return nil
    }
}
