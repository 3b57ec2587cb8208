// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The quotas of all users. The bus thread books adapters and views, the hosts book objects and bytes.
package final class QuotaLedger: Sendable {
    private let quotas: Mutex<Quotas>

    /// Makes a ledger without bookings.
    package init(limits: Quotas.Amounts) {
        quotas = Mutex(Quotas(limits: limits))
    }

    /// The limits of each user that has no limits of its own.
    package var limits: Quotas.Amounts {
        get { quotas.withLock { $0.limits } }
        set { quotas.withLock { $0.setLimits(newValue) } }
    }

    /// Sets a user's own limits; nil = ``limits`` apply to the user.
    package func setLimits(_ limits: Quotas.Amounts?, of user: UInt32) {
        quotas.withLock { $0.setLimits(limits, of: user) }
    }

    /// Removes the individual limits of all users.
    package func removeLimitsOfUsers() { quotas.withLock { $0.removeLimitsOfUsers() } }

    /// The sum of all users' amounts.
    package var total: Quotas.Amounts { quotas.withLock { $0.total } }

    /// Books a change for a user, completely or not at all. A change that only decreases amounts always succeeds.
    package func book(_ change: Quotas.Amounts, for user: UInt32) throws(Quotas.Exceeded) {
        try quotas.withLock { (quotas) throws(Quotas.Exceeded) in try quotas.book(change, for: user) }
    }

    /// Books a change without checking the limits, for objects that exist already.
    package func bookUnchecked(_ change: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.bookUnchecked(change, for: user) }
    }

    /// Books bytes for a user as far as its limit has room, and returns how many.
    package func bookBytes(upTo wanted: Int, for user: UInt32) -> Int {
        quotas.withLock { $0.bookBytes(upTo: wanted, for: user) }
    }

    /// Releases booked amounts of a user.
    package func release(_ amounts: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.release(amounts, for: user) }
    }
}
