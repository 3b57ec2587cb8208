// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
@_spi(Daemon) internal import ListKit

/// The computation of one follower's objects from the list that it follows. It runs on a queue of its own, so that
/// neither list waits for it.
///
/// It reports one change at a time. Changes that arrive before the reported one is applied are merged into the next.
final class Derivation: Sendable {
    /// A message to the follower, delivered on the bus thread.
    enum Report: Sendable {
        /// The derivation needs the next page of the followed list, from this offset on.
        case needsPage(offset: Int)
        /// The derived objects have changed. With this change, all queries up to the number `queries` take effect.
        /// The derivation sends nothing more until ``recordOutcome(isApplied:number:)``.
        case change(DerivedChange, queries: UInt64)
        /// All queries up to the number `queries` have taken effect, and the derived objects stay as they are.
        case unchanged(queries: UInt64)
    }

    /// Receives a report, with the number of the base that it is about (see ``begin(_:number:)``).
    typealias Sink = @Sendable (Report, _ number: UInt64) -> Void

    /// What is derived at present, and how far.
    private final class DerivationState: @unchecked Sendable {
        // Owned by the derivation's serial queue.
        fileprivate var list = DerivedList(DerivedQuery())
        /// The number of the base that is followed now.
        fileprivate var number: UInt64 = 0
        fileprivate var isAwaitingOutcome = false
        fileprivate var query: UInt64 = 0
        fileprivate var reportedQuery: UInt64 = 0
    }

    private let queue = DispatchQueue(label: "org.listd.following")
    private let state = DerivationState()
    private let sink: Sink

    init(_ sink: @escaping Sink) { self.sink = sink }

    /// Starts again with an empty base, to which the follower gave this number.
    func restart(with query: DerivedQuery, number: UInt64) {
        queue.async { [self] in
            state.list = DerivedList(query)
            state.number = number
            state.isAwaitingOutcome = false
        }
    }

    /// Adds a page of the followed list's objects.
    func append(_ objects: [ListObject], from offset: Int, total: Int, number: UInt64) {
        queue.async { [self] in
            guard number == state.number, !state.list.isLoaded else { return }
            state.list.append(objects, from: offset, total: total)
            if state.list.isLoaded { sendChange() } else { sink(.needsPage(offset: state.list.baseCount), number) }
        }
    }

    /// Applies a change of the followed list.
    func apply(_ change: Change, number: UInt64) {
        queue.async { [self] in
            guard number == state.number else { return }
            state.list.apply(change)
            sendChange()
        }
    }

    /// Changes the query.
    ///
    /// - Parameter queryNumber: the number of the query; it is greater than the previous number.
    func setQuery(_ query: DerivedQuery, queryNumber: UInt64) {
        queue.async { [self] in
            state.list.setQuery(query)
            state.query = queryNumber
            sendChange()
        }
    }

    /// Records whether the reported change was applied. After a refusal, the next change replaces the whole list.
    func recordOutcome(isApplied: Bool, number: UInt64) {
        queue.async { [self] in
            guard number == state.number else { return }
            state.isAwaitingOutcome = false
            if !isApplied { state.list.makeWholeListNext() }
            sendChange()
        }
    }

    private func sendChange() {
        guard !state.isAwaitingOutcome else { return }
        if let change = state.list.dequeueChange() {
            state.isAwaitingOutcome = true
            state.reportedQuery = state.query
            sink(.change(change, queries: state.query), state.number)
            // While the change is being applied, the lookup trees are built, so that the next change of a single
            // object finds them.
            if case .replace = change { state.list.prepare() }
        } else if state.query > state.reportedQuery {
            state.reportedQuery = state.query
            sink(.unchanged(queries: state.query), state.number)
        }
    }
}
