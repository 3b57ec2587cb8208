// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// Passes the pages of a list from the thread that makes them to the thread that sends them, so that both work at the same time.
///
/// At most one page waits, so that a long list takes the memory of three pages: the one that is made, this one, and the one that is
/// sent.
final class PageHandoff<End: Sendable>: Sendable {
    private struct State {
        var page: [ListObject]?
        var end: Result<End, any Error>?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// Signalled when there is a page or the end.
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled when there is room for a page: at the start, and after each page that the sender takes.
    private let emptied = DispatchSemaphore(value: 0)

    init() {
        // Not as the initial value: Dispatch traps when a semaphore is freed with less than its initial value, as after `abandon()`.
        emptied.signal()
    }

    // MARK: The thread that makes pages

    /// Passes a page on; waits until the page before it was taken.
    ///
    /// - Throws: a fault after ``abandon()``.
    func put(_ page: [ListObject]) throws(ListFault) {
        emptied.wait()
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.page = page }
            return state.isAbandoned
        }
        guard !isAbandoned else { throw ListFault("the list is gone") }
        filled.signal()
    }

    /// Ends the pages, with an error or without.
    func finish(_ end: Result<End, any Error>) {
        state.withLock { $0.end = end }
        filled.signal()
    }

    // MARK: The thread that sends pages

    /// Waits for the next page; nil = there are no more.
    ///
    /// - Throws: the error of the thread that makes pages.
    func next() throws -> [ListObject]? {
        filled.wait()
        let page = state.withLock { state in
            defer { state.page = nil }
            return state.page
        }
        if let page {
            emptied.signal()
            return page
        }
        // A further call returns the same.
        filled.signal()
        if case .failure(let error) = state.withLock({ $0.end }) { throw error }
        return nil
    }

    /// The result of the thread that makes pages; nil before ``next()`` has returned nil.
    var end: End? { try? state.withLock { $0.end }?.get() }

    /// Takes no more pages; ``put(_:)`` throws then.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        emptied.signal()
    }
}
