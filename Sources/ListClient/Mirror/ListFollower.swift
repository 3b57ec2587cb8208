// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A follower of one list, which keeps a `Mirror` up to date despite lost signals, restarts of the daemon and
/// reconnections.
///
/// The follower is isolated to `DBusActor`. The mirror outlives a daemon: when the follower is attached to a new
/// daemon with the same epoch, it catches up with `GetChanges` instead of reading everything again. The mirror also
/// outlives its list: when the list is removed and created again, as by a reload of the configuration, the mirror
/// starts again with `.replaced`.
@DBusActor
public final class ListFollower {
    /// An event of the list.
    public enum Event {
        /// The mirror has changed in this way, and all its content has been read.
        case changed([MirrorChange])
        /// A call has failed. The follower stops until it is attached again.
        case failed(DBusError)
        /// The list was removed and not created again in time.
        case removed
    }

    /// The name of the list.
    public let name: String
    /// The copy of the list.
    public private(set) var mirror = Mirror()

    private let onEvent: @DBusActor (Event) -> Void
    /// The time within which a removed list must be created again.
    private let patience: Duration
    private var daemon: ListDaemonClient?
    /// The subscription to added and removed lists, while the follower is attached.
    private var lists: Subscription?
    /// The path of the list; nil if the list was never found.
    private var path: ObjectPath?
    /// The list and the subscription to its updates, while the list is followed.
    private var followed: (adapter: RemoteObject, updates: Subscription)?
    private var absence = Absence.none
    private var isBusy = false
    private var generation = 0

    /// Whether the list is missing: being waited for, or given up.
    private enum Absence {
        case none
        case waiting(LoopTimer)
        case over
    }

    /// The maximum number of objects in a call. The daemon returns fewer if they are large.
    private static let pageSize: UInt32 = 4096

    /// Creates a follower. Attach it to a daemon to follow the list.
    ///
    /// A list that is removed, or that a new daemon does not have yet, must be created within the time `patience`
    /// after its last removal. Otherwise it is reported as removed.
    public init(
        name: String, patience: Duration = .seconds(3), onEvent: @escaping @DBusActor (Event) -> Void
    ) {
        self.name = name
        self.patience = patience
        self.onEvent = onEvent
    }

    /// Starts to follow the list on this daemon.
    ///
    /// If the daemon has no such list, the follower waits for a list that it has followed before, and immediately
    /// reports any other list as failed.
    public func attach(to daemon: ListDaemonClient) async {
        detach()
        let mine = generation
        let rule = MatchRule(
            sender: ListdName.bus, path: ListdName.managerPath, interface: StandardInterface.objectManager)
        do throws(DBusError) {
            // Subscribes before the list is requested, so that a list that is created in between is not missed.
            let lists = try await daemon.connection.subscribe(rule) { [weak self] in self?.handleListSignal($0) }
            guard mine == generation else { return lists.cancel() }
            (self.daemon, self.lists) = (daemon, lists)
            await requestList(from: daemon)
        } catch {
            if mine == generation { fail(error) }
        }
    }

    /// Stops following. The mirror keeps its content.
    public func detach() {
        stopFollowing()
        lists?.cancel()
        if case .waiting(let timer) = absence { timer.cancel() }
        (lists, daemon, absence) = (nil, nil, .none)
    }

    /// Cancels the subscription to updates and ignores later answers.
    private func stopFollowing() {
        generation += 1
        followed?.updates.cancel()
        (followed, isBusy) = (nil, false)
    }

    private func fail(_ error: DBusError) {
        detach()
        onEvent(.failed(error))
    }

    // MARK: - Finding the list

    /// Requests the list and begins to follow it. A later call replaces one that is still waiting for its answer.
    private func requestList(from daemon: ListDaemonClient) async {
        stopFollowing()
        let mine = generation
        var updates: Subscription?
        do throws(DBusError) {
            let adapter = try await daemon.adapter(name)
            path = adapter.path
            let subscription = try await subscribe(to: adapter)
            updates = subscription
            guard mine == generation else {
                subscription.cancel()
                return
            }
            followed = (adapter, subscription)
            beginFollowing()
        } catch {
            updates?.cancel()
            guard mine == generation else { return }
            if error.isMissingList, path != nil { handleMissingList() } else { fail(error) }
        }
    }

    private func beginFollowing() {
        if case .waiting(let timer) = absence { timer.cancel() }
        absence = .none
        perform(mirror.revision > 0 ? .catchUp(since: mirror.revision) : .readAll)
    }

    private func subscribe(to adapter: RemoteObject) async throws(DBusError) -> Subscription {
        try await AdapterClient(adapter).subscribe(to: "Updated", "updates") { [weak self] in self?.handleUpdate($0) }
    }

    private func handleListSignal(_ message: Message) {
        guard daemon != nil, let path,
            let changed = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            changed == path
        else { return }
        switch message.member {
        case "InterfacesRemoved": handleRemoval()
        case "InterfacesAdded" where followed == nil: requestListAgain()
        default: break
        }
    }

    /// Handles the removal of the list. A reload removes the list first and creates it again a little later.
    private func handleRemoval() {
        stopFollowing()
        if case .waiting(let timer) = absence { timer.cancel() }
        waitForList()
    }

    private func waitForList() {
        absence = .waiting(
            EventLoop.shared.addTimer(after: patience) { [weak self] in
                self?.absence = .over
                self?.requestListAgain()
            })
    }

    private func requestListAgain() {
        guard let daemon else { return }
        let mine = generation
        Task { @DBusActor [weak self] in
            guard let self, mine == self.generation else { return }
            await self.requestList(from: daemon)
        }
    }

    /// Handles a request for a list that does not exist: waits, unless the time for this is over.
    private func handleMissingList() {
        switch absence {
        case .none: waitForList()
        case .waiting: break
        case .over:
            detach()
            onEvent(.removed)
        }
    }

    // MARK: - Updates

    private func handleUpdate(_ message: Message) {
        guard followed != nil else { return }
        do throws(DBusError) {
            let update = try message.read { (reader) throws(DBusError) in try Update(signal: &reader) }
            // The answer of a read in progress contains this update, or the next update will show a gap.
            if !isBusy || mirror.revision > 0 { perform(mirror.apply(update)) }
        } catch {
            fail(error)
        }
    }

    // MARK: - Calls

    /// Makes the mirror's next request. There is one call at a time; the next one is chosen when its answer was
    /// applied.
    private func perform(_ step: Mirror.FollowUp) {
        guard !isBusy else { return }
        switch step {
        case .readAll: readAll()
        case .catchUp(let revision): catchUp(since: revision)
        case .none:
            if let run = mirror.missing { return readMissing(run) }
            if let changes = mirror.consumeChanges(), !changes.isEmpty { onEvent(.changed(changes)) }
        }
    }

    private func readAll() {
        call("GetObjects", UInt32(0), Self.pageSize) { (follower, reply) throws(DBusError) in
            let page = try ObjectPage(reply)
            follower.mirror.reset(epoch: page.epoch, revision: page.revision, total: page.total)
            return follower.mirror.fill(
                from: 0, objects: page.objects, epoch: page.epoch, revision: page.revision)
        }
    }

    private func readMissing(_ run: IndexRun) {
        let limit = UInt32(clamping: min(run.count, Int(Self.pageSize)))
        call("GetObjects", UInt32(clamping: run.first), limit) { (follower, reply) throws(DBusError) in
            let page = try ObjectPage(reply)
            guard !page.objects.isEmpty || page.revision != follower.mirror.revision else { return .readAll }
            return follower.mirror.fill(
                from: run.first, objects: page.objects, epoch: page.epoch, revision: page.revision)
        }
    }

    private func catchUp(since revision: UInt64) {
        call("GetChanges", mirror.epoch, revision) { (follower, reply) throws(DBusError) in
            let (current, updates) = try reply.read { (reader) throws(DBusError) in
                (
                    try reader.readUInt64(),
                    try reader.array { (inside) throws(DBusError) in
                        var updates: [Update] = []
                        while !inside.atEnd { updates.append(try Update(batch: &inside)) }
                        return updates
                    }
                )
            }
            for update in updates {
                let step = follower.mirror.apply(update)
                guard step == .none else { return step }
            }
            return follower.mirror.revision < current ? .catchUp(since: follower.mirror.revision) : .none
        }
    }

    /// Calls the list. The answer is applied before any signal that arrives after it.
    private func call<each Argument: DBusEncodable>(
        _ member: String, _ arguments: repeat each Argument,
        then handle: @escaping @DBusActor (ListFollower, Message) throws(DBusError) -> Mirror.FollowUp
    ) {
        guard let adapter = followed?.adapter else { return }
        isBusy = true
        let mine = generation
        do throws(DBusError) {
            var message = try Message.methodCall(
                to: adapter.destination, path: adapter.path, interface: adapter.interface, member: member)
            try message.write(repeat each arguments)
            adapter.connection.call(message) { [weak self] result in
                guard let self, self.generation == mine else { return }
                self.isBusy = false
                self.handleAnswer(Result { () throws(DBusError) in try handle(self, try result.get()) })
            }
        } catch {
            fail(error)
        }
    }

    private func handleAnswer(_ result: Result<Mirror.FollowUp, DBusError>) {
        switch result {
        case .success(let step): perform(step)
        case .failure(let error) where error.name == ListdErrorName.revisionGone: perform(.readAll)
        case .failure(let error): fail(error)
        }
    }
}

extension DBusError {
    /// Whether the error means that the list does not exist.
    fileprivate var isMissingList: Bool {
        name == ListdErrorName.noSuchAdapter || standard == .unknownObject
    }
}

/// A page of the list, as `GetObjects` returns it.
private struct ObjectPage {
    let epoch: String
    let revision: UInt64
    let total: Int
    let objects: [MirroredObject]

    @DBusActor
    init(_ reply: Message) throws(DBusError) {
        (epoch, revision, total, objects) = try reply.read { (reader) throws(DBusError) in
            (
                try reader.readString(), try reader.readUInt64(), Int(try reader.readUInt32()),
                try [MirroredObject](from: &reader)
            )
        }
    }
}
