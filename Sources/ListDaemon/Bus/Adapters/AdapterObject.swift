// SPDX-License-Identifier: Apache-2.0

package import DBus
internal import Glibc
package import ListConfiguration
@_spi(Daemon) package import ListKit
internal import ListSources
internal import ListStore
internal import ListSupport
internal import ListWorkers
internal import PluginAPI

/// An adapter's object on the bus, with its state and access rules.
///
/// Its methods are extensions in files of their own; they call the host. ``AdapterSignals`` sends what the host announces,
/// and keeps the property values as of the last signal, so that a client that reads a property never gets an older state
/// than the signals have announced.
@DBusActor
package final class AdapterObject {
    /// The approximate maximum bytes of content in one answer.
    static let pageBytes = 1 << 20

    /// The state that all objects on the bus share.
    let service: Service
    /// The list in the store.
    let stored: StoredList
    /// The access rules.
    package private(set) var access: AdapterAccess
    /// The options of the list.
    package private(set) var options: AdapterOptions
    /// The bytes of the list's objects.
    let bytes: ListBytes
    /// The signals of the list, and the property values as of the last signal.
    let signals: AdapterSignals
    /// The source of the list.
    let source: AdapterSource
    /// The loading state of the list.
    private(set) var filling: Filling
    /// Whether the list is being removed, or listd is stopping; events of the source are ignored.
    private(set) var isEnding = false
    /// Whether the list is being removed: its host gets no new requests, although the object is still on the bus.
    private var isLeaving = false
    /// Whether the list's path is about to change; new views and subscriptions are refused.
    private var isMoving = false
    /// The connection that the list is bound to: the list is removed when this connection ends; nil = none.
    private weak var creator: Peer?
    /// The user of the last answered write, and its time in microseconds since 1970; nil before the first one.
    private(set) var lastWrite: (user: UInt32, time: UInt64)?
    /// The host, which runs the list.
    let host: ListHost

    /// Makes the object of an adapter, which gets the announcements of the host.
    init(
        service: Service, name: String, stored: StoredList, access: AdapterAccess, options: AdapterOptions,
        host: ListHost, bytes: ListBytes, sourceState: SourceState = SourceState()
    ) {
        self.service = service
        self.stored = stored
        self.access = access
        self.options = options
        self.bytes = bytes
        self.host = host
        signals = AdapterSignals(
            of: name, epoch: stored.epoch, isRestricted: access.isRestricted, service: service)
        source = AdapterSource(SourceIntake(sourceState, of: stored))
        filling = Filling(options.source == .push ? .ready : .loading)
        host.onAnnouncement { [weak self] in self?.publish($0) }
        if service.transports.isCongested { host.hold(true) }
    }

    /// The name, byte for byte as the client or the file gave it.
    package var name: String { signals.name }
    /// The path of the object.
    package var path: ObjectPath { signals.path }
    /// The epoch, which identifies the numbering of the revisions.
    package var epoch: String { stored.epoch }
    /// The revisions and counts as of the last signal.
    package var status: ListStatus { signals.status }
    /// The property `State`.
    package var state: AdapterState { filling.state }
    /// The property `SourceError`: why the list has failed, or which parts of its source cannot be read; empty = no
    /// error.
    package var sourceError: String { filling.error }
    /// The follower that fills this list, if the list follows another one.
    var following: Follower? { source.follower }
    /// Whether the list is removed when its creator's connection ends.
    var isTransient: Bool { creator != nil }

    /// Records that a write of a peer is being answered.
    func recordWrite(by peer: Peer) {
        lastWrite = peer.credentials.map { ($0.userID, Clock.microseconds(of: CLOCK_REALTIME)) }
    }

    /// Reports which objects an update dropped because of their identifiers.
    ///
    /// - Parameter fields: the fields of the log that say where the update came from.
    func report(_ dropped: DroppedDuplicates, _ fields: [Log.Field]) { signals.report(dropped, fields) }

    /// Emits PropertiesChanged.
    func emitPropertiesChanged(_ names: [String]) { signals.emitPropertiesChanged(names) }

    /// Changes the loading state of the list, and emits PropertiesChanged.
    func changeFilling(_ change: (inout Filling) -> Void) {
        let before = filling
        change(&filling)
        let changed =
            (filling.state != before.state ? ["State"] : []) + (filling.error != before.error ? ["SourceError"] : [])
        guard !changed.isEmpty else { return }
        emitPropertiesChanged(changed)
        service.counts.notifyChange()
    }

    /// Applies new options and access rules. Clients that may no longer read the list lose their subscriptions and
    /// views.
    func apply(_ options: AdapterOptions, access: AdapterAccess) {
        let hints = hints
        self.options = options
        self.access = access
        updateReaders()
        if self.hints != hints { service.adapters.followers.reportHintsChange(of: self) }
    }

    /// Checks again who may read the list. Clients that may no longer read it lose their subscriptions and views.
    func updateReaders() {
        signals.setRestricted(isRestricted) { isReadable(by: $0) }
        for view in service.views.all(of: self) where !isReadable(by: view.owner) {
            host.closeView(view.number, .closed, by: view.user)
        }
        service.adapters.followers.reportReadersChange(of: self)
    }
}

// MARK: - Source

extension AdapterObject {
    /// Starts filling the list from a source, unless it is nil. The previous source ends, and its errors are cleared.
    func startSource(_ new: (any Source)?, feed: SourceFeed) {
        source.end()
        changeFilling { filling in
            filling.setFault("")
            filling.setLacksObjects(false)
        }
        feed.setTarget { [weak self] event, completion in
            guard let self else { return completion(nil) }
            apply(event, completion)
        }
        (new as? Follower)?.setTarget(self)
        changeHints { source.setSource(new, feed: feed) }
        source.start()
    }

    /// Applies changed limits to what the source reads.
    func setLimits(_ limits: BulkReader.Limits) { source.setLimits(limits, lacksObjects: filling.lacksObjects) }
}

// MARK: - End and move

extension AdapterObject {
    /// Ends the source and the host; `completion` runs when all effects were reported and all calls answered.
    func end(_ reason: ViewClosing, completion: @escaping @DBusActor () -> Void) {
        isEnding = true
        source.end()
        host.stop(reason) { [intake = source.intake] in
            if reason == .shuttingDown { intake.end() }
            completion()
        }
        if reason == .adapterRemoved { isLeaving = true }
    }

    /// Refuses new views and subscriptions from now on, because the list's path is about to change.
    func beginMove() { isMoving = true }

    /// Ends all subscriptions, because they refer to the old path.
    func endMove() {
        signals.unsubscribeAll()
        isMoving = false
    }

    /// Changes the name of the list, and with it the path.
    func setName(_ new: String) {
        signals.setName(new)
        // The host uses the list's name in its errors.
        host.configure(options.configuration(named: new), nil) { _, _ in }
    }

    /// Binds the list to a connection: the list is removed when the connection ends.
    func setCreator(_ peer: Peer) { creator = peer }

    /// Returns whether the list is bound to the connection of a peer.
    func isTransient(of peer: Peer) -> Bool { creator === peer }

    /// Throws if the list is being removed.
    func checkPresent() throws(ListError) {
        if isLeaving { throw .gone(name) }
    }

    /// Throws if the list's path is about to change; called for new views and subscriptions.
    func checkNotMoving() throws(ListError) {
        if isMoving { throw .gone(name) }
    }
}

// MARK: - Access

extension AdapterObject {
    /// Throws if the caller may not read the list.
    func checkReadingAccess(_ call: Call) throws(ListError) {
        try checkPresent()
        guard isRestricted else { return }
        let caller = try service.authority.caller(call.peer, for: .inspect)
        guard allowsReading(caller) else {
            throw ListError(.accessDenied, "user \(caller.user) may not read adapter \(name.quoted)")
        }
    }

    /// Throws if the caller may not write to the list, or if listd is stopping.
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

    /// The error for writes to a list that is filled by a source.
    var readOnlyError: ListError {
        ListError(
            .readOnly, "adapter \(name.quoted) is read-only, because it is filled by \(options.source.text.quoted)")
    }

    /// Throws if the caller may not invoke actions.
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
    /// Sends the signals of an announcement, and records the properties, in the contract's order.
    private func publish(_ said: Announcement) {
        signals.advanceStamp()
        if let status = said.status { signals.setStatus(status) }
        if said.repeatsRevision { signals.announce() }
        if let flag = said.isPaused { changeFilling { $0.setPaused(flag) } }
        if let change = said.change { service.adapters.followers.reportChange(change, of: self) }
        if !said.losses.isEmpty { signals.report(said.losses) }
        if let items = said.selection { signals.setSelection(items) }
        for (view, description) in said.views { service.views.object(view)?.setDescription(description) }
        for event in said.events {
            if case .closed(let view) = event {
                service.views.object(view)?.finishClosing(said.closings[view] ?? .closed)
            } else {
                signals.sendSignals(of: event)
            }
        }
        service.transports.updateCongestion()
    }
}
