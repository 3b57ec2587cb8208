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

    /// Books the change of amounts that a transaction would cause.
    ///
    /// - Parameter object: returns the present object with an identifier.
    /// - Returns: the booked change, to be passed to ``cancel(_:)`` if the transaction is not applied.
    /// - Throws: `limitsExceeded` if the list would grow beyond its owner's limits.
    mutating func book(
        _ content: PreparedTransaction.Content, object: (String) -> ListObject?
    ) throws(ListError) -> Quotas.Amounts {
        let delta = amountChange(by: content, object: object)
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

    private func amountChange(
        by content: PreparedTransaction.Content, object: (String) -> ListObject?
    ) -> Quotas.Amounts {
        switch content {
        case .replace(let objects):
            let bytes = objects.reduce(0) { $0 + $1.byteCount }
            return Quotas.Amounts(objects: objects.count - booked.objects, bytes: bytes - booked.bytes)
        case .changes(let changes):
            return amountChange(by: changes, object: object)
        @unknown default: return Quotas.Amounts()
        }
    }

    /// Compares each object once, before and after the change: a worker may name missing objects, and the same object
    /// twice.
    private func amountChange(
        by changes: PreparedTransaction.Changes, object: (String) -> ListObject?
    ) -> Quotas.Amounts {
        // Most changes concern one object, whose identifier cannot occur twice.
        if changes.removed.isEmpty, changes.placed.isEmpty, changes.updated.count == 1 {
            let new = changes.updated[0]
            guard let old = object(new.id) else { return Quotas.Amounts() }
            return Quotas.Amounts(objects: 0, bytes: new.byteCount - old.byteCount)
        }
        // Identifiers are compared as bytes: two Unicode spellings of the same text name two objects.
        var sizes: [ExactText: (before: Int?, after: Int?)] = [:]
        sizes.reserveCapacity(changes.removed.count + changes.updated.count + changes.placed.count)
        func setSize(of id: String, to size: Int?, onlyIfPresent: Bool = false) {
            let key = ExactText(id)
            let known = sizes[key] ?? { size in (size, size) }(object(id)?.byteCount)
            guard !onlyIfPresent || known.after != nil else { return }
            sizes[key] = (known.before, size)
        }
        for id in changes.removed { setSize(of: id, to: nil) }
        for new in changes.updated { setSize(of: new.id, to: new.byteCount, onlyIfPresent: true) }
        for placement in changes.placed { setSize(of: placement.object.id, to: placement.object.byteCount) }
        return sizes.values.reduce(into: Quotas.Amounts()) { delta, size in
            delta += Quotas.Amounts(
                objects: (size.after == nil ? 0 : 1) - (size.before == nil ? 0 : 1),
                bytes: (size.after ?? 0) - (size.before ?? 0))
        }
    }
}
