// SPDX-License-Identifier: Apache-2.0

/// Requests that are answered together, and what they amount to.
struct PendingUpdate {
    /// What was taken from the queue, in order.
    var entries: [RequestQueue.Entry] = []
    /// How each was judged.
    var verdicts: [RequestVerdict] = []
    /// What is presented.
    var update = ObjectUpdate()
    /// Whether the whole list is written, since it is stored from now on.
    var isPersisting = false
    /// Whether only item updates run: what they change is known when they have.
    var runsItemUpdates = false
    /// Positions before of objects that somebody wants reloaded.
    private var forced: Set<Int> = []
    /// Whether a request wrote objects, changed or not.
    private var hasWrites = false

    /// Nothing that anybody asked for.
    init() {}

    /// Something that goes alone.
    init(_ entry: RequestQueue.Entry) {
        entries = [entry]
        verdicts = [RequestVerdict(id: entry.id)]
        update.animated = entry.request?.allowsAnimation ?? false
    }

    /// Other options.
    init(
        _ entry: RequestQueue.Entry, replacing old: ListOptions, with new: ListOptions,
        controllersChanged: Bool
    ) {
        self.init(entry)
        update.animated = false
        update.configuration = new
        update.rebuildsControllers = controllersChanged
        update.relaysOut = old.affectsLayout(comparedTo: new)
        if update.isAnnounced { update.through = entry.ticket }
    }

    /// Requests that were judged together.
    init(_ entries: [RequestQueue.Entry], _ staged: StagedRequests, through ticket: Ticket) {
        self.entries = entries
        verdicts = staged.verdicts
        forced = staged.forced
        hasWrites = staged.hasWrites
        update.rebuildsControllers = staged.rebuildsControllers
        update.animated = staged.animated
        update.through = ticket
    }

    /// Applies what the section controllers say of an item that was dragged.
    mutating func apply(_ verdict: ItemMoveVerdict, in table: SectionTable) throws(ListError) {
        update.through = entries.first?.ticket ?? .none
        switch verdict {
        case .refused: verdicts = verdicts.map { RequestVerdict(id: $0.id, isRefused: true) }
        case .error(let error): throw error
        case .section(let from, let to):
            guard table.object(at: from, .old) != nil, table.object(at: to, .old) != nil else {
                throw ListError(.noSuchItem, "no section \(from), or no section \(to)")
            }
            if from != to { update.changes.moves = [(from, to)] }
        case .object(let object):
            guard let index = table.index(ofID: object.id, .old), let old = table.object(at: index, .old) else {
                throw ListError(.noSuchItem, "no object \(object.id.quoted) in which an item could move")
            }
            if !object.hasSameContent(as: old) { update.changes.updates = [(index, object)] }
        }
    }

    /// Reloads objects that stay.
    mutating func leaveOutUnneededReloads() {
        guard !forced.isEmpty else { return }
        update.forced = [IndexRun](ascending: forced.subtracting(update.changes.deletes).sorted())
    }

    /// With the updater that reloads, has the sections asked for everything anew if something was written.
    mutating func follow(_ updater: ListOptions.Updater) {
        switch updater {
        case .batch: break
        case .reload: update.asksAnew = hasWrites || update.isAnnounced
        }
    }

    /// Where the source goes on after the last request of it that was applied.
    var cursor: [UInt8]? {
        zip(entries, verdicts).reduce(nil) { $1.1.error == nil ? $1.0.cursor ?? $0 : $0 }
    }

    /// The answers.
    ///
    /// - Parameter error: answers all that have no error of their own.
    func answers(revision: UInt64, failing error: ListError? = nil) -> [RequestAnswer] {
        verdicts.map { verdict in
            RequestAnswer(
                id: verdict.id, outcome: (verdict.error ?? error).map { .failure($0) } ?? .success(revision),
                droppedDuplicates: verdict.droppedDuplicates, isRefused: error == nil && verdict.isRefused)
        }
    }
}
