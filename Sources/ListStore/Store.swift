// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
package import ListKit

/// Keeps lists when the process ends.
///
/// Writes are done in the order in which they were handed over, each wholly or not at all. Writes that wait together become
/// one transaction of the file.
package protocol Store: Sendable {
    /// Writes one change of one adapter.
    ///
    /// - Parameters:
    ///   - change: what becomes of the adapter.
    ///   - durability: `fsync` completes only when the change survives a crash of the machine.
    ///   - completion: called on the store's executor, after which a crash of listd does not undo the change. With
    ///     `storeFailed` nothing was changed, and the next write tries again.
    func write(
        _ change: StoreChange, durability: Durability,
        completion: @escaping @Sendable (Result<Void, ListError>) -> Void)

    /// Completes when everything that was handed over before is done and safe on the disk; the store is closed then.
    func close(completion: @escaping @Sendable () -> Void)
}

/// One change of one adapter.
package enum StoreChange: Sendable {
    /// A new adapter; it takes the place of one with the same name.
    case create(StoredAdapter)
    /// A new adapter that has objects, a revision, earlier changes and a place of its source already; it takes the place of one with the same name.
    case createFilled(StoredAdapter, PreparedTransaction, log: [StoredChange], cursor: [UInt8]?)
    /// The adapter and everything in it is removed; an unknown name is no error.
    case remove(name: String)
    /// Other options.
    case options(name: String, Fields)
    /// Another name; an adapter that has this name is removed.
    case rename(name: String, to: String)
    /// Where its source continues, with the objects unchanged.
    case cursor(name: String, [UInt8])
    /// Other objects, the new revision, and what to remember of earlier changes. No client gets a revision after
    /// `limit` before another change raises it. `cursor` is where its source continues; nil = unchanged.
    case update(
        name: String, PreparedTransaction, log: [StoredChange], forgetBefore: UInt64, limit: UInt64, cursor: [UInt8]?)
    /// A block of revisions, up to a limit, that the adapter may use without writing each.
    case reserve(name: String, limit: UInt64)
    /// The end of a run: the revision that was used last, which is the limit from now on, and what to remember.
    case settle(name: String, revision: UInt64, log: [StoredChange], forgetBefore: UInt64)
}

/// What is known of an adapter beside its objects.
package struct StoredAdapter: Sendable, Equatable {
    /// Its name.
    package private(set) var name: String
    /// The name of its numbering.
    package var epoch: String
    /// The Unix user that created it; 0 for configured ones.
    package var owner: UInt32
    /// Whether it comes from a configuration file.
    package var isConfigured: Bool
    /// Its options, as ``AdapterOptions/values`` has them.
    package private(set) var options: Fields

    /// Describes an adapter.
    package init(name: String, epoch: String, owner: UInt32, isConfigured: Bool = false, options: Fields) {
        self.name = name
        self.epoch = epoch
        self.owner = owner
        self.isConfigured = isConfigured
        self.options = options
    }

    /// The same adapter with another name.
    func renamed(_ name: String) -> StoredAdapter {
        var adapter = self
        adapter.name = name
        return adapter
    }

    /// The same adapter with other options.
    func with(_ options: Fields) -> StoredAdapter {
        var adapter = self
        adapter.options = options
        return adapter
    }
}

/// One remembered transaction, in an encoding of the caller's.
package struct StoredChange: Sendable, Equatable {
    /// The revision that it led to.
    package var revision: UInt64
    /// What happened.
    package var bytes: [UInt8]

    /// Describes a change.
    package init(revision: UInt64, bytes: [UInt8]) {
        self.revision = revision
        self.bytes = bytes
    }
}

/// An adapter as it was stored.
package struct RestoredAdapter: Sendable, Equatable {
    /// The stored adapter.
    package var adapter: StoredAdapter
    /// Its revision: that of the objects, or, after a crash, the last revision that clients may have seen.
    package var revision: UInt64
    /// Its objects in order.
    package var objects: [ListObject]
    /// The remembered transactions, oldest first; none when revisions may have been given that nobody knows.
    package var changes: [StoredChange]
    /// Where its source goes on; nil = from its beginning.
    package var cursor: [UInt8]?
}
