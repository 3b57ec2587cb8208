// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// An action that a viewer invoked on an item.
struct InvokedAction {
    var id: String
    var item: UInt32
    var action: String
    var parameters: Fields
    /// The user who invoked the action.
    var user: UInt32
}

/// The signals of one list: sends them to subscribers, and keeps the property values as of the last signal.
@DBusActor
final class AdapterSignals {
    /// The name, byte for byte as the client or the file gave it.
    private(set) var name: String
    /// The path of the object.
    private(set) var path: ObjectPath
    /// The name of the list's numbering of revisions.
    private let epoch: String
    /// The revisions and counts as of the last signal.
    private(set) var status = ListStatus()
    /// The selected items as of the last signal.
    private(set) var selection: SelectedItems = []
    /// The number of transactions in the last seconds.
    private(set) var recentChanges = RecentCount()
    /// A number that grows with every signal or change of the list's properties.
    private(set) var stamp: UInt64 = 0
    private var listeners: Subscriptions<Listener>
    private var lossReports = LossReports()
    private let service: Service

    /// A peer that has subscribed.
    private struct Listener: Hashable, Sendable {
        let peer: Peer
        static func == (left: Listener, right: Listener) -> Bool { left.peer === right.peer }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(peer)) }
    }

    init(of name: String, epoch: String, isRestricted: Bool, service: Service) {
        (self.name, path) = (name, ObjectPath.adapters.appending(name))
        self.epoch = epoch
        listeners = Subscriptions(isRestricted: isRestricted)
        self.service = service
    }

    /// Changes the name of the list, and with it the path.
    func setName(_ new: String) { (name, path) = (new, ObjectPath.adapters.appending(new)) }

    /// Marks property values that were read before as outdated, because something about the list is sent.
    func advanceStamp() { stamp += 1 }

    // MARK: Sending

    /// Records new revisions and counts.
    func setStatus(_ new: ListStatus) {
        status = new
        service.counts.notifyChange()
    }

    /// Records which items are selected.
    func setSelection(_ items: SelectedItems) { selection = items }

    /// Logs which contents of objects the built-in section controllers cannot show.
    func report(_ losses: [ContentLoss]) { lossReports.report(losses, of: name, to: service) }

    /// Logs which objects an update dropped because of their identifiers.
    func report(_ dropped: DroppedDuplicates, _ fields: [Log.Field]) {
        lossReports.report(dropped, of: name, to: service, fields)
    }

    /// Emits PropertiesChanged.
    func emitPropertiesChanged(_ names: [String]) {
        advanceStamp()
        try? service.tree.propertiesChanged(names, of: AdapterObject.interface, at: path)
    }

    /// Sends the signals of an event.
    func sendSignals(of event: AdapterEvent) {
        switch event {
        case .updated(let transaction):
            service.count(.transactions)
            recentChanges.add()
            service.views.prepareUnsent(of: self, forUpdateTo: transaction.revision)
            emit(AdapterObject.updated, ofKind: .updates) { writer in
                writer.append(transaction, of: epoch, isFlat: status.isFlat)
            }
        case .display(let change):
            for part in change.parts { emit(AdapterObject.displayChanged, ofKind: .display) { $0.append(part) } }
        case .workingRange(let change):
            for part in change.parts {
                emit(AdapterObject.workingRangeChanged, ofKind: .workingRange) { $0.append(part) }
            }
        case .selection(let change):
            for part in change.parts { emit(AdapterObject.selectionChanged, ofKind: .selection) { $0.append(part) } }
        case .picture(let change): service.views.object(change.view)?.sendChange(change)
        case .stalled(let view, let sequence, let revision):
            service.views.object(view)?.announceStall(sequence: sequence, revision: revision)
        case .nearEnd(let view, _, let distance?):
            emit(AdapterObject.nearEnd, ofKind: .nearEnd) { writer in
                writer.append(ObjectPath.view(view))
                writer.append(distance)
                writer.append(details: [])
            }
        case .sectionFault(let fault): recordSectionFault(fault)
        case .closed, .nearEnd: break  // views close themselves; far from the end nothing is reported
        }
    }

    private func recordSectionFault(_ fault: SectionFault) {
        service.count(.sectionFaults)
        service.log.warning(
            "section controller \(fault.controller) of object \(fault.objectID.quoted): \(fault.reason)",
            .adapter(name), .plugin(fault.controller.pluginName), .revision(status.revision),
            limitedBy: "adapter \(name)")
    }

    /// Sends the present revision once more to all subscribers.
    func announce() {
        emit(AdapterObject.updated, ofKind: .updates) { $0.append(announcing: status, of: epoch) }
    }

    /// Sends the present revision to a peer that missed signals.
    func announce(to peer: Peer) {
        guard listeners.isRecipient(Listener(peer: peer), of: .updates) else { return }
        let message = try? Message.signal(AdapterObject.updated, of: AdapterObject.interface.name, at: path) { writer in
            writer.append(announcing: status, of: epoch)
        }
        if let message { send(message, to: peer) }
    }

    /// Sends the present revision to a client on the bus that missed signals, if it is still connected and
    /// subscribed.
    func announce(toClient client: String) {
        let listener = listeners.audience(of: .updates).recipients.first { $0.peer.name == client }
        if let listener { announce(to: listener.peer) }
    }

    /// Sends a signal to all subscribers who may read the list; the message is encoded once.
    private func emit(
        _ signal: Signal, ofKind events: AdapterEvents, _ write: (inout MessageWriter) -> Void
    ) {
        let audience = listeners.audience(of: events)
        guard !audience.isEmpty else { return }
        do throws(DBusError) {
            let message = try Message.signal(signal, of: AdapterObject.interface.name, at: path) { writer in
                write(&writer)
            }
            service.count(.signals)
            if audience.broadcasts { try service.transports.broadcastOnBus(message) }
            for listener in audience.recipients { send(message, to: listener.peer) }
        } catch {
            service.log.error("signal \(signal.name) could not be sent: \(error)", .adapter(name))
        }
    }

    private func send(_ message: Message, to peer: Peer) {
        if service.transports.direct.mustDropSignal(of: self, to: peer) {
            service.count(.signalsDropped)
        } else {
            try? service.transports.send(message, to: peer, .subscriber(peer.name, adapter: name))
        }
    }

    /// Sends `Invoked` to the owner's connections that have subscribed to it.
    ///
    /// - Returns: whether the signal was sent to at least one connection: there may be no subscriber, or none that
    ///   can receive it.
    func sendInvoked(_ action: InvokedAction, toOwner owner: UInt32) -> Bool {
        let owners = listeners.subscribers(to: .actions).map(\.peer).filter { peer in
            peer.credentials?.userID == owner && !service.transports.direct.mustDropSignal(of: self, to: peer)
        }
        guard !owners.isEmpty else { return false }
        var isSent = false
        do throws(DBusError) {
            let message = try Message.signal(AdapterObject.invoked, of: AdapterObject.interface.name, at: path) {
                writer in
                writer.append(action.id)
                writer.append(action.item)
                writer.append(action.action)
                writer.append(action.parameters)
                writer.append(action.user)
                writer.append(details: [])
            }
            service.count(.signals)
            for peer in owners {
                try service.transports.send(message, to: peer, .subscriber(peer.name, adapter: name))
                isSent = true
            }
        } catch {
            service.log.warning("signal \(AdapterObject.invoked.name) could not be sent: \(error)", .adapter(name))
        }
        service.transports.updateCongestion()
        return isSent
    }

    // MARK: Subscribers

    /// Adds a subscription of a peer to events of some kinds, and returns its number.
    ///
    /// - Throws: `limitsExceeded`.
    func subscribe(_ peer: Peer, to events: AdapterEvents) throws(ListError) -> SubscriptionID {
        let id = try service.limits.subscriptions.begin(
            for: peer, limit: service.calls.queue.limits(of: peer.account))
        service.calls.watchDeparture(of: peer)
        listeners.subscribe(
            Listener(peer: peer), isDirect: !service.transports.isOnBus(peer), to: events, as: id)
        return id
    }

    /// Ends a subscription of a peer; returns `false` if the peer has no such subscription to this list.
    func unsubscribe(_ peer: Peer, _ id: SubscriptionID) -> Bool {
        guard listeners.unsubscribe(Listener(peer: peer), id) else { return false }
        service.limits.subscriptions.end(1, of: peer)
        return true
    }

    /// Ends all subscriptions of a peer.
    func unsubscribe(_ peer: Peer) {
        let count = listeners.unsubscribe(Listener(peer: peer))
        if count > 0 { service.limits.subscriptions.end(count, of: peer) }
    }

    /// Ends all subscriptions.
    func unsubscribeAll() { unsubscribe { _ in true } }

    /// Changes whether some users may not read the list, and ends the subscriptions of peers that may not.
    func setRestricted(_ isRestricted: Bool, mayRead: (Peer) -> Bool) {
        listeners.setRestricted(isRestricted)
        if isRestricted { unsubscribe { !mayRead($0) } }
    }

    private func unsubscribe(where ends: (Peer) -> Bool) {
        for (listener, count) in listeners.unsubscribe(where: { ends($0.peer) }) {
            service.limits.subscriptions.end(count, of: listener.peer)
        }
    }
}

extension String {
    /// The plugin's name in the name of a section controller, `PLUGIN/CONTROLLER`.
    fileprivate var pluginName: String { String(prefix { $0 != "/" }) }
}
