internal import Dispatch
@_spi(Daemon) package import ListKit
internal import Synchronization

/// Runs one list: takes commands, owns the engine's adapter, and yields effects.
///
/// The adapter, its section controllers and views belong to this actor, whose executor is one of its own: the adapter's
/// "main thread". Commands are handled in the order in which they were sent, effects come out in the order
/// in which the world must hear them; only values cross.
package actor AdapterHost {
    /// Where a flush stands; there is one at a time.
    enum Phase {
        /// None is under way.
        case idle
        /// A diff runs on another thread; views and readers see the list as it was.
        case diffing
        /// The store is writing; commands wait for it.
        case storing
        /// The host has ended.
        case stopped
    }

    /// Takes what comes out, on the host's executor.
    package typealias Sink = @Sendable ([AdapterEffect]) -> Void

    /// How long a list must be quiet before it says its revision once more, in milliseconds.
    static let quietPeriod: UInt64 = 2000

    let executor: HostExecutor
    /// The engine of the list, or what it will be made of.
    var engine: Engine
    private let controllers: ExchangeableProvider
    /// Section controllers that show the list as soon as the request that brought them is applied.
    var awaitedControllers: [RequestID: SectionControllerTable] = [:]
    private let watch: CallWatch
    /// Whether a section controller of the list comes from a plugin.
    var usesPlugins: Bool { controllers.usesPlugins }
    /// Whether the bus thread may work for the list.
    let isSmall = Atomic(false)
    /// Whether the bus thread may go on for it when the store has answered.
    let isStoringLittle = Atomic(false)
    /// How many objects each view shows.
    var shownObjects: [ViewID: Int] = [:]
    let sink: Sink
    var phase = Phase.idle
    /// Requests on their way to the engine.
    var line = RequestLine()
    /// What the list takes on its owner's account; nil = nobody counts.
    var account: HostAccount?
    var changes: ChangeLog
    /// Whether a transaction is stored before it is applied.
    var isStored: Bool
    /// What the store is writing; there is something exactly in phase `storing`.
    var storing: Storing?
    var lastToken: StoringToken = 0
    /// Transactions of which more is known than their stored outlines say.
    var corrections: [Transaction] = []
    /// Commands that came while the store was writing.
    var deferred: [(command: AdapterCommand, user: UInt32?)] = []
    /// Whether flushes and pictures wait until the bus takes more.
    var isHeld = false
    /// Whether a turn is posted: what nobody asked for is said, and what is due is flushed.
    var turnIsPosted = false
    /// The time for which a later turn is posted.
    var turnIsPostedFor: UInt64?
    /// When the list last changed, and whether the announcement after it is posted.
    var lastChange: UInt64 = 0
    var announcementIsPosted = false
    /// The selection as it was last said.
    var lastSelection: [SelectedItem] = []
    /// Who asked the host to end and waits for the flush under way.
    var stopping: (id: RequestID, reason: ViewClosing)?
    /// Why it has ended; nil = it has not, or another host goes on.
    var ended: ViewClosing?
    /// Is told what becomes of the objects.
    private(set) var observer: ContentObserver?
    /// Who goes on with the list as soon as the flush under way is done.
    var successor: (@Sendable (HostLegacy) -> Void)?
    /// Whether nothing new is waited for.
    var isEnding: Bool { stopping != nil || successor != nil }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Makes the host of a list.
    ///
    /// - Parameters:
    ///   - configuration: the options that concern the engine.
    ///   - controllers: the section controllers by object type.
    ///   - objects: what was stored.
    ///   - revision: the revision that these are.
    ///   - changes: the last transactions, as far as they were stored.
    ///   - account: on whose account objects and bytes go; nil = nobody counts.
    ///   - isStored: whether each transaction is yielded as ``AdapterEffect/prepared(_:_:)`` and applied when
    ///     ``AdapterCommand/stored(_:_:)`` comes.
    ///   - times: where the time that plugins take is counted; nil = nowhere.
    ///   - sink: takes what comes out.
    package init(
        configuration: ListAdapter.Configuration,
        controllers: SectionControllerTable,
        objects: [ListObject] = [], revision: UInt64 = 0, changes: [Transaction] = [],
        account: HostAccount? = nil, isStored: Bool = false, times: CallbackTimes? = nil,
        sink: @escaping Sink
    ) {
        let executor = HostExecutor(label: "org.listd.adapter." + configuration.name)
        self.executor = executor
        executor.claim()
        let provider = ExchangeableProvider(controllers)
        self.controllers = provider
        let watch = CallWatch(clock: times.map(CallbackClock.init))
        self.watch = watch
        // Only section controllers that are built in are known to have nothing to do before somebody looks.
        let mayRest = !objects.isEmpty && !controllers.usesPlugins
        let resting =
            mayRest
            ? RestingList(objects, revision: revision, configuration: configuration, controllers: provider) : nil
        engine =
            if let resting { .resting(resting) } else {
                .working(
                    watch.makeAdapter(
                        configuration, controllers: provider, objects: objects, revision: revision, on: executor))
            }
        self.changes = ChangeLog(revision: revision, stored: changes)
        self.sink = sink
        self.account = account
        self.isStored = isStored
        self.account?.adopt(objects)
        executor.post { self.assumeIsolated { $0.begin() } }
        executor.release()
    }

    /// Hands over a command; it is handled after all that were sent before it.
    package nonisolated func send(_ command: AdapterCommand, by user: UInt32?) {
        executor.post { self.assumeIsolated { $0.receive(command, by: user) } }
    }

    package nonisolated func follow(_ observer: ContentObserver?) {
        executor.post { self.assumeIsolated { $0.observer = observer } }
    }

    /// Calls back from the host's executor as soon as that has nothing older to do, whatever the store is doing.
    package nonisolated func ping(_ answer: @escaping @Sendable () -> Void) { executor.post(answer) }

    private func begin() {
        if let adapter = workingAdapter { attend(to: adapter) }
        sink([.status(status)])
        noteSize()
    }

    /// Makes the engine of a list that rested.
    func makeAdapter(of list: RestingList) -> ListAdapter {
        let adapter = watch.makeAdapter(
            list.configuration, controllers: controllers, objects: list.objects, revision: list.revision, on: executor)
        adapter.holdsViews = isHeld
        attend(to: adapter)
        return adapter
    }

    /// Has other section controllers asked from now on.
    func exchangeControllers(_ table: SectionControllerTable) {
        controllers.exchange(table)
        adapter.performanceDelegate = watch.delegate(for: controllers)
        noteSize()
    }

    private func attend(to adapter: ListAdapter) {
        adapter.onActivity = { [weak self] in self?.assumeIsolated { $0.postTurn() } }
        adapter.onContentLosses = { [weak self] losses in self?.assumeIsolated { $0.sink([.losses(losses)]) } }
    }

    func receive(_ command: AdapterCommand, by user: UInt32?) {
        if case .stored(let token, let error) = command { return stored(token, error) }
        guard phase != .storing else { return putOff(command, by: user) }
        handle(command)
    }

    func handle(_ command: AdapterCommand) {
        guard phase != .stopped else { return refuse(command) }
        switch command {
        case .update(let request):
            line.add(request)
            feed()
        case .query(let id, let query): answer(id, query)
        case .openView(let id, let view, let options): openView(id, view, options)
        case .view(let id, let view, let command): perform(id, view, command)
        case .closeView(let view, let reason): close(view, reason)
        case .configure(let id, let configuration, let table): configure(id, configuration, table)
        case .hold(let holds): hold(holds)
        case .keep(let id, let keeps): keep(id, keeps)
        case .stored: break  // taken before others, see `receive`
        case .stop(let id, let reason): stop(id, reason)
        }
        noteSize()
    }

    /// Nobody is left without an answer; while listd ends, whoever reads gets what is there.
    private func refuse(_ command: AdapterCommand) {
        if ended == .shuttingDown, case .query(let id, let query) = command { return answer(id, query) }
        guard let id = command.requestID else { return }
        sink([.answer(id, .failure(.gone(configuration.name, because: ended)))])
    }

    private func hold(_ holds: Bool) {
        isHeld = holds
        guard let adapter = workingAdapter else { return }
        adapter.holdsViews = holds
        guard !holds else { return }
        yield(adapter.resumeViews())
        feed()
    }

    /// The numbers that everybody may know.
    var status: AdapterStatus {
        let counts = counts
        return AdapterStatus(
            revision: revision, oldestRevision: changes.oldestRevision, objectCount: counts.objects,
            itemCount: counts.items)
    }

    /// The clock that the engine is told: milliseconds that never go back.
    var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}
