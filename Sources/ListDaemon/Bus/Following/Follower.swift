// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import PluginAPI

/// The source of a list that follows another one (`list:NAME?…`).
///
/// Whenever a list is added or removed, the follower looks up the other list, its base, by name. It reads the base's
/// objects page by page, and receives the base's changes as they are applied. From these, its ``Derivation`` computes
/// changes of the list, which are applied like the events of any source.
@DBusActor
final class Follower: Source {
    /// The name of the followed list.
    nonisolated let baseName: String
    /// The list that follows; nil before it exists and after it was removed.
    private weak var target: AdapterObject?
    private let directory: FollowerDirectory
    private var queries: Queries
    private lazy var derivation = Derivation { [weak self] report, number in
        EventLoop.shared.post { self?.handle(report, number: number) }
    }
    /// The list that is followed at present.
    private var base: AdapterObject?
    /// The list whose objects the follower shows.
    private var content = ShownContent.unknown
    /// The number of the present base. It increases whenever the follower starts or stops following a list, so that
    /// outdated answers are recognised.
    private var number: UInt64 = 0
    private var retries = Follower.backoff
    /// The operation to retry, with the timer that triggers it.
    private var retry: (timer: LoopTimer, body: @DBusActor () -> Void)?
    private var isStopped = false
    /// The latest change of the query, for ``performInOrder(_:)``.
    private var lastChange: Task<Result<Void, ListError>, Never>?

    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))
    /// The number and approximate bytes of the objects in one page. A page of this size keeps the followed list busy
    /// for less than a millisecond.
    private static let page = (objects: 4096, bytes: 4 << 20)

    /// The queries on the followed list: the present one and those whose callers wait.
    private struct Queries {
        /// The latest query.
        var present: DerivedQuery
        /// The number of queries so far, which is also the number of the latest.
        var count: UInt64 = 0
        /// The callers that wait until their query has taken effect.
        var waiting: [(query: UInt64, completion: @DBusActor (ListError?) -> Void)] = []
    }

    /// The list that the objects come from, which decides who may see them.
    private enum ShownContent {
        /// The list has no objects.
        case empty
        /// The objects were restored from the store. They come from the list named `baseName`, if it exists.
        case unknown
        /// The objects come from this list, which may have been removed.
        case of(AdapterObject)
    }

    init(of baseName: String, _ query: DerivedQuery, directory: FollowerDirectory) {
        self.baseName = baseName
        queries = Queries(present: query)
        self.directory = directory
    }

    /// Sets the list that follows, before the follower starts.
    func setTarget(_ list: AdapterObject) { target = list }

    /// The name of the list that follows; nil if that list was removed.
    var name: String? { target?.name }

    nonisolated func start(from place: @escaping @Sendable () -> [UInt8]?) {
        DBusActor.assumeIsolated {
            directory.add(self)
            reevaluateBase()
        }
    }

    nonisolated func stop(completion: @escaping @Sendable () -> Void) {
        DBusActor.assumeIsolated {
            isStopped = true
            directory.remove(self)
            detach()
        }
        completion()
    }
}

// MARK: - The followed list

extension Follower {
    /// Checks whether the list to follow exists and is readable, and starts or stops following it.
    func reevaluateBase() {
        guard !isStopped, let target else { return }
        if directory.closesCycle(target.name, following: baseName) {
            return failWithoutBase(ListError(.invalidArguments, "\(target.name.quoted) would follow itself"))
        }
        guard let found = directory.base(named: baseName) else {
            if directory.areInitialListsLoaded {
                failWithoutBase(ListError(.noSuchAdapter, "there is no list \(baseName.quoted) to follow"))
            }
            return
        }
        guard target.ownerMayRead(found) else {
            if found !== base { content = isUnknown ? .of(found) : content }
            detach()
            target.fail(ListError(.accessDenied, "user \(target.access.owner) may not read list \(baseName.quoted)"))
            return updateReaders()
        }
        if found !== base { attach(to: found) }
    }

    private var isUnknown: Bool { if case .unknown = content { true } else { false } }

    private func attach(to found: AdapterObject) {
        detach()
        setBase(found)
        directory.attach(self, to: found)
        target?.changeFilling { $0.setState(.loading) }
        derivation.restart(with: queries.present, number: number)
        updateReaders()
        requestPage(from: 0)
    }

    private func detach() {
        number += 1
        retry?.timer.cancel()
        retry = nil
        retries = Self.backoff
        if let base {
            if isUnknown { content = .of(base) }
            directory.detach(self, from: base)
            setBase(nil)
            derivation.restart(with: queries.present, number: number)
        }
        completeQueries(upTo: queries.count, error: nil)
    }

    /// Changes the followed list, and announces the hints that change with it.
    private func setBase(_ new: AdapterObject?) {
        guard let target else { return base = new }
        target.changeHints { base = new }
    }

    /// Records that there is no list to follow: this list fails with `error` and is emptied.
    private func failWithoutBase(_ error: ListError) {
        detach()
        target?.fail(error)
        updateReaders()
        removeAllObjects()
    }

    private func removeAllObjects() {
        guard base == nil, let target else { return }
        let number = number
        target.host.update(UpdateRequest(id: 0, operation: .performUpdates(objects: []))) { [weak self] answer, _ in
            guard let self, number == self.number, !isStopped else { return }
            if case .failure = answer.outcome { return retryLater { [weak self] in self?.removeAllObjects() } }
            content = .empty
            updateReaders()
        }
    }

    private func retryLater(_ body: @escaping @DBusActor () -> Void) {
        let timer = EventLoop.shared.addTimer(after: retries.next()) { [weak self] in self?.retryNow() }
        retry = (timer, body)
    }

    /// Retries a refused operation at once instead of when its timer fires.
    func retryNow() {
        guard let (timer, body) = retry else { return }
        retry = nil
        timer.cancel()
        body()
    }
}

// MARK: - Objects and changes of the followed list

extension Follower {
    /// Requests a page of the followed list, and passes it to the derivation.
    private func requestPage(from offset: Int) {
        let number = number
        base?.host.readPage(from: offset, limit: Self.page.objects, byteLimit: Self.page.bytes) {
            [weak self] outcome in
            // A failure needs no answer: the follower learns in another way that the list ends.
            guard let self, number == self.number, case .success(let page) = outcome else { return }
            derivation.append(page.objects, from: offset, total: page.total, number: number)
        }
    }

    /// Handles a change of the followed list.
    func handleBaseChange(_ change: Change) { derivation.apply(change, number: number) }

    private func handle(_ report: Derivation.Report, number: UInt64) {
        if case .unchanged(let queries) = report { return completeQueries(upTo: queries, error: nil) }
        guard number == self.number, !isStopped else { return }
        switch report {
        case .needsPage(let offset): requestPage(from: offset)
        case .change(let change, let queries): send(change, upToQuery: queries)
        case .unchanged: break
        }
    }

    private func send(_ change: DerivedChange, upToQuery query: UInt64) {
        let number = number
        guard let target else { return }
        target.apply(SourceEvent(change)) { [weak self] error in
            guard let self else { return }
            completeQueries(upTo: query, error: error)
            guard number == self.number, !isStopped else { return }
            if error == nil { didApply(change) } else { resendLater() }
        }
    }

    private func didApply(_ change: DerivedChange) {
        retries = Self.backoff
        guard case .replace = change else {
            // A failed list does not apply changes, so the next change replaces its whole contents.
            return derivation.recordOutcome(isApplied: target?.state != .failed, number: number)
        }
        derivation.recordOutcome(isApplied: true, number: number)
        guard let base else { return }
        content = .of(base)
        updateReaders()
    }

    /// Sends the whole list again after a while. Call this when a change was refused because of a full disk or a limit.
    private func resendLater() {
        let number = number
        retryLater { [weak self] in self?.derivation.recordOutcome(isApplied: false, number: number) }
    }
}

extension SourceEvent {
    fileprivate init(_ change: DerivedChange) {
        switch change {
        case .replace(let objects): self = .replace(objects)
        case .changes(let removed, let upserts): self = .changes(removed: removed, upserts: upserts)
        }
    }
}

// MARK: - Changing the query

extension Follower {
    /// Changes which objects of the followed list this list has, or their order.
    ///
    /// - Parameter completion: called when the list has the new objects, or with the error because of which it
    ///   refuses them. After a refusal, they are sent again until the list accepts them or the query changes again.
    func setQuery(_ query: DerivedQuery, _ completion: @escaping @DBusActor (ListError?) -> Void) {
        queries.present = query
        queries.count += 1
        queries.waiting.append((queries.count, completion))
        derivation.setQuery(query, queryNumber: queries.count)
        retryNow()
    }

    /// Runs `change` when all earlier changes passed to this function have finished.
    func performInOrder(_ change: @escaping @DBusActor () async throws(ListError) -> Void) async throws(ListError) {
        let earlier = lastChange
        let task = Task { @DBusActor () -> Result<Void, ListError> in
            _ = await earlier?.value
            do throws(ListError) {
                return .success(try await change())
            } catch {
                return .failure(error)
            }
        }
        lastChange = task
        try await task.value.get()
    }

    /// Calls the completions of all waiting queries up to a number.
    private func completeQueries(upTo query: UInt64, error: ListError?) {
        let answered = queries.waiting.prefix { $0.query <= query }
        queries.waiting.removeFirst(answered.count)
        for waiting in answered { waiting.completion(error) }
    }
}

// MARK: - Hints

extension Follower {
    /// The hints for displaying fields of the followed list; empty while no list is followed.
    var baseHints: [String: FieldHint] { base?.hints ?? [:] }

    /// Announces that the hints of the followed list have changed.
    func handleBaseHintsChange() { target?.announceHintsChange() }
}

// MARK: - Readers

extension Follower {
    /// Whether some users may not read the objects of this list.
    var isRestricted: Bool {
        if let base, base.isRestricted { return true }
        switch content {
        case .empty: return false
        case .unknown: return base == nil
        case .of(let origin): return origin.isRestricted
        }
    }

    /// Returns whether `caller` may read both the followed list and the list that the objects come from.
    func allowsReading(_ caller: Caller) -> Bool {
        if caller.isAdministrator { return true }
        if let base, !base.allowsReading(caller) { return false }
        switch content {
        case .empty: return true
        case .unknown: return base != nil
        case .of(let origin): return origin.allowsReading(caller)
        }
    }

    /// Applies a change of the set of users who may read this list.
    func updateReaders() { target?.updateReaders() }
}
