// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
package import ListSupport
internal import Synchronization

/// The bytes of one list's objects, as of the last transaction. The host counts them, and the bus thread reads them.
package final class ListBytes: Sendable {
    private let bytes = Atomic(0)

    /// Makes the counter of an empty list.
    package init() {}

    /// The number of bytes.
    package var count: Int { bytes.load(ordering: .relaxed) }

    fileprivate func add(_ difference: Int) { bytes.wrappingAdd(difference, ordering: .relaxed) }
}

/// The objects and bytes that one list books on its owner's account, as of the last transaction.
package struct HostAccount: Sendable {
    private let ledger: QuotaLedger
    private let user: UInt32
    private let bytes: ListBytes
    private var booked = Quotas.Amounts()

    /// Opens the account of an empty list.
    ///
    /// - Parameter bytes: the counter of this list's own bytes.
    package init(ledger: QuotaLedger, user: UInt32, bytes: ListBytes = ListBytes()) {
        self.ledger = ledger
        self.user = user
        self.bytes = bytes
    }

    /// Books the objects of a restored list, whatever the limits.
    mutating func bookRestored(_ objects: [ListObject]) {
        let amounts = Quotas.Amounts(objects: objects.count, bytes: objects.reduce(0) { $0 + $1.byteCount })
        ledger.bookUnchecked(amounts, for: user)
        booked = amounts
        bytes.add(amounts.bytes)
    }

    /// Books the change of amounts that an update would cause.
    ///
    /// - Returns: the booked change, to be passed to ``cancel(_:)`` if the update is not applied.
    /// - Throws: `limitsExceeded` if the list would grow beyond its owner's limits.
    mutating func book(_ change: Change) throws(ListError) -> Quotas.Amounts {
        var growth = 0
        for removed in change.removed { growth -= removed.object?.byteCount ?? 0 }
        for inserted in change.inserted { growth += inserted.object.byteCount }
        for updated in change.updated { growth += updated.object.byteCount - (updated.before?.byteCount ?? 0) }
        let delta = Quotas.Amounts(objects: change.inserted.count - change.removed.count, bytes: growth)
        do throws(Quotas.Exceeded) {
            try ledger.book(delta, for: user)
        } catch {
            throw error.refusal("user \(user) would have more than \(error.limit) \(error.resource.rawValue)")
        }
        booked += delta
        bytes.add(delta.bytes)
        return delta
    }

    /// Reverts a booking.
    mutating func cancel(_ delta: Quotas.Amounts) {
        booked -= delta
        bytes.add(-delta.bytes)
        ledger.bookUnchecked(Quotas.Amounts(objects: -delta.objects, bytes: -delta.bytes), for: user)
    }

    /// Releases everything that the list has booked.
    mutating func close() {
        ledger.release(booked, for: user)
        bytes.add(-booked.bytes)
        booked = Quotas.Amounts()
    }
}
