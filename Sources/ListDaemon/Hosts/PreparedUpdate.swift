package import ListKit

/// What is to be stored before a host applies it.
package struct PreparedUpdate: Sendable {
    /// What becomes of the stored objects.
    package var transaction: PreparedTransaction
    /// What there is to remember for `GetChanges`: earlier transactions of which more is known now, and at the end the
    /// outline of this one.
    package var log: [Transaction]
    /// The oldest revision since which changes have to be known.
    package var oldestRevision: UInt64
    /// The requests whose effect it contains, so that what is known of them is stored with it.
    package var requests: [RequestID] = []

    /// Describes an update.
    package init(
        transaction: PreparedTransaction, log: [Transaction], oldestRevision: UInt64, requests: [RequestID] = []
    ) {
        self.transaction = transaction
        self.log = log
        self.oldestRevision = oldestRevision
        self.requests = requests
    }

    /// Whether it is the list as it is, not a change of it.
    var isWhole: Bool {
        guard case .replace = transaction.content else { return false }
        return transaction.baseRevision == transaction.revision
    }
}

/// Names what a host gave away to be stored, so that a late answer is known.
package typealias StoringToken = UInt64
