// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
package import ListSupport
internal import Synchronization

/// How many bytes the objects of one list have, as of the last transaction: counted by its host, read by the bus thread.
package final class ListBytes: Sendable {
    private let bytes = Atomic(0)

    /// The list is empty.
    package init() {}

    /// How many there are.
    package var count: Int { bytes.load(ordering: .relaxed) }

    fileprivate func add(_ difference: Int) { bytes.wrappingAdd(difference, ordering: .relaxed) }
}

/// What a list takes on its owner's account: objects and bytes, as of the last transaction.
package struct HostAccount: Sendable {
    private let ledger: QuotaLedger
    private let user: UInt32
    private let bytes: ListBytes
    private var booked = Quotas.Amounts()

    /// Opens the account of an empty list.
    ///
    /// - Parameter bytes: where the bytes of this list alone are counted.
    package init(ledger: QuotaLedger, user: UInt32, bytes: ListBytes = ListBytes()) {
        self.ledger = ledger
        self.user = user
        self.bytes = bytes
    }

    /// Books what a list was restored with, whatever the limit says.
    mutating func adopt(_ objects: [ListObject]) {
        let amounts = Quotas.Amounts(objects: objects.count, bytes: objects.reduce(0) { $0 + $1.byteCount })
        ledger.adopt(amounts, for: user)
        booked = amounts
        bytes.add(amounts.bytes)
    }

    /// Books the change that a transaction would make.
    ///
    /// - Parameter object: the present object with an identifier.
    /// - Returns: the change, to be given to ``cancel(_:)`` when the transaction is not applied after all.
    /// - Throws: `limitsExceeded` when the list would grow beyond what its owner may have.
    mutating func book(
        _ content: PreparedTransaction.Content, object: (String) -> ListObject?
    ) throws(ListError) -> Quotas.Amounts {
        let delta = change(content, object: object)
        do throws(Quotas.Exceeded) {
            try ledger.change(delta, for: user)
        } catch {
            throw error.refusal("user \(user) would have more than \(error.limit) \(error.resource.rawValue)")
        }
        booked += delta
        bytes.add(delta.bytes)
        return delta
    }

    /// Takes a booking back.
    mutating func cancel(_ delta: Quotas.Amounts) {
        booked -= delta
        bytes.add(-delta.bytes)
        ledger.adopt(Quotas.Amounts(objects: -delta.objects, bytes: -delta.bytes), for: user)
    }

    /// Gives everything back.
    mutating func close() {
        ledger.release(booked, for: user)
        bytes.add(-booked.bytes)
        booked = Quotas.Amounts()
    }

    private func change(
        _ content: PreparedTransaction.Content, object: (String) -> ListObject?
    ) -> Quotas.Amounts {
        switch content {
        case .replace(let objects):
            let bytes = objects.reduce(0) { $0 + $1.byteCount }
            return Quotas.Amounts(objects: objects.count - booked.objects, bytes: bytes - booked.bytes)
        case .changes(let changes):
            return change(changes, object: object)
        @unknown default: return Quotas.Amounts()
        }
    }

    /// Each object counts once, as it is before and after: a worker may name what is not there, and anything twice.
    private func change(
        _ changes: PreparedTransaction.Changes, object: (String) -> ListObject?
    ) -> Quotas.Amounts {
        // Most changes are of one object, whose identifier cannot be named twice.
        if changes.removed.isEmpty, changes.placed.isEmpty, changes.updated.count == 1 {
            let new = changes.updated[0]
            guard let old = object(new.id) else { return Quotas.Amounts() }
            return Quotas.Amounts(objects: 0, bytes: new.byteCount - old.byteCount)
        }
        // Identifiers are bytes: two spellings of one text name two objects.
        var sizes: [ExactText: (before: Int?, after: Int?)] = [:]
        sizes.reserveCapacity(changes.removed.count + changes.updated.count + changes.placed.count)
        func set(_ id: String, to size: Int?, onlyIfPresent: Bool = false) {
            let key = ExactText(id)
            let known = sizes[key] ?? { size in (size, size) }(object(id)?.byteCount)
            guard !onlyIfPresent || known.after != nil else { return }
            sizes[key] = (known.before, size)
        }
        for id in changes.removed { set(id, to: nil) }
        for new in changes.updated { set(new.id, to: new.byteCount, onlyIfPresent: true) }
        for placement in changes.placed { set(placement.object.id, to: placement.object.byteCount) }
        return sizes.values.reduce(into: Quotas.Amounts()) { delta, size in
            delta += Quotas.Amounts(
                objects: (size.after == nil ? 0 : 1) - (size.before == nil ? 0 : 1),
                bytes: (size.after ?? 0) - (size.before ?? 0))
        }
    }
}
