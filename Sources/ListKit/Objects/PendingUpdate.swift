// SPDX-License-Identifier: Apache-2.0

/// Requests that are answered together, and the update that results from them.
struct PendingUpdate {
    /// The requests, in order of arrival.
    var entries: [RequestQueue.Entry] = []
    /// The verdict on each.
    var verdicts: [RequestVerdict] = []
    /// The update to present.
    var update = ObjectUpdate()
    /// Whether the update begins to store the list, so that the whole list is written.
    var isPersisting = false
    /// Whether only item updates run, whose changes are known afterwards.
    var runsItemUpdates = false
    /// Positions before the update of objects whose reload was requested.
    private var forced: Set<Int> = []
    /// Whether a request wrote objects, changed or not.
    private var hasWrites = false

    /// Makes an update without requests.
    init() {}

    /// Makes the update of one request.
    init(_ entry: RequestQueue.Entry) {
        entries = [entry]
        verdicts = [RequestVerdict(id: entry.id)]
        update.animated = entry.request?.allowsAnimation ?? false
    }

    /// Makes an update that replaces the options.
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

    /// Makes the update of requests that were staged together.
    init(_ entries: [RequestQueue.Entry], _ staged: StagedRequests, through ticket: Ticket) {
        self.entries = entries
        verdicts = staged.verdicts
        forced = staged.forced
        hasWrites = staged.hasWrites
        update.rebuildsControllers = staged.rebuildsControllers
        update.animated = staged.animated
        update.through = ticket
    }

    /// Applies the section controllers' verdict on a dragged item.
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

    /// Limits the requested reloads to objects that stay in the list.
    mutating func leaveOutUnneededReloads() {
        guard !forced.isEmpty else { return }
        update.forced = [IndexRun](ascending: forced.subtracting(update.changes.deletes).sorted())
    }

    /// Makes an update that wrote objects a reload, if the options' updater reloads.
    mutating func follow(_ updater: ListOptions.Updater) {
        switch updater {
        case .batch: break
        case .reload: update.asksAnew = hasWrites || update.isAnnounced
        }
    }

    /// Where the source continues after its last request that was applied.
    var cursor: [UInt8]? {
        zip(entries, verdicts).reduce(nil) { $1.1.error == nil ? $1.0.cursor ?? $0 : $0 }
    }

    /// The answers to the requests.
    ///
    /// - Parameter error: the outcome of all requests without an error of their own; `nil` = the revision.
    func answers(revision: UInt64, failing error: ListError? = nil) -> [RequestAnswer] {
        verdicts.map { verdict in
            RequestAnswer(
                id: verdict.id, outcome: (verdict.error ?? error).map { .failure($0) } ?? .success(revision),
                droppedDuplicates: verdict.droppedDuplicates, isRefused: error == nil && verdict.isRefused)
        }
    }
}
