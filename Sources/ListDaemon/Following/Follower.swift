// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import PluginAPI

/// What fills a list that follows another one (`list:NAME?…`).
///
/// The other list is searched by its name whenever one is added or removed. Its objects are read page by page, and its
/// changes are received as they are applied; the changes that its ``Derivation`` computes are sent to the list like
/// those of any source.
@DBusActor
final class Follower: Source {
    /// The name of the list that is followed.
    nonisolated let baseName: String
    private nonisolated let relay: any FollowingRelay
    private let directory: FollowerDirectory
    private var queries: Queries
    private lazy var derivation = Derivation { [weak self] report, number in
        EventLoop.shared.post { self?.handle(report, number) }
    }
    /// The list that is followed at the moment.
    private var base: (any FollowableList)?
    /// Where the objects in the list come from.
    private var content = Content.unknown
    /// Numbers the lists that were followed one after the other, and the times without one.
    private var number: UInt64 = 0
    private var retries = Follower.backoff
    /// The change to retry, and when.
    private var retry: (timer: LoopTimer, body: @DBusActor () -> Void)?
    private var isStopped = false
    /// The change of the query that came last.
    private var lastChange: Task<Result<Void, ListError>, Never>?

    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(32))
    /// How many objects are asked for at once, and about how many bytes of them: that keeps the list that is followed busy for
    /// less than a millisecond.
    private static let page = (objects: 4096, bytes: 4 << 20)

    /// What is wanted of the list that is followed.
    private struct Queries {
        /// The one that came last.
        var present: DerivedQuery
        /// How many came.
        var count: UInt64 = 0
        /// Who waits for one to hold.
        var waiting: [(query: UInt64, completion: @DBusActor (ListError?) -> Void)] = []
    }

    /// Where objects come from, which decides who may see them.
    private enum Content {
        /// There are no objects.
        case empty
        /// They were stored: from the list of that name, if there is one.
        case unknown
        /// This list, which may be gone.
        case of(any FollowableList)
    }

    init(of baseName: String, _ query: DerivedQuery, directory: FollowerDirectory, relay: any FollowingRelay) {
        self.baseName = baseName
        queries = Queries(present: query)
        self.directory = directory
        self.relay = relay
    }

    /// The name of the list that follows; `nil` when that is gone.
    var name: String? { relay.list?.name }

    nonisolated func start(from place: @escaping @Sendable () -> [UInt8]?) {
        DBusActor.assumeIsolated {
            directory.add(self)
            look()
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

// MARK: - Whom it follows

extension Follower {
    /// Checks whether the list to follow is there and readable, and begins or ends following it.
    func look() {
        guard !isStopped, let target = relay.list else { return }
        if directory.closesCircle(target.name, following: baseName) {
            return lose(ListError(.invalidArguments, "\(target.name.quoted) would follow itself"))
        }
        guard let found = directory.base(named: baseName) else {
            if directory.isSettled { lose(ListError(.noSuchAdapter, "there is no list \(baseName.quoted) to follow")) }
            return
        }
        guard target.ownerMayRead(found) else {
            if found !== base { content = isUnknown ? .of(found) : content }
            detach()
            target.fail(ListError(.accessDenied, "user \(target.access.owner) may not read list \(baseName.quoted)"))
            return readersChanged()
        }
        if found !== base { attach(to: found) }
    }

    private var isUnknown: Bool { if case .unknown = content { true } else { false } }

    private func attach(to found: any FollowableList) {
        detach()
        setBase(found)
        directory.attach(self, to: found)
        relay.list?.beginLoading()
        derivation.begin(queries.present, number: number)
        readersChanged()
        read(from: 0)
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
            derivation.begin(queries.present, number: number)
        }
        answer(upTo: queries.count, nil)
    }

    private func setBase(_ new: (any FollowableList)?) {
        guard let target = relay.list else { return base = new }
        target.changeHints { base = new }
    }

    /// There is no list to follow: this one becomes empty, and says why.
    private func lose(_ error: ListError) {
        detach()
        relay.list?.fail(error)
        readersChanged()
        empty()
    }

    private func empty() {
        guard base == nil, let target = relay.list else { return }
        let number = number
        target.empty { [weak self] error in
            guard let self, number == self.number, !isStopped else { return }
            if error != nil { return tryLater { [weak self] in self?.empty() } }
            content = .empty
            readersChanged()
        }
    }

    private func tryLater(_ body: @escaping @DBusActor () -> Void) {
        let timer = EventLoop.shared.addTimer(after: retries.next()) { [weak self] in self?.retryNow() }
        retry = (timer, body)
    }

    /// Tries what was refused again, without waiting for its time.
    func retryNow() {
        guard let (timer, body) = retry else { return }
        retry = nil
        timer.cancel()
        body()
    }
}

// MARK: - What it hears

extension Follower {
    private func read(from offset: Int) {
        let number = number
        base?.readPage(from: offset, limit: Self.page.objects, byteLimit: Self.page.bytes) {
            [weak self] total, objects in
            guard let self, number == self.number else { return }
            derivation.append(objects, from: offset, total: total, number: number)
        }
    }

    /// The list that is followed has changed.
    func baseChanged(_ content: PreparedTransaction.Content) { derivation.apply(content, number: number) }

    private func handle(_ report: Derivation.Report, _ number: UInt64) {
        if case .unchanged(let queries) = report { return answer(upTo: queries, nil) }
        guard number == self.number, !isStopped else { return }
        switch report {
        case .needs(let offset): read(from: offset)
        case .change(let change, let queries): send(change, queries: queries)
        case .unchanged: break
        }
    }

    private func send(_ change: DerivedChange, queries: UInt64) {
        let number = number
        relay.apply(SourceEvent(change)) { [weak self] error in
            guard let self else { return }
            answer(upTo: queries, error)
            guard number == self.number, !isStopped else { return }
            if error == nil { didApply(change) } else { refused() }
        }
    }

    private func didApply(_ change: DerivedChange) {
        retries = Self.backoff
        guard case .replace = change else {
            // A list that does not take a change is told all.
            return derivation.changeDidEnd(number, isApplied: relay.list?.hasFailed != true)
        }
        derivation.changeDidEnd(number, isApplied: true)
        guard let base else { return }
        content = .of(base)
        readersChanged()
    }

    /// A full disk, or a limit: the whole list is sent again after a while.
    private func refused() {
        let number = number
        tryLater { [weak self] in self?.derivation.changeDidEnd(number, isApplied: false) }
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

// MARK: - Another query

extension Follower {
    /// Takes other objects of the list, or another order of them.
    ///
    /// - Parameter completion: called when the list has them, or with the reason why it does not take them; then they are told
    ///   again until it does, or another query comes.
    func setQuery(_ query: DerivedQuery, _ completion: @escaping @DBusActor (ListError?) -> Void) {
        queries.present = query
        queries.count += 1
        queries.waiting.append((queries.count, completion))
        derivation.setQuery(query, count: queries.count)
        retryNow()
    }

    /// Does something when what came before is done.
    func inOrder(_ change: @escaping @DBusActor () async throws(ListError) -> Void) async throws(ListError) {
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

    private func answer(upTo query: UInt64, _ error: ListError?) {
        let answered = queries.waiting.prefix { $0.query <= query }
        queries.waiting.removeFirst(answered.count)
        for waiting in answered { waiting.completion(error) }
    }
}

// MARK: - Hints

extension Follower {
    /// How people want to see fields of the list that is followed; empty while there is none.
    var baseHints: [String: FieldHint] { base?.hints ?? [:] }

    /// The list that is followed has other hints.
    func baseHintsChanged() { relay.list?.hintsChanged() }
}

// MARK: - Who may read

extension Follower {
    /// Whether not everybody may read what the list has.
    var isRestricted: Bool {
        if let base, base.isRestricted { return true }
        switch content {
        case .empty: return false
        case .unknown: return base == nil
        case .of(let origin): return origin.isRestricted
        }
    }

    /// Whether `caller` may read the list that is followed, and the one where the objects come from.
    func allowsReading(_ caller: Caller) -> Bool {
        if caller.isAdministrator { return true }
        if let base, !base.allowsReading(caller) { return false }
        switch content {
        case .empty: return true
        case .unknown: return base != nil
        case .of(let origin): return origin.allowsReading(caller)
        }
    }

    /// Others may read the list now.
    func readersChanged() { relay.list?.readersChanged() }
}
