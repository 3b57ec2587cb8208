// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import Dispatch
@_spi(Daemon) internal import ListKit

/// The derived list of one follower, on a queue of its own: neither the list that is followed nor the one that follows waits
/// for it.
///
/// It sends one change at a time; changes until that is applied go into the next one.
final class Derivation: Sendable {
    /// Receives the changes, on the bus thread.
    enum Report: Sendable {
        /// The next page is asked for from here.
        case needs(offset: Int)
        /// A change of the list; with it all queries up to a number hold. ``changeDidEnd(_:isApplied:)`` is awaited.
        case change(DerivedChange, queries: UInt64)
        /// All queries up to a number hold, and nothing is others because of it.
        case unchanged(queries: UInt64)
    }

    /// Takes a report, with the number of the list that it is about.
    typealias Sink = @Sendable (Report, _ number: UInt64) -> Void

    private final class State: @unchecked Sendable {
        // Owned by the derivation's serial queue.
        fileprivate var list = DerivedList(DerivedQuery())
        /// Which of the lists that were followed one after the other it is.
        fileprivate var number: UInt64 = 0
        fileprivate var isTelling = false
        fileprivate var query: UInt64 = 0
        fileprivate var queryTold: UInt64 = 0
    }

    private let queue = DispatchQueue(label: "org.listd.following")
    private let state = State()
    private let sink: Sink

    init(_ sink: @escaping Sink) { self.sink = sink }

    /// Begins anew, with nothing known of the list that is followed.
    func begin(_ query: DerivedQuery, number: UInt64) {
        queue.async { [self] in
            state.list = DerivedList(query)
            state.number = number
            state.isTelling = false
        }
    }

    /// Takes a page of the list that is followed.
    func append(_ objects: [ListObject], from offset: Int, total: Int, number: UInt64) {
        queue.async { [self] in
            guard number == state.number, !state.list.isLoaded else { return }
            state.list.append(objects, from: offset, total: total)
            if state.list.isLoaded { sendChange() } else { sink(.needs(offset: state.list.baseCount), number) }
        }
    }

    /// Takes a change of it.
    func apply(_ content: PreparedTransaction.Content, number: UInt64) {
        queue.async { [self] in
            guard number == state.number else { return }
            state.list.apply(content)
            sendChange()
        }
    }

    /// Takes another query.
    ///
    /// - Parameter count: the number of the query, greater than that of the one before.
    func setQuery(_ query: DerivedQuery, count: UInt64) {
        queue.async { [self] in
            state.list.setQuery(query)
            state.query = count
            sendChange()
        }
    }

    /// Records the outcome of the change that was sent; when it was refused, the whole list is sent.
    func changeDidEnd(_ number: UInt64, isApplied: Bool) {
        queue.async { [self] in
            guard number == state.number else { return }
            state.isTelling = false
            if !isApplied { state.list.tellWhole() }
            sendChange()
        }
    }

    private func sendChange() {
        guard !state.isTelling else { return }
        if let change = state.list.takeChange() {
            state.isTelling = true
            state.queryTold = state.query
            sink(.change(change, queries: state.query), state.number)
            // While it is applied: the next change of a single object finds the trees made.
            if case .replace = change { state.list.prepare() }
        } else if state.query > state.queryTold {
            state.queryTold = state.query
            sink(.unchanged(queries: state.query), state.number)
        }
    }
}
