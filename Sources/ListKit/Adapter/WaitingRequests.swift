// SPDX-License-Identifier: Apache-2.0

/// The waiters for the requests of a list: hosts for answers, programs for completions.
struct WaitingRequests {
    /// A waiter.
    enum Waiter {
        /// A host, with its identifier of the request.
        case host(RequestID)
        /// A program.
        case program((Bool) -> Void)
        /// A program, for the objects that a data source has when the flush begins; the data source is retained until
        /// then.
        case dataSource(any ListAdapterDataSource, (Bool) -> Void)
    }

    private struct Entry {
        let waiter: Waiter
        let ticket: Ticket
        let isAnimated: Bool
    }

    /// Requests get other identifiers in the ``ObjectList``, because those of hosts may repeat.
    private var entries: [RequestID: Entry] = [:]
    private var lastID: RequestID = 0

    /// Makes the identifier of the next request.
    mutating func makeID() -> RequestID {
        lastID += 1
        return lastID
    }

    /// Adds the waiter for a request.
    mutating func insert(_ waiter: Waiter, _ request: UpdateRequest, ticket: Ticket) {
        entries[request.id] = Entry(waiter: waiter, ticket: ticket, isAnimated: request.animated)
    }

    /// The data source of which a request has the objects.
    func dataSource(of id: RequestID) -> (any ListAdapterDataSource)? {
        if case .dataSource(let source, _) = entries[id]?.waiter { source } else { nil }
    }

    /// The answers and completions of some requests.
    struct Outcome {
        /// Answers to hosts, with their own identifiers.
        var answers: [RequestAnswer] = []
        /// Completions of programs, by their tickets.
        var completions: [(ticket: Ticket, call: () -> Void)] = []
        /// Whether all requests that were applied are animated.
        var isAnimated = true
    }

    /// Removes the waiters for some requests and returns their answers and completions.
    mutating func remove(_ answers: [RequestAnswer]) -> Outcome {
        var outcome = Outcome()
        for answer in answers {
            guard let entry = entries.removeValue(forKey: answer.id) else { continue }
            let isApplied = if case .success = answer.outcome { true } else { false }
            if isApplied { outcome.isAnimated = outcome.isAnimated && entry.isAnimated }
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

    /// The completions of all waiters, in order.
    var completions: [(Bool) -> Void] {
        entries.values.sorted { $0.ticket < $1.ticket }.compactMap { entry in
            switch entry.waiter {
            case .host: nil
            case .program(let completion), .dataSource(_, let completion): completion
            }
        }
    }
}
