@_spi(Daemon) internal import ListKit

extension AdapterHost {
    /// Answers a question from the list as it is.
    func answer(_ id: RequestID, _ query: AdapterQuery) {
        answer(id) { () throws(ListError) in try answer(query) }
    }

    private func answer(_ query: AdapterQuery) throws(ListError) -> AdapterAnswer {
        switch query {
        case .objects(let offset, let limit, let byteLimit):
            let page = objects(from: offset, limit: limit, byteLimit: byteLimit)
            return .objects(revision: adapter.revision, total: adapter.objectCount, page)
        case .find(let id):
            guard let section = adapter.section(forID: id), let object = adapter.object(at: section) else {
                throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
            }
            return .object(revision: adapter.revision, section: section, object)
        case .items(let first, let count, let byteLimit):
            let page = adapter.placedItems(from: first, sectionCount: count, byteLimit: byteLimit)
            return .items(revision: adapter.revision, next: page.next, page.items)
        case .itemCounts(let first, let limit):
            let counts = adapter.itemCounts(from: first, limit: limit).map { UInt32(clamping: $0) }
            return .itemCounts(revision: adapter.revision, counts)
        case .changes(let since, let byteLimit):
            return .changes(revision: revision, try changes.changes(since: since, byteLimit: byteLimit))
        case .description: return .text(description)
        }
    }

    private var description: String {
        guard let adapter = workingAdapter else {
            return "changes since revision \(changes.oldestRevision) are known\nrestored and not looked at yet"
        }
        let flush = adapter.isFlushing ? "under way" : "\(adapter.flushTiming)"
        let lines =
            [
                "changes since revision \(changes.oldestRevision) are known",
                "flush: \(flush)\(isHeld ? ", held" : ""), phase \(phase), \(deferred.count) commands deferred",
            ] + adapter.debugDescriptionLines
        return lines.joined(separator: "\n")
    }

    private func objects(from offset: Int, limit: Int, byteLimit: Int) -> [ListObject] {
        AdapterQuery.page(from: offset, limit: limit, byteLimit: byteLimit) { adapter.objects(from: $0, limit: $1) }
    }
}

extension AdapterQuery {
    /// The objects of a list from an offset on, as many as fit into `byteLimit`, and one at least.
    ///
    /// - Parameter portion: the objects from an offset on, up to a number; they are asked for in portions, because how many
    ///   fit is only known from their sizes.
    static func page(
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
}
