// SPDX-License-Identifier: Apache-2.0

package import ListConfiguration
@_spi(Daemon) package import ListKit
package import ListSupport
internal import Synchronization

/// One list in the store: whatever is written about it goes through here, in the order in which it is handed over.
///
/// Used by the list's host for its transactions and by the bus thread for everything else. Without a store, or with
/// durability `memory`, nothing is kept.
package final class StoredList: Sendable {
    private struct State {
        var adapter: StoredAdapter
        var durability: Durability
        var transition = PersistenceTransition.none
        /// Where its source goes on, as it was written last, or would be.
        var cursor: [UInt8]?
        /// Whether the removal is written, or about to be: nothing may follow it.
        var isRemoved = false
    }

    /// A list that comes to be kept, or to be kept no more.
    private enum PersistenceTransition {
        /// The durability does not change.
        case none
        /// What is written next is the whole list: it is written with the list itself, all of it or nothing.
        case enabling(StoredAdapter, Durability)
        /// Its removal is being written: what comes meanwhile waits to learn whether it is still to be written.
        case disabling([@Sendable () -> Void])
        /// Another name is being written: what comes meanwhile waits to learn which one it is for.
        case renaming([@Sendable () -> Void])
    }

    private let store: (any Store)?
    private let log: Log
    private let state: Mutex<State>
    /// Where its source goes on, on the way into the list.
    package let cursors = RequestCursor()

    /// Describes a list; nothing is written yet.
    ///
    /// - Parameter cursor: where its source goes on, as it is stored.
    package init(
        _ adapter: StoredAdapter, cursor: [UInt8]? = nil, durability: Durability, store: (any Store)?, log: Log
    ) {
        self.store = store
        self.log = log
        state = Mutex(State(adapter: adapter, durability: durability, cursor: cursor))
    }

    /// Whether its transactions are stored.
    package var isStored: Bool { isStored(with: durability) }

    /// The name of its numbering.
    package var epoch: String { state.withLock { $0.adapter.epoch } }

    /// Where its source goes on, as it was written last, or would be if the list were kept.
    package var cursor: [UInt8]? { state.withLock { $0.cursor } }

    /// Whether its transactions would be stored with another durability.
    package func isStored(with durability: Durability) -> Bool { store != nil && durability != .memory }

    private var durability: Durability { state.withLock { $0.durability } }

    /// Writes that the list exists, if it is to be kept.
    package func create() async throws(ListError) {
        if isStored { try await write { .write(.create($0.adapter), $0.durability) } }
    }

    /// Writes what a list has to have written.
    ///
    /// - Parameter completion: called on any thread when it is safe, or with the reason why nothing was written.
    package func write(_ work: StoreWork, completion: @escaping @Sendable (ListError?) -> Void) {
        let cursor = cursors.bytes(of: work.requests)
        let (log, oldest) = (work.log.map { StoredChange($0) }, work.oldestRevision + 1)
        let transaction = PreparedTransaction(
            baseRevision: work.revision, revision: work.revision,
            content: work.content ?? .changes(PreparedTransaction.Changes()))
        handOver { state in
            switch state.transition {
            case .enabling(let adapter, let durability) where work.isWhole:
                return .write(.createFilled(adapter, transaction, log: log, cursor: state.cursor), durability)
            case .disabling(let waiting):
                state.transition = .disabling(waiting + [{ self.write(work, completion: completion) }])
                return .later
            case .renaming(let waiting):
                state.transition = .renaming(waiting + [{ self.write(work, completion: completion) }])
                return .later
            case .none, .enabling: break
            }
            guard state.durability != .memory else { return .nothing }
            let name = state.adapter.name
            let change: StoreChange =
                work.content == nil && work.limit == work.revision
                ? .settle(name: name, revision: work.revision, log: log, forgetBefore: oldest)
                : .update(
                    name: name, transaction, log: log, forgetBefore: oldest, limit: work.limit, cursor: cursor)
            return .write(change, state.durability)
        } completion: { error in
            if work.isWhole { self.didBegin(error) }
            if error == nil, let cursor { self.state.withLock { $0.cursor = cursor } }
            completion(error)
        }
    }

    /// Writes where its source goes on, with the objects as they are; when the store refuses that, the next write tries again.
    package func write(cursor: [UInt8]) {
        handOver { state in
            switch state.transition {
            case .disabling(let waiting):
                state.transition = .disabling(waiting + [{ self.write(cursor: cursor) }])
                return .later
            case .renaming(let waiting):
                state.transition = .renaming(waiting + [{ self.write(cursor: cursor) }])
                return .later
            case .none, .enabling:
                guard state.durability != .memory else { return .nothing }
                return .write(.cursor(name: state.adapter.name, cursor), state.durability)
            }
        } completion: { error in
            if error == nil { self.state.withLock { $0.cursor = cursor } }
        }
    }

    /// Writes that the list is gone; afterwards nothing is written any more. When it fails, the list is as it was.
    package func remove() async throws(ListError) {
        guard isStored else { return state.withLock { $0.isRemoved = true } }
        do throws(ListError) {
            try await write { state in
                state.isRemoved = true
                return .write(.remove(name: state.adapter.name), state.durability)
            }
        } catch {
            state.withLock { $0.isRemoved = false }
            throw error
        }
    }

    // MARK: Another name

    /// Gives the list another name; when the store refuses that, everything is as it was.
    package func rename(to new: String) async throws(ListError) {
        let error = await outcome { state in
            guard state.durability != .memory else { return .nothing }
            state.transition = .renaming([])
            return .write(.rename(name: state.adapter.name, to: new), state.durability)
        }
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            if error == nil { state.adapter = state.adapter.renamed(new) }
            guard case .renaming(let waiting) = state.transition else { return [] }
            state.transition = .none
            return waiting
        }
        for write in waiting { write() }
        if let error { throw error }
    }

    // MARK: Other options

    /// Takes other options over when the store has them; whether the list is kept stays as it is.
    package func setOptions(_ options: Fields, durability: Durability) async throws(ListError) {
        if isStored { try await write { .write(.options(name: $0.adapter.name, options), durability) } }
        state.withLock { ($0.adapter, $0.durability) = ($0.adapter.with(options), durability) }
    }

    /// Keeps the list from the next transaction on, which is the whole list; when that is refused, the list is as it was.
    package func begin(_ options: Fields, durability: Durability) {
        state.withLock { state in
            state.transition = .enabling(state.adapter.with(options), durability)
        }
    }

    private func didBegin(_ error: ListError?) {
        state.withLock { state in
            guard case .enabling(let adapter, let durability) = state.transition else { return }
            state.transition = .none
            if error == nil { (state.adapter, state.durability) = (adapter, durability) }
        }
    }

    /// Keeps the list no more; when the store refuses that, the list is as it was.
    package func end(_ options: Fields) async throws(ListError) {
        let error = await outcome { state in
            state.transition = .disabling([])
            return .write(.remove(name: state.adapter.name), state.durability)
        }
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            let transition = state.transition
            state.transition = .none
            if error == nil { (state.adapter, state.durability) = (state.adapter.with(options), .memory) }
            guard case .disabling(let waiting) = transition else { return [] }
            return waiting
        }
        for write in waiting { write() }
        if let error { throw error }
    }

    // MARK: Writing

    /// What becomes of something that is to be written.
    private enum Order {
        case write(StoreChange, Durability)
        /// It is not to be written.
        case nothing
        /// It was put off.
        case later
    }

    private func write(_ order: (inout State) -> Order) async throws(ListError) {
        if let error = await outcome(order) { throw error }
    }

    private func outcome(_ order: (inout State) -> Order) async -> ListError? {
        await withCheckedContinuation { continuation in
            handOver(order) { continuation.resume(returning: $0) }
        }
    }

    /// Hands a change over, in the order of the calls.
    private func handOver(
        _ order: (inout State) -> Order, completion: @escaping @Sendable (ListError?) -> Void
    ) {
        let answer = state.withLock { state -> (@Sendable () -> Void)? in
            guard let store else { return { completion(nil) } }
            guard !state.isRemoved else {
                return { completion(ListError(.noSuchAdapter, "the adapter is removed")) }
            }
            let name = state.adapter.name
            switch order(&state) {
            case .nothing: return { completion(nil) }
            case .later: return nil
            case .write(let change, let durability):
                store.write(change, durability: durability) { [log] outcome in
                    guard case .failure(let error) = outcome else { return completion(nil) }
                    log.error(
                        "adapter \(name.debugDescription) could not be stored: \(error)", .adapter(name),
                        event: .storeFailed, limitedBy: "store")
                    completion(error)
                }
                return nil
            }
        }
        answer?()
    }
}

extension StoreWork {
    /// Whether it is the list as it is, not a change of it.
    fileprivate var isWhole: Bool {
        guard case .replace = content else { return false }
        return limit == revision
    }
}
