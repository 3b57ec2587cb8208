// SPDX-License-Identifier: Apache-2.0

public import DBus

/// Follows one list: keeps a `Mirror` up to date in spite of lost signals, restarts of the daemon and reconnections.
///
/// Owned by `DBusActor`. The mirror outlives a daemon: attached to a new one with the same epoch it catches up with
/// `GetChanges` instead of reading everything again. It outlives its list too: a list that is removed and made again,
/// as by a reload of the configuration, is another one, and the mirror starts again with `.replaced`.
@DBusActor
public final class ListFollower {
    /// An event of the list.
    public enum Event {
        /// The mirror has applied these changes, and all content has been read.
        case changed([MirrorChange])
        /// A call failed; the follower stops until it is attached again.
        case failed(DBusError)
        /// The list was removed and not made again.
        case removed
    }

    /// The list's name.
    public let name: String
    /// The copy.
    public private(set) var mirror = Mirror()

    private let onEvent: @DBusActor (Event) -> Void
    /// The time in which a removed list may be made again.
    private let patience: Duration
    private var epoch = ""
    private var daemon: ListDaemonClient?
    /// Reports lists that are added and removed, while the follower is attached.
    private var lists: Subscription?
    /// The list's path; nil until it existed once.
    private var path: ObjectPath?
    /// The list and the subscription to its updates, while it is followed.
    private var followed: (adapter: RemoteObject, updates: Subscription)?
    private var absence = Absence.none
    private var isBusy = false
    private var generation = 0

    /// Whether the list is missing: waited for, or given up.
    private enum Absence {
        case none
        case waiting(LoopTimer)
        case over
    }

    /// The maximum number of objects in one call; the daemon returns fewer when they are large.
    private static let pageSize: UInt32 = 4096

    /// Makes a follower; attach it to follow the list.
    ///
    /// A list that is removed, or that another daemon does not have yet, has the time `patience`, from its last
    /// removal, to be made before it is reported as removed.
    public init(
        name: String, patience: Duration = .seconds(3), onEvent: @escaping @DBusActor (Event) -> Void
    ) {
        self.name = name
        self.patience = patience
        self.onEvent = onEvent
    }

    /// Starts to follow the list of this daemon.
    ///
    /// A list that never existed is reported as failed at once; one that was followed before is waited for.
    public func attach(to daemon: ListDaemonClient) async {
        detach()
        let mine = generation
        let rule = MatchRule(
            sender: ListdName.bus, path: ListdName.adaptersPath, interface: StandardInterface.objectManager)
        do throws(DBusError) {
            // Subscribed before the list is requested, so that a list that is made right after it is not missed.
            let lists = try await daemon.connection.subscribe(rule) { [weak self] in self?.listsChanged($0) }
            guard mine == generation else { return lists.cancel() }
            (self.daemon, self.lists) = (daemon, lists)
            await look(at: daemon)
        } catch {
            if mine == generation { fail(error) }
        }
    }

    /// Stops following; the mirror keeps its content.
    public func detach() {
        leave()
        lists?.cancel()
        if case .waiting(let timer) = absence { timer.cancel() }
        (lists, daemon, absence) = (nil, nil, .none)
    }

    /// Cancels the subscriptions; later answers are ignored.
    private func leave() {
        generation += 1
        followed?.updates.cancel()
        (followed, isBusy) = (nil, false)
    }

    private func fail(_ error: DBusError) {
        detach()
        onEvent(.failed(error))
    }

    // MARK: - Coming and going

    /// Requests the list, and follows it from then on; a later call replaces one that still waits for its answer.
    private func look(at daemon: ListDaemonClient) async {
        leave()
        let mine = generation
        var updates: Subscription?
        do throws(DBusError) {
            let adapter = try await daemon.adapter(name)
            path = adapter.path
            let subscription = try await listen(to: adapter)
            updates = subscription
            _ = try await adapter.call("Subscribe", ["updates"], returning: UInt64.self)
            let epoch = try await adapter.property("Epoch", as: String.self)
            guard mine == generation else {
                subscription.cancel()
                return
            }
            followed = (adapter, subscription)
            follow(epoch: epoch)
        } catch {
            updates?.cancel()
            guard mine == generation else { return }
            if error.isMissingList, path != nil { missed() } else { fail(error) }
        }
    }

    private func follow(epoch: String) {
        if case .waiting(let timer) = absence { timer.cancel() }
        absence = .none
        let isKnown = epoch == self.epoch && mirror.revision > 0
        self.epoch = epoch
        perform(isKnown ? .catchUp(since: mirror.revision) : .readAll)
    }

    private func listen(to adapter: RemoteObject) async throws(DBusError) -> Subscription {
        let rule = MatchRule(
            sender: ListdName.bus, path: adapter.path, interface: ListdName.adapter, member: "Updated")
        return try await adapter.connection.subscribe(rule) { [weak self] in self?.received($0) }
    }

    private func listsChanged(_ message: Message) {
        guard daemon != nil, let path,
            let changed = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            changed == path
        else { return }
        switch message.member {
        case "InterfacesRemoved": wasRemoved()
        case "InterfacesAdded" where followed == nil: lookAgain()
        default: break
        }
    }

    /// A reload removes a list before it makes it again, which is noticed a little later.
    private func wasRemoved() {
        leave()
        if case .waiting(let timer) = absence { timer.cancel() }
        wait()
    }

    private func wait() {
        epoch = ""
        absence = .waiting(
            EventLoop.shared.addTimer(after: patience) { [weak self] in
                self?.absence = .over
                self?.lookAgain()
            })
    }

    private func lookAgain() {
        guard let daemon else { return }
        let mine = generation
        Task { @DBusActor [weak self] in
            guard let self, mine == self.generation else { return }
            await self.look(at: daemon)
        }
    }

    /// The list does not exist: the follower waits, unless its time is over.
    private func missed() {
        switch absence {
        case .none: wait()
        case .waiting: break
        case .over:
            detach()
            onEvent(.removed)
        }
    }

    // MARK: - Updates

    private func received(_ message: Message) {
        guard followed != nil else { return }
        do throws(DBusError) {
            let update = try message.read { (reader) throws(DBusError) in try Update(signal: &reader) }
            // While a read is in flight its answer contains this signal or makes the next one show a gap.
            if !isBusy || mirror.revision > 0 { perform(mirror.apply(update)) }
        } catch {
            fail(error)
        }
    }

    // MARK: - Calls

    /// Makes the mirror's next request; one call at a time, and the next one is chosen after the answer was applied.
    private func perform(_ step: Mirror.Step) {
        guard !isBusy else { return }
        switch step {
        case .readAll: readAll()
        case .catchUp(let revision): catchUp(since: revision)
        case .none:
            if let run = mirror.missing { return fill(run) }
            if let changes = mirror.consumeChanges(), !changes.isEmpty { onEvent(.changed(changes)) }
        }
    }

    private func readAll() {
        call("GetObjects", UInt32(0), Self.pageSize) { (follower, reply) throws(DBusError) in
            let page = try ObjectPage(reply)
            follower.mirror.reset(revision: page.revision, total: page.total)
            return follower.mirror.fill(from: 0, objects: page.objects, revision: page.revision)
        }
    }

    private func fill(_ run: IndexRun) {
        let limit = UInt32(clamping: min(run.count, Int(Self.pageSize)))
        call("GetObjects", UInt32(clamping: run.first), limit) { (follower, reply) throws(DBusError) in
            let page = try ObjectPage(reply)
            guard !page.objects.isEmpty || page.revision != follower.mirror.revision else { return .readAll }
            return follower.mirror.fill(from: run.first, objects: page.objects, revision: page.revision)
        }
    }

    private func catchUp(since revision: UInt64) {
        call("GetChanges", revision) { (follower, reply) throws(DBusError) in
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

    /// Calls the list; the answer is applied before any signal that was queued after it.
    private func call<each Argument: DBusEncodable>(
        _ member: String, _ arguments: repeat each Argument,
        then handle: @escaping @DBusActor (ListFollower, Message) throws(DBusError) -> Mirror.Step
    ) {
        guard let adapter = followed?.adapter else { return }
        isBusy = true
        let mine = generation
        do throws(DBusError) {
            let message = try Message.methodCall(
                to: adapter.destination, path: adapter.path, interface: adapter.interface, member: member)
            try message.write(repeat each arguments)
            adapter.connection.call(message) { [weak self] result in
                guard let self, self.generation == mine else { return }
                self.isBusy = false
                self.finish(Result { () throws(DBusError) in try handle(self, try result.get()) })
            }
        } catch {
            fail(error)
        }
    }

    private func finish(_ result: Result<Mirror.Step, DBusError>) {
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

/// One page of `GetObjects`.
private struct ObjectPage {
    let revision: UInt64
    let total: Int
    let objects: [MirroredObject]

    @DBusActor
    init(_ reply: Message) throws(DBusError) {
        (revision, total, objects) = try reply.read { (reader) throws(DBusError) in
            (try reader.readUInt64(), Int(try reader.readUInt32()), try [MirroredObject](from: &reader))
        }
    }
}
