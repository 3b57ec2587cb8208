// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

// Queries that the objects of a list answer, without its presenter.

extension ObjectList {
    /// The number of objects, as announced.
    var objectCount: Int { table.count(.old) }

    /// The announced revisions and counts of the list.
    var status: AdapterStatus {
        AdapterStatus(
            revision: numbers.last, oldestRevision: log.oldestRevision, objectCount: objectCount, itemCount: itemCount,
            isFlat: isFlat)
    }

    /// The positions of objects in the announced list.
    var place: ListPlace { ListPlace(revision: numbers.last) { [table] in table.index(ofID: $0, .old) } }

    /// All transactions of the change log.
    var knownChanges: [Transaction] { (try? log.changes(since: log.oldestRevision, byteLimit: .max)) ?? [] }

    /// Answers a query about objects, as of the announced revision.
    func answer(_ query: AdapterQuery) throws(ListError) -> AdapterAnswer {
        switch query {
        case .objects(let offset, let limit, let byteLimit):
            let page = AdapterQuery.page(from: offset, limit: limit, byteLimit: byteLimit) { offset, limit in
                table.objects(.old, in: offset..<offset + limit)
            }
            return .objects(revision: numbers.last, total: objectCount, page)
        case .find(let id):
            guard let section = table.index(ofID: id, .old), let object = table.object(at: section, .old) else {
                throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
            }
            return .object(revision: numbers.last, section: section, object)
        case .changes(let since, let byteLimit):
            return .changes(revision: numbers.last, try log.changes(since: since, byteLimit: byteLimit))
        case .items, .itemCounts, .description:
            throw ListError(.pluginFailed, "only the process of the section controllers knows the items of the list")
        }
    }

    /// Returns whether `presented` is a possible presentation of an update of this list, or of items that changed by
    /// themselves.
    ///
    /// - Parameter update: the presented update; nil = items changed by themselves.
    func isPossible(_ presented: Announcement, of update: Change?) -> Bool {
        let count = table.count(update == nil ? .old : .new)
        let (most, overflow) = count.multipliedReportingOverflow(by: ListAdapter.maximumItemsPerSection)
        guard presented.itemCount >= 0, overflow || presented.itemCount <= most else { return false }
        guard !presented.isFlat || presented.itemCount == count else { return false }
        guard let transaction = presented.transaction else { return true }
        return transaction.itemCount == presented.itemCount
            && (update ?? Change()).allows(
                transaction, counts: (table.count(.old), count), options: update?.options ?? configuration)
    }
}

extension AdapterQuery {
    /// Returns the objects from an offset on, as many as fit into `byteLimit`, and at least one.
    ///
    /// - Parameter portion: returns the objects from an offset on, up to a number. The page is read in portions,
    ///   because only the objects' sizes show how many fit.
    fileprivate static func page(
        from offset: Int, limit: Int, byteLimit: Int, portion: (_ offset: Int, _ limit: Int) -> [ListObject]
    ) -> [ListObject] {
        var page: [ListObject] = []
        var bytes = 0
        while page.count < limit {
            let objects = portion(offset + page.count, min(256, limit - page.count))
            guard !objects.isEmpty else { break }
            for object in objects {
                bytes += object.byteCount + 16
                if bytes > byteLimit, !page.isEmpty { return page }
                page.append(object)
            }
        }
        return page
    }

    /// Whether the objects of a list answer the query, without its presenter.
    var isAboutObjects: Bool {
        switch self {
        case .objects, .find, .changes: true
        case .items, .itemCounts, .description: false
        }
    }
}

extension AdapterAnswer {
    /// Returns the answer with the list's own data, above all its revision.
    func replacingRevision(from status: AdapterStatus) -> AdapterAnswer {
        let revision = status.revision
        switch self {
        case .items(_, let next, let items): return .items(revision: revision, next: next, items)
        case .itemCounts(_, let counts): return .itemCounts(revision: revision, counts)
        case .opened: return .opened(status)
        case .picture(var picture, _):
            picture.revision = revision
            return .picture(picture, of: status)
        case .revision, .objects, .object, .changes, .sequence, .scrolled, .flag, .selection, .text, .done: return self
        }
    }
}

extension Announcement {
    /// Returns the effects in order: the status for readers of properties, then the events. The answers are not among
    /// them.
    ///
    /// - Parameter differences: the effects of a change of the presenter. They follow directly after the transaction.
    func effects(_ status: AdapterStatus, differences: [AdapterEffect] = []) -> [AdapterEffect] {
        var effects: [AdapterEffect] = []
        effects.reserveCapacity(events.count + views.count + differences.count + 4)
        if !losses.isEmpty { effects.append(.losses(losses)) }
        if hasTransaction { effects.append(.status(status)) }
        if let selection { effects.append(.selection(selection)) }
        for (view, description) in views { effects.append(.view(view, description)) }
        var differences = differences
        for event in events {
            if case .closed(let view) = event {
                effects.append(.closed(view, closings[view] ?? .closed))
            } else {
                effects.append(.event(event))
            }
            if case .updated = event {
                effects += differences
                differences = []
            }
        }
        return effects + differences
    }

    /// Whether a transaction is announced.
    var hasTransaction: Bool { events.contains { if case .updated = $0 { true } else { false } } }
}

extension RequestAnswer {
    /// Returns the answer as an effect.
    func effect(removed: LargeRemoval? = nil) -> AdapterEffect {
        .answer(
            id,
            outcome.map {
                .revision($0, droppedDuplicates: droppedDuplicates, isRefused: isRefused, removed: removed)
            })
    }
}

extension RevisionNumbers {
    /// Makes the numbers of a list that continues after `revision`, which is the last number in use.
    init(at revision: UInt64, isStored: Bool) {
        self = isStored ? RevisionNumbers(restoring: revision, limit: revision) : RevisionNumbers(unstoredAt: revision)
    }
}
