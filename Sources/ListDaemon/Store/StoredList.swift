package import ListKit
internal import Synchronization

/// One list in the store: whatever is written about it goes through here, in the order in which it is handed over.
///
/// Used by the list's host for its transactions and by the bus thread for everything else. Without a store, or with
/// durability `memory`, nothing is kept.
package final class StoredList: Sendable {
    private struct State {
        var adapter: StoredAdapter
        var durability: Durability
        /// Whether the removal is written, or about to be: nothing may follow it.
        var isRemoved = false
    }

    private let store: (any Store)?
    private let log: Log
    private let state: Mutex<State>

    /// Describes a list; nothing is written yet.
    package init(_ adapter: StoredAdapter, durability: Durability, store: (any Store)?, log: Log) {
        self.store = store
        self.log = log
        state = Mutex(State(adapter: adapter, durability: durability))
    }

    /// Whether its transactions are stored.
    package var isStored: Bool { store != nil && durability != .memory }

    /// The name of its numbering.
    package var epoch: String { state.withLock { $0.adapter.epoch } }

    private var durability: Durability { state.withLock { $0.durability } }

    /// Writes that the list exists, if it is to be kept.
    package func create() async throws(ListError) {
        if isStored { try await write { .create($0.adapter) } }
    }

    /// Writes a transaction of the list.
    ///
    /// - Parameter completion: called on any thread when it is safe, or with the reason why nothing was written.
    package func write(_ update: PreparedUpdate, completion: @escaping @Sendable (ListError?) -> Void) {
        guard isStored else { return completion(nil) }
        let log = update.log.map { StoredChange($0) }
        write { state in
            .update(
                name: state.adapter.name, update.transaction, log: log, forgetBefore: update.oldestRevision + 1)
        } completion: {
            completion($0)
        }
    }

    /// Writes that the list is gone; afterwards nothing is written any more. When it fails, the list is as it was.
    package func remove() async throws(ListError) {
        guard isStored else { return state.withLock { $0.isRemoved = true } }
        do throws(ListError) {
            try await write { state in
                state.isRemoved = true
                return .remove(name: state.adapter.name)
            }
        } catch {
            state.withLock { $0.isRemoved = false }
            throw error
        }
    }

    /// Takes other options over; a list that was not kept is to be written whole afterwards.
    package func take(_ options: Fields, durability: Durability) async throws(ListError) {
        let (wasStored, isStored) = state.withLock { state in
            let before = state.durability
            state.adapter.options = options
            state.durability = durability
            return (store != nil && before != .memory, store != nil && durability != .memory)
        }
        switch (wasStored, isStored) {
        case (true, true): try await write { .options(name: $0.adapter.name, options) }
        case (false, true): try await write { .create($0.adapter) }
        case (true, false): try await write { .remove(name: $0.adapter.name) }
        case (false, false): break
        }
    }

    // MARK: Writing

    private func write(_ change: (inout State) -> StoreChange) async throws(ListError) {
        let error: ListError? = await withCheckedContinuation { continuation in
            write(change) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Hands a change over, in the order of the calls.
    private func write(
        _ change: (inout State) -> StoreChange, completion: @escaping @Sendable (ListError?) -> Void
    ) {
        let isHandedOver = state.withLock { state in
            guard let store, !state.isRemoved else { return false }
            let name = state.adapter.name
            store.write(change(&state), durability: state.durability) { [log] outcome in
                guard case .failure(let error) = outcome else { return completion(nil) }
                log.error(
                    "adapter \(name.debugDescription) could not be stored: \(error)", .adapter(name),
                    event: .storeFailed, limitedBy: "store")
                completion(error)
            }
            return true
        }
        if isHandedOver { return }
        completion(store == nil ? nil : ListError(.noSuchAdapter, "the adapter is removed"))
    }
}
