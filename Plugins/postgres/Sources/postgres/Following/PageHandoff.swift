// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import PluginAPI
internal import Synchronization

/// Passes the pages of a list from the thread that reads them to the thread that sends them, so that both work at
/// the same time.
///
/// At most one page waits in between, so that a long list takes the memory of three pages: the one being read, the
/// waiting one and the one being sent.
final class PageHandoff<End: Sendable>: Sendable {
    private struct State {
        var page: [ListObject]?
        var end: Result<End, any Error>?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    /// Signalled when there is a page or the end.
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled when there is room for a page: at the start, and after each page that the sender removes.
    private let emptied = DispatchSemaphore(value: 0)

    init() {
        // The initial value of the semaphore is 0 because Dispatch traps when a semaphore is freed with less than
        // its initial value, as after ``put(_:)`` without a reader.
        emptied.signal()
    }

    // MARK: The thread that reads pages

    /// Passes on a page. Waits until the page before it was removed.
    ///
    /// - Throws: An error after ``abandon()``.
    func put(_ page: [ListObject]) throws(ListFault) {
        emptied.wait()
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.page = page }
            return state.isAbandoned
        }
        guard !isAbandoned else { throw ListFault("the list was stopped") }
        filled.signal()
    }

    /// Ends the sequence of pages, with a result or an error.
    func finish(_ end: Result<End, any Error>) {
        state.withLock { $0.end = end }
        filled.signal()
    }

    // MARK: The thread that sends pages

    /// Waits for the next page; `nil` = there are no more pages.
    ///
    /// - Throws: The error of the thread that reads pages.
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
        // Lets a further call return `nil` too.
        filled.signal()
        if case .failure(let error) = state.withLock({ $0.end }) { throw error }
        return nil
    }

    /// The result of the thread that reads pages; `nil` before ``next()`` has returned `nil`.
    var end: End? { try? state.withLock { $0.end }?.get() }

    /// Accepts no more pages: ``put(_:)`` throws from now on.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        emptied.signal()
    }
}
