// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// What the store writes for one list, and what the list takes on its owner's account.
struct HostWrites {
    /// The write in progress.
    enum Write {
        /// What an update leads to, as it was booked.
        case update(Quotas.Amounts?)
        /// A block of numbers.
        case block(StoreWork)
        /// Changes that were announced.
        case record(StoreWork)
        /// The end.
        case last
    }

    private var account: HostAccount?
    private var underWay: [StoringToken: Write] = [:]
    private var lastToken: StoringToken = 0

    /// - Parameter account: on whose account the objects go; nil = nobody counts.
    init(_ account: HostAccount?, of objects: [ListObject]) {
        self.account = account
        self.account?.adopt(objects)
    }

    /// How many writes the store has not answered.
    var count: Int { underWay.count }

    /// Books what an update changes.
    ///
    /// - Throws: `limitsExceeded` when the list would grow beyond what its owner may have.
    mutating func book(_ work: StoreWork, for table: SectionTable) throws(ListError) -> Quotas.Amounts? {
        guard let content = work.content else { return nil }
        return try account?.book(content) { table.object(withID: $0, .old) }
    }

    /// Takes a booking back.
    mutating func cancel(_ booked: Quotas.Amounts?) { if let booked { account?.cancel(booked) } }

    /// A write begins; its answer has the token.
    mutating func begin(_ write: Write) -> StoringToken {
        lastToken += 1
        underWay[lastToken] = write
        return lastToken
    }

    /// The store has answered; nil for a token that there is not.
    mutating func end(_ token: StoringToken) -> Write? { underWay.removeValue(forKey: token) }

    /// Gives everything back: the list ends.
    mutating func close() { account?.close() }
}
