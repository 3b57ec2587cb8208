// SPDX-License-Identifier: Apache-2.0

/// The engine of one list: objects in, pictures and events out (IGListKit's `IGListAdapter` with its updater).
///
/// An adapter belongs to one executor, its "main thread": every call comes from there, and section controllers are called
/// there. It has no clock, thread, bus or file: the caller passes the time in milliseconds and acts on the values that it
/// gets back. Writing has two phases, so that a host can store a transaction before it is applied:
///
///     adapter.enqueue(request)
///     switch adapter.beginFlush(now: now) {                 // validated, coalesced, diffed
///     case .commit(let prepared): store(prepared); adapter.commitFlush()
///     …
///
/// Calls from inside of a section controller's callback are answered too: what cannot run at once is queued.
public final class ListAdapter {
    /// The most items that one section may have.
    public static let maximumItemsPerSection = 1_000_000

    /// How deep section controllers may be made from inside of each other.
    static let maximumNestedMakers = 32

    /// How the list behaves; changed by a request (``UpdateRequest/Operation/configure(_:controllersChanged:)``).
    public internal(set) var configuration: Configuration
    /// The revision of the list: one more for each applied transaction, 0 for the empty new list.
    public internal(set) var revision: UInt64
    /// Makes the section controllers.
    let provider: any ListSectionControllerProvider

    /// Called when something happened that no call of the host answers: a flush became due (``flushTiming``), or events wait
    /// (``takeEvents()``). It is kept, so it captures the object that owns the adapter weakly.
    public var onActivity: (() -> Void)?

    /// Runs what section controllers want called back later; the owner's, on whose turn the adapter is used.
    public weak var executor: (any ListExecutor)?

    /// The clock and the executor, for a list without a host.
    public weak var scheduler: (any ListScheduler)?
    /// Gives the objects; set with ``setDataSource(_:)``.
    public internal(set) weak var dataSource: (any ListAdapterDataSource)?
    /// When the scheduler was last told to flush, and how often it was told.
    var scheduledFlush = (timing: FlushTiming.idle, count: UInt64(0))

    /// Whether the list counts as empty, in place of the configured rule; kept likewise.
    public var emptinessPredicate: ((ListAdapter) -> Bool)?

    /// Is told which objects appear and disappear.
    public weak var delegate: (any ListAdapterDelegate)?
    /// Tells others which objects appear and disappear.
    public weak var announcer: ListAdapterAnnouncer?
    /// Is told what the updater does.
    public weak var updaterDelegate: (any ListUpdaterDelegate)?
    /// Is told of every call of a section controller.
    public weak var performanceDelegate: (any ListPerformanceDelegate)?

    /// Gets what built-in section controllers do not show of the objects of an update, at most one loss for each reason.
    @_spi(Daemon) public var onContentLosses: (([ContentLoss]) -> Void)?

    /// The sections; after and before only differ while a transaction is applied.
    var sections = SectionMap(SectionTable())
    /// The section controllers that exist, and what is known of their kinds.
    var registry: SectionControllerRegistry
    /// What waits for a flush, in order of arrival.
    var queue: [QueuedWork] = []
    /// Gives item updates their places among the requests of a list whose table this one shares.
    private(set) var makeTicket: () -> Ticket = { .none }
    /// Decides when a flush is due.
    var coalescer: UpdateCoalescer
    /// The clock as the host last told it.
    var now: UInt64 = 0
    /// The flush under way.
    var flush = FlushState.idle
    /// Numbers the diffs, so that a late output of a cancelled one is known.
    var diffGeneration: UInt64 = 0
    /// How many flushes were cancelled.
    var cancelledFlushes: UInt64 = 0
    /// Whether item updates wait for a while, because the store refused them.
    var awaitsRetry = false
    /// What section controllers did while a transaction is applied; `nil` outside.
    var application: Application?
    /// The views by their names, in order of opening.
    var views: [ListView] = []
    /// What is shown and in range, over all views.
    var displayCounts = DisplayCounts()
    /// The selected items.
    var selection = SelectionSet()
    /// What objects keep for their controllers.
    var states: [SectionHandle: Fields] = [:]
    /// Events of calls that answer nothing, until somebody takes them.
    var pendingEvents: [AdapterEvent] = []
    /// How deep the adapter is inside of its own work; above 0 a call comes from a callback.
    var depth = 0
    /// How many section controllers are being made, each from inside of the one before.
    var makingDepth = 0
    /// Work of callbacks that has to wait until the adapter is done.
    var deferred: [() -> Void] = []
    /// Whether it is in the middle of something: what callbacks ask for has to wait.
    var isBusy: Bool { depth > 0 || application != nil }
    /// How many scrolls are among it.
    var deferredScrolls = 0
    /// Selections of callbacks that have to wait likewise.
    var lateSelections: [LateSelection] = []
    /// The results of the flushes of one ``flushNow()`` so far: what a viewer asks for anew is taken out of them.
    var flushed: [FlushResult] = []
    /// Whether the completions and listeners of a flush are being called: all is consistent then, and views may be called.
    var isCompleting = false
    /// Whether the host is told of activity after the work that was put off.
    var isActivityDeferred = false
    /// Whether work that was put off is being done.
    var isSettling = false
    /// The view that is being laid out, whose geometry section controllers see.
    var currentView: ViewID?
    /// The view that scrolled last.
    var lastScrolledView: ViewID?
    /// Is told of updates; held weakly.
    var updateListeners = WeakList<any ListUpdateListener>()

    /// While true, views are not sent anything; set it to false with ``resumeViews()``.
    public var holdsViews = false

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - controllers: provides the section controllers. The adapter keeps it, so it is an object of its own; an object that
    ///     owns the adapter passes itself as `ownedBy` instead (``init(configuration:ownedBy:objects:revision:)``), or
    ///     neither is ever freed.
    ///   - objects: what the list begins with, as it was stored; repeated identifiers are dropped.
    ///   - revision: the revision that these objects are.
    public convenience init(
        configuration: Configuration, controllers: any ListSectionControllerProvider, objects: [ListObject] = [],
        revision: UInt64 = 0
    ) {
        self.init(configuration, controllers, revision: revision, executor: nil, performanceDelegate: nil)
        load(objects)
    }

    /// Makes a list whose section controllers have an executor, and are watched, from their first call on.
    @_spi(Daemon) public convenience init(
        configuration: Configuration, controllers: any ListSectionControllerProvider, objects: [ListObject],
        executor: (any ListExecutor)?, performanceDelegate: (any ListPerformanceDelegate)?
    ) {
        self.init(configuration, controllers, revision: 0, executor: executor, performanceDelegate: performanceDelegate)
        load(objects)
    }

    /// Makes a list that presents the sections of another one's table, on the same executor (``present(_:)``).
    ///
    /// - Parameters:
    ///   - table: the sections; no change of it is open.
    ///   - makeTicket: gives item updates their places in the order in which the other list is asked for changes.
    @_spi(Daemon) public convenience init(
        configuration: Configuration, controllers: any ListSectionControllerProvider, sharing table: SectionTable,
        makeTicket: @escaping () -> Ticket, executor: (any ListExecutor)?,
        performanceDelegate: (any ListPerformanceDelegate)?
    ) {
        self.init(configuration, controllers, revision: 0, executor: executor, performanceDelegate: performanceDelegate)
        self.makeTicket = makeTicket
        load(table)
    }

    private init(
        _ configuration: Configuration, _ controllers: any ListSectionControllerProvider, revision: UInt64,
        executor: (any ListExecutor)?, performanceDelegate: (any ListPerformanceDelegate)?
    ) {
        self.configuration = configuration
        self.revision = revision
        provider = controllers
        registry = SectionControllerRegistry()
        coalescer = UpdateCoalescer(configuration: configuration.coalescing)
        self.executor = executor
        self.performanceDelegate = performanceDelegate
    }

    deinit {
        // Nobody waits for ever: what was never applied is told so.
        for work in flush.work + queue { work.completion?(false) }
        for completion in application?.completions ?? [] { completion.call(false) }
    }
}

/// Something that waits for a flush.
enum QueuedWork {
    /// A request: of the host, which gets an answer, or of a program that gets a completion.
    case request(UpdateRequest, ((Bool) -> Void)?)
    /// The objects that a data source has when the flush begins; it is kept alive until then.
    case dataSource(any ListAdapterDataSource, animated: Bool, completion: ((Bool) -> Void)?)
    /// An item update of a section controller.
    case itemUpdate(ItemUpdate)

    /// What is called when it is over.
    var completion: ((Bool) -> Void)? {
        switch self {
        case .request(_, let completion), .dataSource(_, _, let completion): completion
        case .itemUpdate(let update): update.completion
        }
    }
}
