// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListWorkers

/// One call of `Search`. It reads the list page by page and examines each page on another thread.
@DBusActor
final class SearchRun {
    /// The approximate number of objects that are examined in one turn.
    nonisolated static let objectsPerTurn = 4096

    /// The first match, as of a revision; nil if no object contains the text.
    typealias Finding = (revision: UInt64, match: SearchProgress.Match?)

    /// Consecutive objects of the list, as of a revision.
    private struct Page {
        let revision: UInt64
        /// The section of the object with index 0. The slice `objects` may begin after this object.
        let origin: Int
        var objects: ArraySlice<ListObject>
    }

    private let adapter: AdapterObject
    private let call: Call
    private let rules: AdapterAccess
    private let arguments: SearchArguments
    private var search: TextSearch?
    private let turns: Jobs
    private let completion: @DBusActor (Result<Finding, ListError>?) -> Void
    private var steps = 0

    /// Prepares a search.
    ///
    /// - Parameter completion: called once; nil means that the caller has left.
    init(
        _ arguments: SearchArguments, in adapter: AdapterObject, turns: Jobs, for call: Call,
        completion: @escaping @DBusActor (Result<Finding, ListError>?) -> Void
    ) {
        self.adapter = adapter
        self.call = call
        self.arguments = arguments
        self.completion = completion
        rules = adapter.access
        self.turns = turns
    }

    /// Starts the search in the current state of the list.
    func start() {
        // Preparing the text runs as a turn, because the text can have megabytes.
        turns.run(for: call.peer) { [arguments] in
            TextSearch(arguments.text, in: arguments.fields)
        } finish: { [self] search in
            self.search = search
            beginExamining()
        }
    }

    private func beginExamining() {
        readPage(0..<0) { [self] page in
            examineNextPage(
                SearchProgress(
                    from: arguments.from, isBackwards: arguments.isBackwards, revision: page.revision,
                    count: page.total))
        }
    }

    /// Reads and examines the next page; answers the call if no page is left.
    private func examineNextPage(_ progress: SearchProgress) {
        let limit = Self.objectsPerTurn
        guard let next = progress.nextRange(limit: limit) else { return finish(with: progress) }
        steps += 1
        // If the list changes faster than it is examined, the rest is read as a single page, so that the search ends.
        let range = steps > 64 + 4 * progress.region.count / limit ? progress.region : next
        readPage(range) { [self] read in
            let page = Page(
                revision: read.revision, origin: min(range.lowerBound, read.total), objects: read.objects[...])
            if page.revision == progress.revision {
                examine(page, progress: progress, laterChanges: [])
            } else {
                catchUp(with: page, progress: progress, total: read.total)
            }
        }
    }

    /// Applies the changes since the last page to the progress, and examines the new page.
    private func catchUp(with page: Page, progress: SearchProgress, total: Int) {
        guard mayContinue() else { return }
        adapter.host.readChanges(since: progress.revision, byteLimit: .max) { [self] outcome in
            var progress = progress
            var later: [Transaction] = []
            switch outcome {
            case .success(let known):
                for change in known.changes where change.revision <= page.revision { progress.apply(change) }
                later = known.changes.filter { $0.revision > page.revision }
            case .failure(let error) where error.code == .revisionGone: break
            case .failure(let error): return finish(.failure(error))
            }
            if progress.revision != page.revision { progress.restart(revision: page.revision, count: total) }
            examine(page, progress: progress, laterChanges: later)
        }
    }

    /// Examines a page, at most ``objectsPerTurn`` objects in one turn.
    ///
    /// - Parameter laterChanges: the changes of the list since the page was read.
    private func examine(_ page: Page, progress: SearchProgress, laterChanges later: [Transaction]) {
        guard let search else { return finish(.failure(.unexpectedAnswer)) }
        let (limit, isBackwards) = (Self.objectsPerTurn, arguments.isBackwards)
        let part = isBackwards ? page.objects.suffix(limit) : page.objects.prefix(limit)
        turns.run(for: call.peer) {
            isBackwards ? part.lastIndex { search.matches($0) } : part.firstIndex { search.matches($0) }
        } finish: { [self] match in
            let sections = page.origin + part.startIndex..<page.origin + part.endIndex
            var progress = progress
            if let match {
                progress.recordExamined(sections, match: .init(index: page.origin + match, id: part[match].id))
            } else {
                progress.recordExamined(sections)
            }
            guard progress.nextRange(limit: 1) != nil else { return finish(with: progress) }
            var rest = page
            rest.objects = isBackwards ? page.objects.dropLast(limit) : page.objects.dropFirst(limit)
            if match == nil, !rest.objects.isEmpty { return examine(rest, progress: progress, laterChanges: later) }
            for change in later { progress.apply(change) }
            examineNextPage(progress)
        }
    }

    /// Reads objects of the list, or ends the search with the error.
    private func readPage(_ range: Range<Int>, _ handle: @escaping @DBusActor (ObjectPage) -> Void) {
        guard mayContinue() else { return }
        adapter.host.readPage(from: range.lowerBound, limit: range.count, byteLimit: .max) {
            [self] outcome in
            switch outcome {
            case .success(let page): handle(page)
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    /// Ends the search and returns `false` if the caller has left, or may no longer read the list.
    private func mayContinue() -> Bool {
        guard !call.peer.hasDeparted else {
            finish(nil)
            return false
        }
        do throws(ListError) {
            if adapter.access != rules { try adapter.checkReadingAccess(call) }
            return true
        } catch {
            finish(.failure(error))
            return false
        }
    }

    private func finish(with progress: SearchProgress) {
        finish(.success((progress.revision, progress.match)))
    }

    private func finish(_ outcome: Result<Finding, ListError>?) { completion(outcome) }
}

/// The arguments of `Search`: the text, and where it is searched.
struct SearchArguments: Sendable {
    let text: String
    let fields: [String]
    let from: Int
    let isBackwards: Bool
}

/// The searches in progress, at most one for each connection.
@DBusActor
final class Searches {
    /// The turns in which objects are examined.
    let turns = Jobs.forSearching()
    private var searching: Set<ObjectIdentifier> = []

    nonisolated init() {}

    /// Registers the search of a peer; returns `false` if the peer already has one in progress.
    func beginSearch(for peer: Peer) -> Bool { searching.insert(ObjectIdentifier(peer)).inserted }

    /// Unregisters the search of a peer.
    func endSearch(for peer: Peer) { searching.remove(ObjectIdentifier(peer)) }
}
