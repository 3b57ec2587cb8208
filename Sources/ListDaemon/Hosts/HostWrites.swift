// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// The writes of one list that the store has not answered yet, and the list's bookings on its owner's account.
struct HostWrites {
    /// A kind of write.
    enum Write {
        /// The changes of an update, with the amounts that were booked for them.
        case update(Quotas.Amounts?)
        /// The reservation of a block of revision numbers.
        case block(StoreWrite)
        /// Changes that were announced before they were stored.
        case record(StoreWrite)
        /// The last write before the list ends.
        case last
    }

    private var account: HostAccount?
    private var underWay: [StoringToken: Write] = [:]
    private var lastToken: StoringToken = 0

    /// - Parameter account: the account on which the objects are booked; nil = the objects are not counted.
    init(_ account: HostAccount?, of objects: [ListObject]) {
        self.account = account
        self.account?.bookRestored(objects)
    }

    /// The number of writes that the store has not answered.
    var count: Int { underWay.count }

    /// Books the change of amounts that an update causes.
    ///
    /// - Returns: the booked change, for ``cancel(_:)``; nil if the update changes no objects, or they are not counted.
    /// - Throws: `limitsExceeded` if the list would grow beyond its owner's limits.
    mutating func book(_ change: Change?) throws(ListError) -> Quotas.Amounts? {
        guard let change, change.hasObjectChanges else { return nil }
        return try account?.book(change)
    }

    /// Reverts a booking.
    mutating func cancel(_ booked: Quotas.Amounts?) { if let booked { account?.cancel(booked) } }

    /// Registers a write; the store's answer carries the returned token.
    mutating func begin(_ write: Write) -> StoringToken {
        lastToken += 1
        underWay[lastToken] = write
        return lastToken
    }

    /// Removes and returns the write that the store has answered; nil for an unknown token.
    mutating func end(_ token: StoringToken) -> Write? { underWay.removeValue(forKey: token) }

    /// Releases all bookings, because the list ends.
    mutating func close() { account?.close() }
}
