// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
@_spi(Daemon) package import ListKit
package import ListSupport
internal import Synchronization

/// The connection of one list to the store. It writes the changes of the list in order.
///
/// The list's host uses it for transactions, and the bus thread for everything else. Without a store, or with
/// durability `memory`, nothing is written.
package final class StoredList: Sendable {
    private struct Record {
        var adapter: StoredAdapter
        var durability: Durability
        var transition = PersistenceTransition.none
        /// The last cursor of the list's source; if the list is stored, this cursor is in the store.
        var cursor: [UInt8]?
        /// Whether the removal of the list is written or about to be written, so that no other write may follow.
        var isRemoved = false
    }

    /// A change of the list's name or persistence whose outcome is not known yet.
    private enum PersistenceTransition {
        /// No such change is in progress.
        case none
        /// The list is to be stored from now on. The next write is the whole list; it also creates the stored list.
        case enabling(StoredAdapter, Durability)
        /// The stored list is being removed. Later writes wait until the outcome shows whether they are still needed.
        case disabling([@Sendable () -> Void])
        /// The stored list is being renamed. Later writes wait until the outcome shows the name for them.
        case renaming([@Sendable () -> Void])
    }

    private let store: (any Store)?
    private let log: Log
    private let record: Mutex<Record>

    /// Connects a list to the store, without writing anything yet.
    ///
    /// - Parameter cursor: the stored cursor of the list's source.
    package init(
        _ adapter: StoredAdapter, cursor: [UInt8]? = nil, durability: Durability, store: (any Store)?, log: Log
    ) {
        self.store = store
        self.log = log
        record = Mutex(Record(adapter: adapter, durability: durability, cursor: cursor))
    }

    /// Whether the list's transactions are stored.
    package var isStored: Bool { isStored(with: durability) }

    /// The epoch of the list's revisions.
    package var epoch: String { record.withLock { $0.adapter.epoch } }

    /// The last cursor of the list's source; if the list is stored, this cursor is in the store.
    package var cursor: [UInt8]? { record.withLock { $0.cursor } }

    /// Whether the list's transactions would be stored with a given durability.
    package func isStored(with durability: Durability) -> Bool { store != nil && durability != .memory }

    private var durability: Durability { record.withLock { $0.durability } }

    /// Creates the stored list, if the list is to be stored.
    package func create() async throws(ListError) {
        if isStored { try await write { .write(.create($0.adapter), $0.durability) } }
    }

    /// Writes a transaction of the list.
    ///
    /// - Parameter completion: called on any thread: with nil when the transaction is stored or need not be, or with
    ///   the error because of which nothing was written.
    package func write(_ new: StoreWrite, completion: @escaping @Sendable (ListError?) -> Void) {
        submit { record in
            switch record.transition {
            case .enabling(let adapter, let durability) where new.startsPersistence:
                return .write(.createFilled(adapter, new, cursor: record.cursor), durability)
            case .disabling(let waiting):
                record.transition = .disabling(waiting + [{ self.write(new, completion: completion) }])
                return .later
            case .renaming(let waiting):
                record.transition = .renaming(waiting + [{ self.write(new, completion: completion) }])
                return .later
            case .none, .enabling: break
            }
            guard record.durability != .memory else { return .nothing }
            return .write(.update(name: record.adapter.name, new), record.durability)
        } completion: { error in
            if new.startsPersistence { self.didEnablePersistence(error) }
            if error == nil, let cursor = new.change?.cursor { self.record.withLock { $0.cursor = cursor } }
            completion(error)
        }
    }

    /// Writes the cursor of the list's source, without changing objects. If the store refuses it, the next write has
    /// a newer cursor anyway.
    package func write(cursor: [UInt8]) {
        submit { record in
            switch record.transition {
            case .disabling(let waiting):
                record.transition = .disabling(waiting + [{ self.write(cursor: cursor) }])
                return .later
            case .renaming(let waiting):
                record.transition = .renaming(waiting + [{ self.write(cursor: cursor) }])
                return .later
            case .none, .enabling:
                guard record.durability != .memory else { return .nothing }
                return .write(.cursor(name: record.adapter.name, cursor), record.durability)
            }
        } completion: { error in
            if error == nil { self.record.withLock { $0.cursor = cursor } }
        }
    }

    /// Removes the stored list; nothing is written afterwards. If the removal fails, the list is unchanged.
    package func remove() async throws(ListError) {
        guard isStored else { return record.withLock { $0.isRemoved = true } }
        do throws(ListError) {
            try await write { record in
                record.isRemoved = true
                return .write(.remove(name: record.adapter.name), record.durability)
            }
        } catch {
            record.withLock { $0.isRemoved = false }
            throw error
        }
    }

    // MARK: Renaming

    /// Renames the stored list. If the store refuses that, the name is unchanged.
    package func rename(to new: String) async throws(ListError) {
        let error = await submit { record in
            guard record.durability != .memory else { return .nothing }
            record.transition = .renaming([])
            return .write(.rename(name: record.adapter.name, to: new), record.durability)
        }
        let waiting = record.withLock { record -> [@Sendable () -> Void] in
            if error == nil { record.adapter = record.adapter.renamed(to: new) }
            guard case .renaming(let waiting) = record.transition else { return [] }
            record.transition = .none
            return waiting
        }
        for write in waiting { write() }
        if let error { throw error }
    }

    // MARK: Changing options

    /// Changes the options as soon as they are stored; does not change whether the list is stored.
    package func setOptions(_ options: Fields, durability: Durability) async throws(ListError) {
        if isStored { try await write { .write(.options(name: $0.adapter.name, options), durability) } }
        record.withLock { ($0.adapter, $0.durability) = ($0.adapter.with(options: options), durability) }
    }

    /// Stores the list from the next transaction on, which must be the whole list. If the store refuses it, the list is
    /// not stored, as before.
    package func enablePersistence(_ options: Fields, durability: Durability) {
        record.withLock { record in
            record.transition = .enabling(record.adapter.with(options: options), durability)
        }
    }

    private func didEnablePersistence(_ error: ListError?) {
        record.withLock { record in
            guard case .enabling(let adapter, let durability) = record.transition else { return }
            record.transition = .none
            if error == nil { (record.adapter, record.durability) = (adapter, durability) }
        }
    }

    /// Removes the stored list and stores the list no more. If the store refuses that, the list stays stored.
    package func disablePersistence(_ options: Fields) async throws(ListError) {
        let error = await submit { record in
            record.transition = .disabling([])
            return .write(.remove(name: record.adapter.name), record.durability)
        }
        let waiting = record.withLock { record -> [@Sendable () -> Void] in
            let transition = record.transition
            record.transition = .none
            if error == nil { (record.adapter, record.durability) = (record.adapter.with(options: options), .memory) }
            guard case .disabling(let waiting) = transition else { return [] }
            return waiting
        }
        for write in waiting { write() }
        if let error { throw error }
    }

    // MARK: Writing

    /// The decision about a requested write.
    private enum WriteDecision {
        case write(StoreChange, Durability)
        /// Nothing has to be written.
        case nothing
        /// The write waits for the end of a ``PersistenceTransition``.
        case later
    }

    private func write(_ decide: (inout Record) -> WriteDecision) async throws(ListError) {
        if let error = await submit(decide) { throw error }
    }

    /// Submits a change, and returns the error if it is not stored.
    private func submit(_ decide: (inout Record) -> WriteDecision) async -> ListError? {
        await withCheckedContinuation { continuation in
            submit(decide) { continuation.resume(returning: $0) }
        }
    }

    /// Submits the change that `decide` returns to the store, in the order of the calls.
    private func submit(
        _ decide: (inout Record) -> WriteDecision, completion: @escaping @Sendable (ListError?) -> Void
    ) {
        let answer = record.withLock { record -> (@Sendable () -> Void)? in
            guard let store else { return { completion(nil) } }
            guard !record.isRemoved else {
                return { completion(ListError(.noSuchAdapter, "the adapter is removed")) }
            }
            let name = record.adapter.name
            switch decide(&record) {
            case .nothing: return { completion(nil) }
            case .later: return nil
            case .write(let change, let durability):
                store.write(change, durability: durability) { [log, failures = store.failures] outcome in
                    guard case .failure(let error) = outcome else {
                        if let line = failures.recordSuccess() { log.notice("\(line)") }
                        return completion(nil)
                    }
                    if let line = failures.recordRefusal(error, of: name) {
                        log.error("\(line)", .adapter(name), event: .storeFailed)
                    }
                    completion(error)
                }
                return nil
            }
        }
        answer?()
    }
}
