// SPDX-License-Identifier: Apache-2.0

/// Where the flush of an adapter stands.
enum FlushState {
    /// There is none.
    case idle
    /// A diff is being computed.
    case diffing(Flush, generation: UInt64)
    /// The host is storing the transaction.
    case prepared(Flush)
    /// The transaction is being applied.
    case applying

    /// What was taken from the queue and is not applied yet.
    var work: [QueuedWork] {
        switch self {
        case .idle, .applying: []
        case .diffing(let flush, _), .prepared(let flush): flush.work
        }
    }
}

/// One flush: requests that are answered together, and what they amount to.
struct Flush {
    /// What was taken from the queue, in case it has to go back.
    var work: [QueuedWork] = []
    /// Whether it is announced as a reload.
    var isReload: Bool { reloadsAll || relaysOut || asksAnew }
    /// The requests, and how validation judged each.
    var verdicts: [RequestVerdict] = []
    /// What becomes of the sections.
    var changes = SectionChanges()
    /// Objects that are reloaded whether they changed or not.
    var reloaded: [ListObject] = []
    /// Whether all section controllers are made anew.
    var reloadsAll = false
    /// Whether all views are laid out anew; section controllers stay.
    var relaysOut = false
    /// Whether some request wrote to the list, changed or not.
    var hasUpdates = false
    /// Whether every section is asked for its number of items, sizes and contents anew; section controllers stay.
    var asksAnew = false
    /// The configuration to take over.
    var configuration: ListOptions?
    /// Item updates to run.
    var itemUpdates: [ItemUpdate] = []
    /// Whether nothing but items may change.
    var hasOnlyItemUpdates = false
    /// Whether everything in it was animated (rule UP-16).
    var isAnimated = true
    /// An item that is dragged inside its section: the section controller is asked.
    var itemMove: (section: SectionHandle, from: Int, to: Int)?

    /// The answers to all requests of the host, with the revision that the flush led to.
    func answers(revision: UInt64) -> [RequestAnswer] {
        hostVerdicts.map { verdict in
            RequestAnswer(
                id: verdict.id, outcome: verdict.error.map { .failure($0) } ?? .success(revision),
                droppedDuplicates: verdict.droppedDuplicates, isRefused: verdict.isRefused)
        }
    }

    /// The judgements on requests that are answered, not completed.
    private var hostVerdicts: [RequestVerdict] {
        let requests = work.filter { element in
            if case .itemUpdate = element { false } else { true }
        }
        return zip(requests, verdicts).compactMap { element, verdict in
            if case .request(_, nil) = element { verdict } else { nil }
        }
    }

    /// The answers when the transaction could not be applied: an error for all that had none.
    func answers(failing error: ListError) -> [RequestAnswer] {
        hostVerdicts.map {
            RequestAnswer(id: $0.id, outcome: .failure($0.error ?? error), droppedDuplicates: $0.droppedDuplicates)
        }
    }
}
