// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The quotas of all users, booked by the bus thread (adapters, views) and by every host (objects, bytes).
package final class QuotaLedger: Sendable {
    private let quotas: Mutex<Quotas>

    /// Nothing is booked.
    package init(limits: Quotas.Amounts) {
        quotas = Mutex(Quotas(limits: limits))
    }

    /// What a user may have.
    package var limits: Quotas.Amounts {
        get { quotas.withLock { $0.limits } }
        set { quotas.withLock { $0.setLimits(newValue) } }
    }

    /// Gives a user limits of its own; nil = those of all.
    package func setLimits(_ limits: Quotas.Amounts?, of user: UInt32) {
        quotas.withLock { $0.setLimits(limits, of: user) }
    }

    /// Gives all users the same limits again.
    package func forgetLimitsOfUsers() { quotas.withLock { $0.removeLimitsOfUsers() } }

    /// What all users have together.
    package var total: Quotas.Amounts { quotas.withLock { $0.total } }

    /// Books a change for a user, all of it or nothing; one that only shrinks is never refused.
    package func change(_ delta: Quotas.Amounts, for user: UInt32) throws(Quotas.Exceeded) {
        try quotas.withLock { (quotas) throws(Quotas.Exceeded) in try quotas.change(delta, for: user) }
    }

    /// Books a change without checking limits, for objects that exist already.
    package func adopt(_ delta: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.adopt(delta, for: user) }
    }

    /// Releases what a user has booked.
    package func release(_ amounts: Quotas.Amounts, for user: UInt32) {
        quotas.withLock { $0.release(amounts, for: user) }
    }
}
