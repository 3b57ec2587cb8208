// SPDX-License-Identifier: Apache-2.0

extension SlotPool {
    /// Stops a debug build at the first step that leaves something wrong; costs nothing in release builds.
    func assertInvariants() {
        assert(brokenInvariant == nil, brokenInvariant ?? "")
    }

    /// What is wrong with the pool, if anything; O(slots + identifiers).
    var brokenInvariant: String? {
        if slots.values.count(where: \.isShown) != shownCount { return "\(shownCount) shown slots are counted" }
        if slots[0] != nil { return "slot 0 is given out" }
        if places.count != pools.count { return "\(places.count) identifiers share \(pools.count) pools" }
        if slots.values.contains(where: { $0.pool == nil && !$0.isShown }) { return "an unpooled slot waits" }
        for (identifier, place) in places {
            let pool = pools[place]
            let own = slots.filter { $0.value.pool == place }
            let free = Set(pool.free)
            if free.count != pool.free.count { return "a slot of \(identifier.text) waits twice" }
            if free != Set(own.filter { !$0.value.isShown }.keys) { return "\(identifier.text) waits elsewhere" }
            if own.count - free.count != pool.shownCount { return "\(identifier.text) is counted wrong" }
        }
        return nil
    }
}
