// SPDX-License-Identifier: Apache-2.0

/// A set of requests that are answered together, and the update that results from them.
struct PendingUpdate {
    /// The requests, in order of arrival.
    var entries: [RequestQueue.Entry] = []
    /// The verdict on each request, in the same order.
    var verdicts: [RequestVerdict] = []
    /// The update for the presenter.
    var update = ObjectUpdate()
    /// Whether the update starts the persistence of the list, so that the whole list is written.
    var isPersisting = false
    /// Whether the update has only item updates. Their changes are known only after they have run.
    var runsItemUpdates = false
    /// The positions, before the update, of objects whose reload was requested.
    private var forced: Set<Int> = []
    /// Whether a request wrote objects, even if it changed nothing.
    private var hasWrites = false

    /// Creates an update without requests.
    init() {}

    /// Creates the update of a single request.
    init(_ entry: RequestQueue.Entry) {
        entries = [entry]
        verdicts = [RequestVerdict(id: entry.id)]
        update.animated = entry.request?.allowsAnimation ?? false
    }

    /// Creates an update that replaces the options of the list.
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

    /// Creates the update of requests that were validated together.
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
                throw ListError(.noSuchItem, "section \(from) or section \(to) does not exist")
            }
            if from != to { update.changes.moves = [(from, to)] }
        case .object(let object):
            guard let index = table.index(ofID: object.id, .old), let old = table.object(at: index, .old) else {
                throw ListError(.noSuchItem, "the object \(object.id.quoted) of the dragged item does not exist")
            }
            if !object.hasSameContent(as: old) { update.changes.updates = [(index, object)] }
        }
    }

    /// Drops the requested reloads of objects that the update deletes.
    mutating func dropReloadsOfDeletedObjects() {
        guard !forced.isEmpty else { return }
        update.forced = [IndexRun](ascending: forced.subtracting(update.changes.deletes).sorted())
    }

    /// Turns an update that wrote objects into a reload, if the list's updater is ``ListOptions/Updater/reload``.
    mutating func applyUpdater(_ updater: ListOptions.Updater) {
        switch updater {
        case .batch: break
        case .reload: update.asksAnew = hasWrites || update.isAnnounced
        }
    }

    /// The position from which the list's source continues, as of the last request that succeeded.
    var cursor: [UInt8]? {
        zip(entries, verdicts).reduce(nil) { $1.1.error == nil ? $1.0.cursor ?? $0 : $0 }
    }

    /// Returns the answers to the requests.
    ///
    /// - Parameters:
    ///   - revision: the outcome of requests that succeeded.
    ///   - error: the outcome of all requests without an error of their own; `nil` if they succeeded.
    func answers(revision: UInt64, failing error: ListError? = nil) -> [RequestAnswer] {
        verdicts.map { verdict in
            RequestAnswer(
                id: verdict.id, outcome: (verdict.error ?? error).map { .failure($0) } ?? .success(revision),
                droppedDuplicates: verdict.droppedDuplicates, isRefused: error == nil && verdict.isRefused)
        }
    }
}
