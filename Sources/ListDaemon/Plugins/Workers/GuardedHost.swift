internal import DBus
@_spi(Daemon) internal import ListKit
internal import Synchronization

/// Keeps a list whose section controllers run where they may die: hands commands on to the host in the worker, follows what
/// it does, and brings the list back elsewhere when it is gone.
///
/// The daemon's copy of the list is what clients were told: objects, revision, the last changes, what each view shows.
/// Everything that was asked is answered exactly once, whatever becomes of workers: what one of them died in is refused, and what
/// waited while two of them died.
actor GuardedHost: ListHost {
    /// Where the list is hosted.
    enum Phase {
        /// Nowhere: it waits for a seat.
        case waiting
        /// In a seat where it is brought to where it was; commands wait.
        case settling(Settling)
        /// In its seat.
        case serving
        /// It has ended.
        case stopped
    }

    /// Something that was asked and is not answered.
    struct Request {
        let command: AdapterCommand
        /// On whose behalf; nil = listd's own.
        let user: UInt32?
        /// How many workers died while they had it, and of how many of these that may have been what it had called.
        var deaths = 0
        var deathsInCallback = 0
        var isSent = false
    }

    let executor: HostExecutor
    let sink: AdapterHost.Sink
    var configuration: ListAdapter.Configuration
    var controllers: SectionControllerTable {
        didSet { plugins = controllers.plugins }
    }
    /// The plugins that the section controllers come from.
    private(set) var plugins: Set<String>
    /// Where the time that they take is counted; nil = nowhere.
    let times: CallbackTimes?
    var phase = Phase.waiting
    /// Whether what comes next is little to do, so that the bus thread may do it.
    private let isQuick = Atomic(false)
    var seat: Seat?
    /// Whether it was seated before, so that clients have to be told that it is hosted anew.
    var wasSeated = false
    /// Whether the list has a revision for what the host in the seat makes of it, or cannot have one.
    var isRenewed = false
    var isHeld = false

    // What clients know.
    var snapshot: ListSnapshot
    var revision: UInt64
    var status = AdapterStatus()
    /// The most elements that the list has had.
    var mostElements = 0
    var changes: ChangeLog
    var views: [ViewID: ViewMemory] = [:]
    var selection: [SelectedItem] = []

    // What is under way.
    var requests: [RequestID: Request] = [:]
    /// Requests in order of arrival; those that are answered are swept now and then.
    var order: [RequestID] = []
    /// Views to be closed when there is a seat.
    var closings: [(view: ViewID, reason: ViewClosing, user: UInt32?)] = []
    /// Views that the host in the seat has been told to close, and has not closed yet.
    var leaving: [ViewID: ViewClosing] = [:]
    /// What the plugin is not asked any more, because a worker died of it.
    var refusals = CallbackRefusals()
    var storing: Storing?
    /// What the host in the seat wants stored behind the whole list, which the store is writing.
    var prepared: Prepared?
    /// Requests to keep the list, or not any more, that wait until it is known what the list is.
    var keeps: [(id: RequestID, keeps: Bool)] = []
    /// What the store has and the seat has not applied yet.
    var stored: (transaction: PreparedTransaction, requests: [RequestID])?
    /// Transactions that are in the snapshot and that nobody was told of, because their host died.
    var untold: [Transaction] = []
    /// Answers that wait until what they are about was told.
    var lateAnswers: [AdapterEffect] = []
    var stopping: (id: RequestID, reason: ViewClosing)?
    /// Why it has ended; nil = it has not.
    var ended: ViewClosing?
    var isStored: Bool
    var lastToken: StoringToken = 0
    var account: HostAccount?
    /// Is told what becomes of the objects.
    private(set) var observer: ContentObserver?
    /// What the host in the seat said and is not handled yet, because nobody asked for so much.
    var backlog: [HostOutput] = []
    var brake = FloodBrake.perList

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Guards a list as it was stored, or as another host has left it.
    init(
        configuration: ListAdapter.Configuration, controllers: SectionControllerTable, objects: [ListObject] = [],
        revision: UInt64 = 0, changes: [Transaction] = [], account: HostAccount? = nil, isStored: Bool = false,
        views: [ViewResumption] = [], selection: [SelectedItem] = [], wasHosted: Bool = false,
        times: CallbackTimes? = nil, sink: @escaping AdapterHost.Sink
    ) {
        executor = HostExecutor(label: "org.listd.guard." + configuration.name)
        self.configuration = configuration
        self.controllers = controllers
        plugins = controllers.plugins
        self.times = times
        snapshot = ListSnapshot(objects)
        self.revision = revision
        self.changes = ChangeLog(revision: revision, stored: changes)
        self.account = account
        self.account?.adopt(objects)
        self.isStored = isStored
        self.views = Dictionary(views.map { ($0.id, ViewMemory($0)) }) { $1 }
        self.selection = selection
        wasSeated = wasHosted
        self.sink = sink
    }

    package nonisolated func send(_ command: AdapterCommand, by user: UInt32?) {
        executor.post { self.assumeIsolated { $0.receive(command, by: user) } }
    }

    /// Hands over a command like ``send(_:)``, from the bus thread, which passes it on itself when it has read what there is
    /// to be read.
    package nonisolated func collect(_ command: AdapterCommand, by user: UInt32?) {
        let isFirst = executor.collect(isLight: command.isLight) {
            self.assumeIsolated { $0.receive(command, by: user) }
        }
        guard isFirst else { return }
        DBusActor.assumeIsolated { EventLoop.shared.afterReading { [self] in work() } }
    }

    package nonisolated func follow(_ observer: ContentObserver?) {
        executor.post { self.assumeIsolated { $0.observer = observer } }
    }

    /// The executor of the guard answers: that of the list in its worker is watched otherwise.
    package nonisolated func ping(_ answer: @escaping @Sendable () -> Void) { executor.post(answer) }

    /// Takes what the host in a seat yields.
    nonisolated func take(_ output: HostOutput, from seat: SeatNumber) {
        executor.post { self.assumeIsolated { $0.receive(output, from: seat) } }
    }

    /// Takes something little that the host in a seat yields, from the bus thread, which handles it itself.
    nonisolated func collect(_ output: HostOutput, from seat: SeatNumber) {
        if executor.collect(isLight: true, { self.assumeIsolated { $0.receive(output, from: seat) } }) { work() }
    }

    private nonisolated func work() { executor.runCollected(mayWorkHere: isQuick.load(ordering: .relaxed)) }

    /// Notes whether what comes next is little to do: not while a large transaction is on its way into the daemon's copy.
    func noteWork() {
        guard case .serving = phase else { return isQuick.store(false, ordering: .relaxed) }
        isQuick.store(stored?.transaction.content.isLight ?? true, ordering: .relaxed)
    }

    /// Takes a seat; the one before is left.
    nonisolated func move(to seat: Seat) {
        executor.post { self.assumeIsolated { $0.sit(on: seat) } }
    }

    /// The seat is gone, with the worker.
    ///
    /// - Parameter call: what was being called for the list; nil = nothing.
    nonisolated func loseSeat(in call: DeadlyCall? = nil) {
        executor.post { self.assumeIsolated { $0.lose(.death(call)) } }
    }

    /// What was refused because workers died of it may be asked again.
    nonisolated func forgetRefusals() {
        executor.post { self.assumeIsolated { $0.refusals.removeAll() } }
    }
}

// MARK: - Commands

extension GuardedHost {
    private func receive(_ command: AdapterCommand, by user: UInt32?) {
        defer { noteWork() }
        if case .stopped = phase { return refuse(command) }
        switch command {
        case .stored(let token, let error): storeAnswered(token, error)
        case .keep(let id, let keeps): keep(id, keeps)
        case .hold(let holds):
            isHeld = holds
            if seat != nil { seat?.send(command) }
        case .stop(let id, let reason): stop(id, reason)
        case .configure(let id, let configuration, let table?) where table.worker !== controllers.worker:
            move(id, configuration, table)
        case .closeView(let view, let reason):
            closings.append((view, reason, user))
            if case .serving = phase { sendClosings() }
        case .query(let id, let query) where untold.isEmpty && query.isAboutObjects:
            sink([.answer(id, Result { () throws(ListError) in try answer(query) })])
        default: forward(command, by: user)
        }
    }

    private func forward(_ command: AdapterCommand, by user: UInt32?) {
        guard let id = command.requestID else { return }
        if case .openView(_, let view, let options) = command {
            views[view] = ViewMemory(id: view, options: options)
        }
        requests[id] = Request(command: command, user: user)
        order.append(id)
        if order.count > 64, order.count > 2 * requests.count { order.removeAll { requests[$0] == nil } }
        if case .serving = phase { sendWaiting() }
    }

    /// Sends what was not sent yet, in order of arrival.
    func sendWaiting() {
        guard let seat else { return }
        for id in order {
            guard let request = requests[id], !request.isSent else { continue }
            if seat.isOfPlugin, let error = refusal(of: request) {
                requests[id] = nil
                sink([.answer(id, .failure(error))])
                continue
            }
            requests[id]?.isSent = true
            seat.send(request.command, request.user)
        }
        sendClosings()
    }

    private func sendClosings() {
        let gone = closings
        closings = []
        for (view, reason, user) in gone {
            if views[view] != nil { leaving[view] = reason }
            seat?.send(.closeView(view, reason), user)
        }
    }

    /// Nobody is left without an answer; while listd ends, whoever reads gets what the daemon has a copy of.
    private func refuse(_ command: AdapterCommand) {
        if ended == .shuttingDown, case .query(let id, let query) = command, query.isAboutObjects {
            return sink([.answer(id, Result { () throws(ListError) in try answer(query) })])
        }
        guard let id = command.requestID else { return }
        sink([.answer(id, .failure(.gone(configuration.name, because: ended)))])
    }

    private func answer(_ query: AdapterQuery) throws(ListError) -> AdapterAnswer {
        switch query {
        case .objects(let offset, let limit, let byteLimit):
            return .objects(revision: revision, total: snapshot.count, page(offset, limit, byteLimit))
        case .find(let id):
            guard let (position, object) = snapshot.find(id) else {
                throw ListError(.noSuchObject, "id: there is no object \(id.quoted)")
            }
            return .object(revision: revision, section: position, object)
        case .changes(let since, let byteLimit):
            return .changes(revision: revision, try changes.changes(since: since, byteLimit: byteLimit))
        case .items, .itemCounts, .description:
            throw ListError(.pluginFailed, "only the host of the list knows its items")
        }
    }

    private func page(_ offset: Int, _ limit: Int, _ byteLimit: Int) -> [ListObject] {
        AdapterQuery.page(from: offset, limit: limit, byteLimit: byteLimit) { snapshot.objects(in: $0..<$0 + $1) }
    }

    private func stop(_ id: RequestID, _ reason: ViewClosing) {
        stopping = (id, reason)
        if case .serving = phase { seat?.send(.stop(id, reason)) } else { endWithoutSeat() }
    }
}

extension AdapterQuery {
    /// Whether the daemon's copy of the list answers it.
    fileprivate var isAboutObjects: Bool {
        switch self {
        case .objects, .find, .changes: true
        case .items, .itemCounts, .description: false
        }
    }
}
