// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// One call of `Search`: asks the list for a page of objects at a time, and looks at each beside it.
@DBusActor
final class SearchRun {
    /// About how many objects are looked at in one turn.
    nonisolated static let objectsPerTurn = 4096

    /// What was found: where, in which revision.
    struct Finding {
        let revision: UInt64
        /// Nil = nothing.
        let match: SearchProgress.Match?
    }

    /// Objects that follow each other in the list as of a revision.
    private struct Page {
        let revision: UInt64
        /// The section of the object with index 0, which may not be among them any more.
        let origin: Int
        var objects: ArraySlice<ListObject>
    }

    private let adapter: any SearchedList
    private let call: Call
    private let rules: AdapterAccess
    private let arguments: SearchArguments
    private var search: TextSearch?
    private let turns: WorkTurns
    private let completion: @DBusActor (Result<Finding, ListError>?) -> Void
    private var steps = 0

    /// Prepares a search.
    ///
    /// - Parameter completion: called once; nil = the caller has left.
    init(
        _ arguments: SearchArguments, in adapter: any SearchedList, turns: WorkTurns, for call: Call,
        completion: @escaping @DBusActor (Result<Finding, ListError>?) -> Void
    ) {
        self.adapter = adapter
        self.call = call
        self.arguments = arguments
        self.completion = completion
        rules = adapter.access
        self.turns = turns
    }

    /// Begins with the list as it is then.
    func start() {
        // The text may have megabytes.
        turns.perform(for: call.peer, size: 1) { [arguments] in
            TextSearch(arguments.text, in: arguments.fields)
        } finish: { [self] search in
            self.search = search
            begin()
        }
    }

    private func begin() {
        ask(.objects(offset: 0, limit: 0, byteLimit: 0)) { [self] outcome in
            guard case .success(.objects(let revision, let total, _)) = outcome else { return fail(outcome) }
            advance(
                SearchProgress(
                    from: arguments.from, isBackwards: arguments.isBackwards, revision: revision, count: total))
        }
    }

    /// Looks at the next page, as far as there is one.
    private func advance(_ progress: SearchProgress) {
        let limit = Self.objectsPerTurn
        guard let next = progress.next(limit) else { return answer(progress) }
        steps += 1
        // A list that changes faster than it is looked at is taken in one piece: that ends.
        let range = steps > 64 + 4 * progress.region.count / limit ? progress.region : next
        ask(.objects(offset: range.lowerBound, limit: range.count, byteLimit: .max)) { [self] outcome in
            guard case .success(.objects(let revision, let total, let objects)) = outcome else { return fail(outcome) }
            let page = Page(revision: revision, origin: min(range.lowerBound, total), objects: objects[...])
            if revision == progress.revision {
                look(at: page, progress, then: [])
            } else {
                catchUp(with: page, progress, total)
            }
        }
    }

    /// The list has changed since the last page.
    private func catchUp(with page: Page, _ progress: SearchProgress, _ total: Int) {
        ask(.changes(since: progress.revision, byteLimit: .max)) { [self] outcome in
            var progress = progress
            var later: [Transaction] = []
            switch outcome {
            case .success(.changes(_, let changes)):
                for change in changes where change.revision <= page.revision { progress.follow(change) }
                later = changes.filter { $0.revision > page.revision }
            case .failure(let error) where error.code == .revisionGone: break
            case .success, .failure: return fail(outcome)
            }
            if progress.revision != page.revision { progress.restart(revision: page.revision, count: total) }
            look(at: page, progress, then: later)
        }
    }

    /// Looks at a page, or as much of it as one turn has.
    ///
    /// - Parameter later: what has happened to the list since the page.
    private func look(at page: Page, _ progress: SearchProgress, then later: [Transaction]) {
        guard let search else { return finish(.failure(.unexpectedAnswer)) }
        let (limit, isBackwards) = (Self.objectsPerTurn, arguments.isBackwards)
        let part = isBackwards ? page.objects.suffix(limit) : page.objects.prefix(limit)
        turns.perform(for: call.peer, size: part.count) {
            isBackwards ? part.lastIndex { search.matches($0) } : part.firstIndex { search.matches($0) }
        } finish: { [self] match in
            let sections = page.origin + part.startIndex..<page.origin + part.endIndex
            var progress = progress
            if let match {
                progress.examine(sections, finding: .init(index: page.origin + match, id: part[match].id))
            } else {
                progress.examine(sections)
            }
            guard progress.next(1) != nil else { return answer(progress) }
            var rest = page
            rest.objects = isBackwards ? page.objects.dropLast(limit) : page.objects.dropFirst(limit)
            if match == nil, !rest.objects.isEmpty { return look(at: rest, progress, then: later) }
            for change in later { progress.follow(change) }
            advance(progress)
        }
    }

    private func ask(
        _ query: AdapterQuery, _ handle: @escaping @DBusActor (Result<AdapterAnswer, ListError>) -> Void
    ) {
        guard !call.peer.hasDeparted else { return finish(nil) }
        do throws(ListError) {
            if adapter.access != rules { try adapter.checkReadingAccess(call) }
        } catch {
            return finish(.failure(error))
        }
        adapter.ask(query, by: call.peer.pluginCaller, handle)
    }

    private func fail(_ outcome: Result<AdapterAnswer, ListError>) {
        if case .failure(let error) = outcome { finish(.failure(error)) } else { finish(.failure(.unexpectedAnswer)) }
    }

    private func answer(_ progress: SearchProgress) {
        finish(.success(Finding(revision: progress.revision, match: progress.match)))
    }

    private func finish(_ outcome: Result<Finding, ListError>?) { completion(outcome) }
}

/// What `Search` looks for, and where.
struct SearchArguments: Sendable {
    let text: String
    let fields: [String]
    let from: Int
    let isBackwards: Bool
}
