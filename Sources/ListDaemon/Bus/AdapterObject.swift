// SPDX-License-Identifier: Apache-2.0

package import DBus
package import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
package import ListWorkers
internal import PluginAPI

/// One adapter on the bus: what it is, and who may do what with it.
///
/// Its calls are in types of their own, as ``AdapterReading``; they become commands for its host. What the host yields is sent by
/// its ``AdapterSignals``, which keep what properties say as of the last signal, so that a reader never sees less than it heard.
@DBusActor
package final class AdapterObject {
    /// About how many bytes of content one answer holds.
    static let pageBytes = 1 << 20

    /// What the objects on the bus share.
    let service: Service
    /// What the store keeps of it.
    let stored: StoredList
    /// Who may do what.
    package private(set) var access: AdapterAccess
    /// The options of the list.
    package private(set) var options: AdapterOptions
    /// How many bytes its objects have.
    let bytes: ListBytes
    /// Its signals, and what properties say as of the last one.
    let signals: AdapterSignals
    /// Its source.
    let source: AdapterSource
    /// How it is filled.
    private(set) var filling: Filling
    /// Whether it is being moved or removed.
    private(set) var presence = AdapterPresence()
    private let host: HostRequests

    /// Makes the object of an adapter, which the relay leads to from then on.
    init(
        service: Service, name: String, stored: StoredList, access: AdapterAccess, options: AdapterOptions,
        relay: AdapterRelay, host: any ListHosting, bytes: ListBytes, sourceState: SourceState = SourceState()
    ) {
        self.service = service
        self.stored = stored
        self.access = access
        self.options = options
        self.bytes = bytes
        self.host = HostRequests(host)
        signals = AdapterSignals(of: name, isRestricted: access.isRestricted, service: service)
        source = AdapterSource(SourceIntake(sourceState, of: stored))
        filling = Filling(options.source == .push ? .ready : .loading)
        relay.setTarget(self)
        if service.transports.isCongested { send(.hold(true)) }
    }

    /// The name, as it was given.
    package var name: String { signals.name }
    /// The path of the object.
    package var path: ObjectPath { signals.path }
    /// Names the numbering of the revisions.
    package var epoch: String { stored.epoch }
    /// The numbers at the last signal.
    package var status: AdapterStatus { signals.status }
    /// The property `State`.
    package var state: AdapterState { filling.state }
    /// The property `SourceError`: why it has failed, or what of its source cannot be read; empty = nothing.
    package var sourceError: String { filling.error }
    /// What follows another list to fill this one.
    var following: Follower? { source.follower }
    /// Whether it is removed when the connection that created it ends.
    var isTransient: Bool { presence.creator != nil }

    /// Emits PropertiesChanged.
    func propertiesChanged(_ names: [String]) { signals.propertiesChanged(names) }

    /// Changes how the list is filled, and emits PropertiesChanged.
    func changeFilling(_ change: (inout Filling) -> Void) {
        let before = filling
        change(&filling)
        let changed =
            (filling.state != before.state ? ["State"] : []) + (filling.error != before.error ? ["SourceError"] : [])
        guard !changed.isEmpty else { return }
        propertiesChanged(changed)
        service.counts.changed()
    }

    /// Applies other options and access rules; clients that may no longer read lose their subscriptions and views.
    func adopt(_ options: AdapterOptions, access: AdapterAccess) {
        let hints = hints
        self.options = options
        self.access = access
        readersChanged()
        if self.hints != hints { service.adapters.followers.hintsChanged(of: self) }
    }

    /// Looks again who may read the list: clients that may no longer read lose their subscriptions and views.
    func readersChanged() {
        signals.setRestricted(isRestricted) { isReadable(by: $0) }
        for view in service.views.all where view.adapter === self && !isReadable(by: view.owner) {
            send(.closeView(view.number, .closed), by: view.user)
        }
        service.adapters.followers.readersChanged(of: self)
    }
}

// MARK: - Source

extension AdapterObject {
    /// Begins to be filled from a source, if it has one; one that it had ends, and what was wrong with it.
    func begin(_ new: (any Source)?, _ feed: SourceFeed) {
        source.end()
        changeFilling { filling in
            filling.setFault("")
            filling.setLacksObjects(false)
        }
        changeHints { source.set(new, feed) }
        source.start()
    }

    /// Applies other limits to what its source reads.
    func setLimits(_ limits: BulkReader.Limits) { source.setLimits(limits, lacksObjects: filling.lacksObjects) }

    /// Begins to send changes of the objects to the lists that follow this one, or ends that.
    func setFollowed(_ flag: Bool) {
        guard flag else { return host.follow(nil) }
        host.follow { [weak self] content in
            EventLoop.shared.post { if let self { self.service.adapters.followers.apply(content, of: self) } }
        }
    }
}

// MARK: - End and move

extension AdapterObject {
    /// Ends the source and the host; `completion` runs when everything is reported and every caller answered.
    func end(_ reason: ViewClosing, completion: @escaping @DBusActor () -> Void) {
        presence.beginEnd()
        source.end()
        request { [intake = source.intake] _ in
            if reason == .shuttingDown { intake.end() }
            completion()
        } _: { id in
            .stop(id, reason)
        }
        if reason == .adapterRemoved { presence.leave() }
    }

    /// Refuses new views and subscriptions from now on, as the list is about to get another path.
    func beginMove() { presence.beginMove() }

    /// Ends all subscriptions, as they refer to the path.
    func endMove() {
        signals.forgetAll()
        presence.endMove()
    }

    /// Gives the list another name, and with it another path.
    func setName(_ new: String) {
        signals.setName(new)
        // The host uses the list's name in its errors.
        request { _ in
        } _: { [options] id in
            .configure(id, options.configuration(named: new), nil)
        }
    }

    /// Binds the list to a connection: it is removed when that ends.
    func setCreator(_ peer: Peer) { presence.setCreator(peer) }

    /// Whether the list is bound to a connection.
    func isTransient(of peer: Peer) -> Bool { presence.creator === peer }

    /// Refuses calls to a list that is being removed.
    func checkPresent() throws(ListError) {
        if presence.isLeaving { throw .gone(name) }
    }

    /// Refuses new views and subscriptions of a list that is about to get another path.
    func checkStaying() throws(ListError) {
        if presence.isMoving { throw .gone(name) }
    }
}

// MARK: - Access

extension AdapterObject {
    /// Refuses callers that may not read the list.
    func checkReadingAccess(_ call: Call) throws(ListError) {
        try checkPresent()
        guard isRestricted else { return }
        let caller = try service.authority.caller(call.peer, for: .inspect)
        guard allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(name.quoted)")
        }
    }

    /// Refuses callers that may not write, and everybody once the end was asked for.
    @discardableResult
    func checkWritingAccess(_ call: Call) throws(ListError) -> Caller {
        try service.checkWriting()
        try checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard access.allowsWriting(caller) else {
            throw ListError(
                .accessDenied, "user \(caller.user) may not write to adapter \(name.quoted)")
        }
        return caller
    }

    /// The error of writes to a list that is filled by a source.
    var isReadOnly: ListError {
        ListError(.readOnly, "adapter \(name.quoted) is filled by \(options.source.text)")
    }

    /// Refuses callers that may not invoke actions.
    func checkInvokingAccess(_ call: Call) throws(ListError) -> Caller {
        try checkPresent()
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard access.allowsInvoking(caller) else {
            throw ListError(
                .accessDenied, "user \(caller.user) may not invoke actions of adapter \(name.quoted)")
        }
        return caller
    }
}

// MARK: - Host

extension AdapterObject {
    /// Sends a command that is answered, and what to do with the answer.
    ///
    /// - Parameters:
    ///   - user: on whose behalf; nil = listd's own.
    ///   - isLong: whether it may take long, so that the list's own threads must do it.
    func request(
        by user: UInt32? = nil, isLong: Bool = false, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        guard !presence.isLeaving else { return completion(.failure(.gone(name))) }
        host.request(by: user, isLong: isLong, completion, command)
    }

    /// Sends a command about a view of a peer; later reads of properties by that peer wait for its answer.
    func request(
        of peer: Peer, isLong: Bool, _ completion: @escaping RequestTable.Completion,
        _ command: (RequestID) -> AdapterCommand
    ) {
        request(by: peer.pluginCaller, isLong: isLong, host.begin(of: peer, completion), command)
    }

    /// Runs `read` as soon as the peer's calls until now have changed the properties.
    func settle(for peer: Peer, _ read: @escaping @DBusActor () -> Void) { host.settle(for: peer, read) }

    /// Calls `answer` from the executor of the list when it has nothing older to do.
    func ping(_ answer: @escaping @Sendable () -> Void) { host.ping(answer) }

    /// Sends a command that is not answered.
    ///
    /// - Parameter user: on whose behalf; nil = listd's own.
    func send(_ command: AdapterCommand, by user: UInt32? = nil) { host.send(command, by: user) }

    /// Sends and records what its host reports.
    func receive(_ effects: [AdapterEffect]) {
        signals.advance()
        for effect in effects { receive(effect) }
        service.transports.checkBus()
    }

    private func receive(_ effect: AdapterEffect) {
        switch effect {
        case .status(let new): signals.setStatus(new)
        case .selection(let items): signals.setSelection(items)
        case .view(let view, let description): service.views.object(view)?.setDescription(description)
        case .closed(let view, let reason): service.views.object(view)?.closed(reason)
        case .event(let event): signals.report(event)
        case .losses(let losses): signals.report(losses)
        case .announce(let status): signals.announce(status)
        case .paused(let flag): changeFilling { $0.setPaused(flag) }
        case .store: break  // went to the store from the host's executor
        case .answer(let id, let outcome): host.answered(id, outcome)
        }
    }
}
