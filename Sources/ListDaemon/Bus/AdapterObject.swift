// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
package import ListWorkers
internal import PluginAPI

/// One adapter on the bus: decodes calls into commands for its host, and sends what the host yields.
///
/// It keeps what properties say as of the last signal that was sent, so that a reader never sees less than it heard.
@DBusActor
package final class AdapterObject {
    /// What the objects on the bus share.
    let service: Service
    /// The name, as it was given.
    package private(set) var name: String
    /// The path of the object.
    package private(set) var path: ObjectPath
    /// What the store keeps of it.
    let stored: StoredList
    /// Names the numbering of the revisions.
    package var epoch: String { stored.epoch }
    /// Who may do what.
    package private(set) var access: AdapterAccess
    /// The options of the list.
    package private(set) var options: AdapterOptions
    /// How it is filled.
    private(set) var filling: Filling
    /// Whether its host is being started again.
    private var isPaused = false
    /// The numbers as of the last signal.
    package private(set) var status = AdapterStatus()
    /// How many bytes its objects have.
    let bytes: ListBytes
    /// How many transactions there were lately.
    private(set) var recentChanges = RecentCount()
    /// The selected items, likewise.
    private(set) var selection: [SelectedItem] = []
    /// How often something was sent about the list since it is there.
    private(set) var stamp: UInt64 = 0
    private let host: any ListHosting
    /// The way of its host to the store.
    private let storing: StoringRelay
    /// The way of its host to this object.
    private let relay: AdapterRelay
    /// Whether a plugin that it needs was not there when the list came back from the store.
    private(set) var isIncomplete = false
    /// Whether it is being taken away, or listd ends: what its source tells is of no more use.
    private(set) var isEnding = false
    /// Whether it is being taken away: nothing new is asked of its host, although it can still be seen.
    private var isLeaving = false
    /// Whether it is about to leave its path for another one: nobody begins to look at it by this one.
    private var isMoving = false
    private var source: (any Source)?
    /// What follows another list to fill this one.
    var following: Follower? { source as? Follower }
    /// The connection with which the list goes.
    private weak var creator: Peer?
    private var feed: SourceFeed?
    private var requests = RequestTable()
    private var callsUnderWay = CallsUnderWay()
    private(set) var listeners: Subscriptions<Listener>
    private var lossReports = LossReports()
    /// What its source has told that the list has not, and how far that has read.
    let intake: SourceIntake
    /// Whether something that its source told was too large, so that the list lacks it.
    private(set) var lacksObjects = false

    /// A peer that subscribed.
    struct Listener: Hashable, Sendable {
        let peer: Peer
        static func == (left: Listener, right: Listener) -> Bool { left.peer === right.peer }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(peer)) }
    }

    /// Makes the object of an adapter, which the relay leads to from then on.
    init(
        service: Service, name: String, stored: StoredList, access: AdapterAccess, options: AdapterOptions,
        relay: AdapterRelay, storing: StoringRelay, host: any ListHosting, bytes: ListBytes,
        sourceState: SourceState = SourceState()
    ) {
        self.service = service
        self.name = name
        path = ObjectPath.adapters.appending(name)
        self.stored = stored
        self.access = access
        self.options = options
        self.host = host
        self.storing = storing
        self.bytes = bytes
        self.relay = relay
        intake = SourceIntake(sourceState, of: stored)
        filling = Filling(options.source == .push ? .ready : .loading)
        listeners = Subscriptions(isRestricted: access.isRestricted)
        relay.setTarget(self)
        if service.isHeld { host.send(.hold(true)) }
    }

    /// Begins to be filled from a source, if it has one; one that it had ends, and what was wrong with it.
    func begin(_ source: (any Source)?, _ feed: SourceFeed) {
        endSource()
        changeFilling { $0.setFault("") }
        lacksObjects = false
        changeHints {
            self.source = source
            self.feed = feed
        }
        source?.start { [sourceState = intake.sourceState] in sourceState.cursor }
    }

    /// How people want to see fields, as its source says, or the list that it follows.
    var sourceHints: [String: FieldHint] { following?.baseHints ?? source?.hints ?? [:] }

    /// The source, if clients' writes go there.
    var writableSource: (any Source)? { source?.acceptsWrites == true ? source : nil }

    /// Records whether a plugin that it needs is missing.
    func setIncomplete(_ flag: Bool) { isIncomplete = flag }

    /// Records whether the list lacks something that its source told.
    func setLacksObjects(_ flag: Bool) { lacksObjects = flag }

    /// What its source may read has changed.
    func setLimits(_ limits: BulkReader.Limits) {
        source?.setLimits(limits.objects, fileBytes: limits.fileBytes)
        guard lacksObjects else { return }
        intake.sourceEnded()
        source?.renew()
    }

    private func endSource() {
        feed?.close()
        source?.stop {}
        intake.sourceEnded()
    }

    /// Ends the source and the host; `completion` runs when everything is reported and every caller answered.
    func end(_ reason: ViewClosing, completion: @escaping @DBusActor () -> Void) {
        isEnding = true
        endSource()
        request { [intake] _ in
            if reason == .shuttingDown { intake.end() }
            completion()
        } _: { id in
            .stop(id, reason)
        }
        isLeaving = reason == .adapterRemoved
    }

    /// Refuses what is asked of a list that is being taken away.
    func checkPresent() throws(ListError) {
        if isLeaving { throw .gone(name) }
    }

    /// Refuses those who want to look on at a list that leaves its path.
    func checkStaying() throws(ListError) {
        if isMoving { throw .gone(name) }
    }

    /// The list is about to leave its path.
    func beginMove() { isMoving = true }

    /// The object leaves its path: subscribers get no further signal.
    func endMove() {
        for peer in subscribers { forget(peer) }
        isMoving = false
    }

    /// Takes another name, and stands at another path.
    func take(name new: String) {
        name = new
        path = ObjectPath.adapters.appending(new)
        // The host names the list in its errors.
        request { _ in
        } _: { [options] id in
            .configure(id, options.configuration(named: new), nil)
        }
    }

    /// Sends a command that is answered, and what to do with the answer.
    ///
    /// - Parameters:
    ///   - user: on whose behalf; nil = listd's own.
    ///   - isLong: whether it may take long, so that the list's own threads must do it.
    func request(
        by user: UInt32? = nil, isLong: Bool = false, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        guard !isLeaving else { return completion(.failure(.gone(name))) }
        let command = command(requests.add(completion))
        if isLong { send(command, by: user) } else { host.enqueueOnLoop(command, by: user) }
    }

    /// Sends what a peer wants done with a view, which its next look at properties takes into account.
    func request(
        of peer: Peer, isLong: Bool, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        let number = callsUnderWay.begin(of: peer)
        request(by: peer.pluginCaller, isLong: isLong) { [self] outcome in
            completion(outcome)
            for body in callsUnderWay.end(number, of: peer) { body() }
        } _: { id in
            command(id)
        }
    }

    /// Runs `read` as soon as the properties say what the peer's calls until now made of them.
    func settle(for peer: Peer, _ read: @escaping @DBusActor () -> Void) {
        if !callsUnderWay.hold(read, for: peer) { read() }
    }

    /// Asks the executor of the list for a sign of life.
    func ping(_ answer: @escaping @Sendable () -> Void) { host.ping(answer) }

    /// Sends a command that is not answered.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func send(_ command: AdapterCommand, by user: UInt32? = nil) {
        host.send(command, by: user)
    }

    /// Applies other options and access rules; clients that may no longer read lose their subscriptions and views.
    func adopt(_ options: AdapterOptions, access: AdapterAccess) {
        let hints = hints
        self.options = options
        self.access = access
        readersChanged()
        if self.hints != hints { service.adapters.followers.hintsChanged(of: self) }
    }

    /// The readers have changed: clients that may no longer read lose their subscriptions and views.
    func readersChanged() {
        listeners.setRestricted(isRestricted) { isReadable(by: $0.peer) }
        for view in service.views.all where view.adapter === self && !isReadable(by: view.owner) {
            send(.closeView(view.number, .closed), by: view.user)
        }
        service.adapters.followers.readersChanged(of: self)
    }

    /// Has the lists that follow this one told what becomes of its objects, or no more.
    func setFollowed(_ flag: Bool) {
        guard flag else { return host.follow(nil) }
        host.follow { [weak self] content in
            EventLoop.shared.post { if let self { self.service.adapters.followers.take(content, of: self) } }
        }
    }

    /// Has the list go with a connection.
    func setCreator(_ peer: Peer) { creator = peer }

    /// Whether it goes with a connection.
    func isTransient(of peer: Peer) -> Bool { creator === peer }

    /// Whether it goes with the connection of whoever created it.
    var isTransient: Bool { creator != nil }

    /// How it stands.
    package var state: AdapterState { isPaused ? .paused : filling.state }

    /// Changes how the list is filled, and emits PropertiesChanged.
    func changeFilling(_ change: (inout Filling) -> Void) {
        sayingState { change(&filling) }
    }

    /// Says that the host is gone, or there again.
    private func setPaused(_ flag: Bool) {
        sayingState { isPaused = flag }
    }

    private func sayingState(_ change: () -> Void) {
        let (oldState, oldError) = (state, sourceError)
        change()
        let changed = (state != oldState ? ["State"] : []) + (sourceError != oldError ? ["SourceError"] : [])
        guard !changed.isEmpty else { return }
        propertiesChanged(changed)
        service.countsChanged()
    }

    /// Why it has failed, or what of its source cannot be read; empty = nothing.
    package var sourceError: String { filling.error }

    /// Has its source try again at once what was refused: there may be room.
    func retrySource() {
        feed?.retry()
        following?.retryNow()
    }

    func propertiesChanged(_ names: [String]) {
        stamp += 1
        try? service.tree.propertiesChanged(names, of: Self.interface, at: path)
    }
}

// MARK: - What the host yields

extension AdapterObject {
    /// Says to the world what its host yields.
    func receive(_ effects: [AdapterEffect]) {
        stamp += 1
        for effect in effects { receive(effect) }
        service.transports.checkBus()
    }

    private func receive(_ effect: AdapterEffect) {
        switch effect {
        case .status(let new):
            status = new
            service.countsChanged()
        case .selection(let items): selection = items
        case .view(let view, let description): service.views.object(view)?.setDescription(description)
        case .closed(let view, let reason): service.views.object(view)?.closed(reason)
        case .event(let event): receive(event)
        case .losses(let losses): lossReports.report(losses, of: name, to: service)
        case .announce(let status): announce(status)
        case .paused(let flag): setPaused(flag)
        case .store: break  // went to the store from the host's executor
        case .answer(let id, let outcome): requests.take(id)?(outcome)
        }
    }

    private func receive(_ event: AdapterEvent) {
        switch event {
        case .updated(let transaction):
            service.count(.transactions)
            recentChanges.add()
            emit(Self.updated, .updates) { $0.appendUpdated(transaction) }
        case .display(let change):
            for part in change.parts { emit(Self.displayChanged, .display) { $0.append(part) } }
        case .workingRange(let change):
            for part in change.parts { emit(Self.workingRangeChanged, .workingRange) { $0.append(part) } }
        case .selection(let change):
            for part in change.parts { emit(Self.selectionChanged, .selection) { $0.append(part) } }
        case .picture(let change): service.views.object(change.view)?.changed(change)
        case .stalled(let view, let sequence, let revision):
            service.views.object(view)?.stalled(sequence: sequence, revision: revision)
        case .nearEnd(let view, _, let distance?):
            emit(Self.nearEnd, .nearEnd) { writer in
                writer.append(ObjectPath.view(view))
                writer.append(distance)
            }
        case .sectionFault(let fault): report(fault)
        case .closed, .nearEnd: break  // views are closed by effects; far from the end nothing is reported
        }
    }

    private func announce(_ status: AdapterStatus) {
        emit(Self.updated, .updates) { $0.appendAnnouncement(status) }
    }

    private func report(_ fault: SectionFault) {
        service.count(.sectionFaults)
        service.log.warning(
            "section controller \(fault.controller) of object \(fault.objectID.debugDescription): \(fault.reason)",
            .adapter(name), .plugin(fault.controller.pluginName), .revision(status.revision),
            limitedBy: "adapter \(name)")
    }
}

extension String {
    /// Of the name of a section controller, `PLUGIN/CONTROLLER`.
    fileprivate var pluginName: String { String(prefix { $0 != "/" }) }
}

// MARK: - Who hears it

extension AdapterObject {
    /// Sends a signal to everybody who may and wants to hear it; it is written once.
    private func emit(
        _ signal: Signal, _ events: AdapterEvents, _ write: (inout MessageWriter) -> Void
    ) {
        let audience = listeners.audience(of: events)
        guard !audience.isEmpty else { return }
        do throws(DBusError) {
            let message = try Message.signal(signal, of: Self.interface.name, at: path) { writer in write(&writer) }
            service.count(.signals)
            if audience.broadcasts { try service.transports.broadcastOnBus(message) }
            for listener in audience.recipients { send(message, to: listener.peer) }
        } catch {
            service.log.error("signal \(signal.name) was not sent: \(error)", .adapter(name))
        }
    }

    private func send(_ message: Message, to peer: Peer) {
        if service.transports.direct.drops(signalOf: self, to: peer) {
            service.count(.signalsDropped)
        } else {
            try? service.transports.send(message, to: peer, .subscriber(peer.name, adapter: name))
        }
    }

    /// Says the revision to one peer that missed signals.
    func announce(to peer: Peer) {
        guard listeners.audience(of: .updates).recipients.contains(Listener(peer: peer)) else { return }
        let message = try? Message.signal(Self.updated, of: Self.interface.name, at: path) { writer in
            writer.appendAnnouncement(status)
        }
        if let message { send(message, to: peer) }
    }

    /// The same for a client on the bus, if it is still there and listens.
    func announce(toClient client: String) {
        let listener = listeners.audience(of: .updates).recipients.first { $0.peer.name == client }
        if let listener { announce(to: listener.peer) }
    }

    /// Lets a peer hear events; it may be restricted to some.
    func subscribe(_ peer: Peer, to events: AdapterEvents) {
        service.watchDeparture(of: peer)
        listeners.subscribe(Listener(peer: peer), isDirect: !service.transports.isOnBus(peer), to: events)
    }

    /// The subscribers.
    var subscribers: [Peer] { listeners.peers.map(\.peer) }

    /// Ends the subscription of a peer.
    func forget(_ peer: Peer) { listeners.unsubscribe(Listener(peer: peer)) }
}
