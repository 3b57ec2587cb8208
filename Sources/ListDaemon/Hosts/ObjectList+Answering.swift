// SPDX-License-Identifier: Apache-2.0

@_spi(Daemon) internal import ListKit
internal import ListWorkers

// Answers from the objects of a list, without its presenter.

extension ObjectList {
    /// How many objects there are, as announced.
    var objectCount: Int { table.count(.old) }

    /// The numbers that everybody may know.
    var status: AdapterStatus {
        AdapterStatus(
            revision: numbers.last, oldestRevision: log.oldestRevision, objectCount: objectCount, itemCount: itemCount)
    }

    /// Where the objects are that readers see.
    var place: ListPlace { ListPlace(revision: numbers.last) { [table] in table.index(ofID: $0, .old) } }

    /// All transactions that are known.
    var knownChanges: [Transaction] { (try? log.changes(since: log.oldestRevision, byteLimit: .max)) ?? [] }

    /// Answers a question about objects, as they were announced last.
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
            throw ListError(.pluginFailed, "only whoever presents the list knows its items")
        }
    }

    /// Whether somebody who presents this list can have made `presented` of an update, or of no update at all.
    ///
    /// - Parameter update: what is presented; nil = items changed by themselves.
    func allows(_ presented: Presented, of update: ObjectUpdate?) -> Bool {
        let count = table.count(update == nil ? .old : .new)
        let (most, overflow) = count.multipliedReportingOverflow(by: ListAdapter.maximumItemsPerSection)
        guard presented.itemCount >= 0, overflow || presented.itemCount <= most else { return false }
        guard let transaction = presented.transaction else { return true }
        return transaction.itemCount == presented.itemCount
            && (update ?? ObjectUpdate()).allows(
                transaction, counts: (table.count(.old), count), options: update?.configuration ?? configuration)
    }
}

extension AdapterQuery {
    /// The objects of a list from an offset on, as many as fit into `byteLimit`, and one at least.
    ///
    /// - Parameter portion: the objects from an offset on, up to a number; they are asked for in portions, because how many
    ///   fit is only known from their sizes.
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

    /// Whether the objects of a list answer it.
    var isAboutObjects: Bool {
        switch self {
        case .objects, .find, .changes: true
        case .items, .itemCounts, .description: false
        }
    }
}

extension AdapterAnswer {
    /// The answer with what the list itself knows: above all its revision.
    func stamped(_ status: AdapterStatus) -> AdapterAnswer {
        let revision = status.revision
        switch self {
        case .items(_, let next, let items): return .items(revision: revision, next: next, items)
        case .itemCounts(_, let counts): return .itemCounts(revision: revision, counts)
        case .opened: return .opened(revision: revision, sections: status.objectCount, items: status.itemCount)
        case .picture(var picture):
            picture.revision = revision
            return .picture(picture)
        case .revision, .objects, .object, .changes, .sequence, .scrolled, .flag, .selection, .text, .done: return self
        }
    }
}

extension Announced {
    /// What is to be reported: how things stand now, for readers of properties, then the events in their order, then the answers.
    ///
    /// - Parameters:
    ///   - news: how views stand, and what is selected.
    ///   - differences: what is reported right behind the transaction, since another presenter shows the list.
    ///   - removed: what the update took away if that is much.
    func effects(
        _ status: AdapterStatus, _ news: PresenterNews? = nil, telling differences: [AdapterEffect] = [],
        removed: LargeRemoval? = nil
    ) -> [AdapterEffect] {
        var effects: [AdapterEffect] = []
        if let losses = news?.losses, !losses.isEmpty { effects.append(.losses(losses)) }
        if hasTransaction { effects.append(.status(status)) }
        if let selection = news?.selection { effects.append(.selection(selection)) }
        effects += (news?.views ?? []).map { .view($0.view, $0.description) }
        var differences = differences
        for event in events {
            if case .closed(let view) = event {
                effects.append(.closed(view, news?.closings[view] ?? .closed))
            } else {
                effects.append(.event(event))
            }
            if case .updated = event {
                effects += differences
                differences = []
            }
        }
        effects += differences
        return effects + answers.map { $0.effect(removed: removed) }
    }

    /// Whether a revision is announced.
    var hasTransaction: Bool { events.contains { if case .updated = $0 { true } else { false } } }
}

extension RequestAnswer {
    /// The answer as an effect.
    func effect(removed: LargeRemoval? = nil) -> AdapterEffect {
        .answer(
            id,
            outcome.map {
                .revision($0, droppedDuplicates: droppedDuplicates, isRefused: isRefused, removed: removed)
            })
    }
}

extension RevisionNumbers {
    /// The numbers of a list that goes on at a revision, after which none was given out.
    init(at revision: UInt64, isStored: Bool) {
        self = isStored ? RevisionNumbers(restoring: revision, limit: revision) : RevisionNumbers(unstoredAt: revision)
    }
}
