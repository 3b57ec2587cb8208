// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// What a viewer wants done with an item.
struct InvokedAction {
    var id: String
    var item: UInt32
    var action: String
    var parameters: Fields
    /// The user who wants it.
    var user: UInt32
}

/// The signals of one list: sends them to those who subscribed, and keeps the values of properties as of the last one.
@DBusActor
final class AdapterSignals {
    /// The name, as it was given.
    private(set) var name: String
    /// The path of the object.
    private(set) var path: ObjectPath
    /// The numbers as of the last signal.
    private(set) var status = AdapterStatus()
    /// The selected items as of the last signal.
    private(set) var selection: [SelectedItem] = []
    /// How many transactions there were in the last seconds.
    private(set) var recentChanges = RecentCount()
    /// Grows with everything that is sent about the list.
    private(set) var stamp: UInt64 = 0
    private var listeners: Subscriptions<Listener>
    private var lossReports = LossReports()
    private let service: Service

    /// A peer that subscribed.
    private struct Listener: Hashable, Sendable {
        let peer: Peer
        static func == (left: Listener, right: Listener) -> Bool { left.peer === right.peer }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(peer)) }
    }

    init(of name: String, isRestricted: Bool, service: Service) {
        (self.name, path) = (name, ObjectPath.adapters.appending(name))
        listeners = Subscriptions(isRestricted: isRestricted)
        self.service = service
    }

    /// Gives the list another name, and with it another path.
    func setName(_ new: String) { (name, path) = (new, ObjectPath.adapters.appending(new)) }

    /// Something is sent about the list: properties that were read before are out of date.
    func advance() { stamp += 1 }

    // MARK: Sending

    /// Records other numbers.
    func setStatus(_ new: AdapterStatus) {
        status = new
        service.counts.changed()
    }

    /// Records which items are selected.
    func setSelection(_ items: [SelectedItem]) { selection = items }

    /// Logs what built-in section controllers do not show of the objects.
    func report(_ losses: [ContentLoss]) { lossReports.report(losses, of: name, to: service) }

    /// Emits PropertiesChanged.
    func propertiesChanged(_ names: [String]) {
        advance()
        try? service.tree.propertiesChanged(names, of: AdapterObject.interface, at: path)
    }

    /// Sends the signals of an event.
    func report(_ event: AdapterEvent) {
        switch event {
        case .updated(let transaction):
            service.count(.transactions)
            recentChanges.add()
            emit(AdapterObject.updated, .updates) { $0.appendUpdated(transaction) }
        case .display(let change):
            for part in change.parts { emit(AdapterObject.displayChanged, .display) { $0.append(part) } }
        case .workingRange(let change):
            for part in change.parts { emit(AdapterObject.workingRangeChanged, .workingRange) { $0.append(part) } }
        case .selection(let change):
            for part in change.parts { emit(AdapterObject.selectionChanged, .selection) { $0.append(part) } }
        case .picture(let change): service.views.object(change.view)?.changed(change)
        case .stalled(let view, let sequence, let revision):
            service.views.object(view)?.stalled(sequence: sequence, revision: revision)
        case .nearEnd(let view, _, let distance?):
            emit(AdapterObject.nearEnd, .nearEnd) { writer in
                writer.append(ObjectPath.view(view))
                writer.append(distance)
            }
        case .sectionFault(let fault): report(fault)
        case .closed, .nearEnd: break  // views are closed by effects; far from the end nothing is reported
        }
    }

    private func report(_ fault: SectionFault) {
        service.count(.sectionFaults)
        service.log.warning(
            "section controller \(fault.controller) of object \(fault.objectID.debugDescription): \(fault.reason)",
            .adapter(name), .plugin(fault.controller.pluginName), .revision(status.revision),
            limitedBy: "adapter \(name)")
    }

    /// Sends the revision once more.
    func announce(_ status: AdapterStatus) {
        emit(AdapterObject.updated, .updates) { $0.appendAnnouncement(status) }
    }

    /// Sends the revision to one peer that missed signals.
    func announce(to peer: Peer) {
        guard listeners.audience(of: .updates).recipients.contains(Listener(peer: peer)) else { return }
        let message = try? Message.signal(AdapterObject.updated, of: AdapterObject.interface.name, at: path) { writer in
            writer.appendAnnouncement(status)
        }
        if let message { send(message, to: peer) }
    }

    /// Sends the revision to a client on the bus that missed signals, if it is still connected and subscribed.
    func announce(toClient client: String) {
        let listener = listeners.audience(of: .updates).recipients.first { $0.peer.name == client }
        if let listener { announce(to: listener.peer) }
    }

    /// Sends a signal to everybody who may read the list and subscribed; the message is encoded once.
    private func emit(
        _ signal: Signal, _ events: AdapterEvents, _ write: (inout MessageWriter) -> Void
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

    /// Sends `Invoked` to the connections of the owner that subscribed to it.
    ///
    /// - Returns: whether it was sent to one of them: none may have subscribed, or be able to take it.
    func sendInvoked(_ action: InvokedAction, toOwner owner: UInt32) -> Bool {
        let owners = listeners.subscribers(to: .actions).map(\.peer).filter { peer in
            peer.credentials?.userID == owner && !service.transports.direct.drops(signalOf: self, to: peer)
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
            }
            service.count(.signals)
            for peer in owners {
                try service.transports.send(message, to: peer, .subscriber(peer.name, adapter: name))
                isSent = true
            }
        } catch {
            service.log.warning("signal \(AdapterObject.invoked.name) was not sent: \(error)", .adapter(name))
        }
        service.transports.checkBus()
        return isSent
    }

    // MARK: Subscribers

    /// Subscribes a peer to some kinds of events.
    func subscribe(_ peer: Peer, to events: AdapterEvents) {
        service.calls.watchDeparture(of: peer)
        listeners.subscribe(Listener(peer: peer), isDirect: !service.transports.isOnBus(peer), to: events)
    }

    /// The subscribers.
    var subscribers: [Peer] { listeners.peers.map(\.peer) }

    /// Ends the subscription of a peer.
    func forget(_ peer: Peer) { listeners.unsubscribe(Listener(peer: peer)) }

    /// Ends all subscriptions.
    func forgetAll() {
        for peer in subscribers { forget(peer) }
    }

    /// Applies a rule about who may read the list: subscriptions of those who may not end.
    func setRestricted(_ isRestricted: Bool, mayRead: (Peer) -> Bool) {
        listeners.setRestricted(isRestricted) { mayRead($0.peer) }
    }
}

extension String {
    /// Of the name of a section controller, `PLUGIN/CONTROLLER`.
    fileprivate var pluginName: String { String(prefix { $0 != "/" }) }
}
