// SPDX-License-Identifier: Apache-2.0

/// Who waits for the requests of a list: hosts for answers, programs for completions.
struct WaitingRequests {
    /// Somebody who waits.
    enum Waiter {
        /// A host, which named the request.
        case host(RequestID)
        /// A program.
        case program((Bool) -> Void)
        /// A program, for the objects that a data source has when the flush begins; it is kept alive until then.
        case dataSource(any ListAdapterDataSource, (Bool) -> Void)
    }

    private struct Entry {
        let waiter: Waiter
        let ticket: Ticket
        let isAnimated: Bool
    }

    /// Requests get names of their own in the ``ObjectList``: those of hosts may repeat.
    private var entries: [RequestID: Entry] = [:]
    private var lastID: RequestID = 0

    /// Names the next request.
    mutating func makeID() -> RequestID {
        lastID += 1
        return lastID
    }

    /// Somebody waits for a request.
    mutating func insert(_ waiter: Waiter, _ request: UpdateRequest, ticket: Ticket) {
        entries[request.id] = Entry(waiter: waiter, ticket: ticket, isAnimated: request.animated)
    }

    /// The data source whose objects a request brings.
    func dataSource(of id: RequestID) -> (any ListAdapterDataSource)? {
        if case .dataSource(let source, _) = entries[id]?.waiter { source } else { nil }
    }

    /// What is to be told to those who wait for some requests.
    struct Outcome {
        /// Answers to hosts, with their own names.
        var answers: [RequestAnswer] = []
        /// Completions of programs, by their places.
        var completions: [(ticket: Ticket, call: () -> Void)] = []
        /// Whether all that was applied is animated.
        var isAnimated = true
    }

    /// Nobody waits for these requests any more.
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

    /// The completions of all who wait, in order.
    var completions: [(Bool) -> Void] {
        entries.values.sorted { $0.ticket < $1.ticket }.compactMap { entry in
            switch entry.waiter {
            case .host: nil
            case .program(let completion), .dataSource(_, let completion): completion
            }
        }
    }
}
