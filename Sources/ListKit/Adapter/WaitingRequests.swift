// SPDX-License-Identifier: Apache-2.0

/// The requests of a list that are not answered yet, each with its waiter.
struct WaitingRequests {
    /// The receiver of a request's outcome.
    enum Waiter {
        /// A host, which gets an answer with its own identifier of the request.
        case host(RequestID)
        /// A program, whose completion is called.
        case program((Bool) -> Void)
        /// A program that requested the objects of a data source.
        ///
        /// The data source is asked when the flush begins. It is held strongly until the request is answered.
        case dataSource(any ListAdapterDataSource, (Bool) -> Void)
    }

    private struct Entry {
        let waiter: Waiter
        let ticket: Ticket
        let isAnimated: Bool
        let isItemMove: Bool
    }

    /// The waiters by their identifiers in the ``ObjectList``. Hosts may use the same identifier again.
    private var entries: [RequestID: Entry] = [:]
    private var lastID: RequestID = 0

    /// Returns a new identifier for a request in the ``ObjectList``.
    mutating func makeID() -> RequestID {
        lastID += 1
        return lastID
    }

    /// Adds the waiter for a request.
    mutating func insert(_ waiter: Waiter, for request: UpdateRequest, ticket: Ticket) {
        let isItemMove = if case .moveItem = request.operation { true } else { false }
        entries[request.id] = Entry(
            waiter: waiter, ticket: ticket, isAnimated: request.animated, isItemMove: isItemMove)
    }

    /// Returns the data source whose objects a request needs; `nil` for other requests.
    func dataSource(of id: RequestID) -> (any ListAdapterDataSource)? {
        if case .dataSource(let source, _) = entries[id]?.waiter { source } else { nil }
    }

    /// The answers and completions for a set of requests.
    struct Outcome {
        /// The answers for hosts, with the identifiers that the hosts use.
        var answers: [RequestAnswer] = []
        /// The completions of programs, with the tickets of their requests.
        var completions: [(ticket: Ticket, call: () -> Void)] = []
        /// Whether all requests that succeeded are animated.
        var isAnimated = true
        /// Whether a request other than the move of an item has succeeded.
        var isUpdate = false
    }

    /// Removes the waiters of the answered requests, and returns the answers and completions for these waiters.
    mutating func removeWaiters(for answers: [RequestAnswer]) -> Outcome {
        var outcome = Outcome()
        for answer in answers {
            guard let entry = entries.removeValue(forKey: answer.id) else { continue }
            let isApplied = if case .success = answer.outcome { true } else { false }
            if isApplied {
                outcome.isAnimated = outcome.isAnimated && entry.isAnimated
                outcome.isUpdate = outcome.isUpdate || !entry.isItemMove
            }
            switch entry.waiter {
            case .host(let id):
                var answer = answer
                answer.id = id
                outcome.answers.append(answer)
            case .program(let completion), .dataSource(_, let completion):
                outcome.completions.append((entry.ticket, { completion(isApplied) }))
            }
        }
        return outcome
    }

    /// The completions of all waiting programs, in order of arrival.
    var completions: [(Bool) -> Void] {
        entries.values.sorted { $0.ticket < $1.ticket }.compactMap { entry in
            switch entry.waiter {
            case .host: nil
            case .program(let completion), .dataSource(_, let completion): completion
            }
        }
    }
}
