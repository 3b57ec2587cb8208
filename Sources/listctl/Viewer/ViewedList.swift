import DBus
import ListClient

/// The view of one list of one daemon, opened anew whenever the list is made anew.
///
/// Owned by `DBusActor`. A list keeps its name when it is removed and made again, or gets another source; its views do
/// not survive that.
@DBusActor
final class ViewedList {
    /// What the owner is told.
    enum Event {
        /// A view is open; it has shown nothing yet.
        case opened
        /// It shows this.
        case changed(Picture)
        /// The picture is that of the last viewport.
        case answered
        /// What is wrong with the list; empty when nothing is.
        case condition(String)
        /// A call to the view failed.
        case failed(DBusError)
        /// There is no view yet, for listd does not answer; it is asked again.
        case silent
        /// There is no view any more, for this reason; the list is waited for.
        case gone(String)
        /// The list is not there, or may not be seen; it is waited for.
        case refused(DBusError)
    }

    private let name: String
    private let daemon: ListDaemonClient
    private let onEvent: @DBusActor (Event) -> Void
    /// The list, while there is a view of it.
    private(set) var adapter: RemoteObject?
    private var view: TerminalView?
    private var subscriptions: [Subscription] = []
    private var isClosed = false
    /// Tells a late answer from one that is awaited.
    private var attempt = 0
    private var viewports = 0

    init(_ name: String, of daemon: ListDaemonClient, onEvent: @escaping @DBusActor (Event) -> Void) {
        self.name = name
        self.daemon = daemon
        self.onEvent = onEvent
    }

    /// Opens the view, or says why there is none.
    func open() {
        attempt += 1
        let mine = attempt
        Task { @DBusActor in await open(mine) }
    }

    /// Tells nothing any more. The daemon closes the view with the connection.
    func close() {
        isClosed = true
        leave()
    }

    /// Says which part of the content is on the screen; `answered` is told when the picture is that part.
    func setViewport(y: Double, width: Double, height: Double) {
        viewports += 1
        let (mine, number) = (attempt, viewports)
        view?.setViewport(y: y, width: width, height: height) { [weak self] in
            // Several may be answered at once; only the last of them is what the picture shows.
            guard let self, self.isCurrent(mine), number == self.viewports else { return }
            self.onEvent(.answered)
        }
    }

    /// Brings an item onto the screen.
    func scroll(to place: ViewerState.Place) {
        view?.view.scroll(to: place.objectID, item: place.item, position: "start")
    }

    private func isCurrent(_ attempt: Int) -> Bool { !isClosed && attempt == self.attempt }

    private func leave() {
        attempt += 1
        for subscription in subscriptions { subscription.cancel() }
        (view, adapter, subscriptions) = (nil, nil, [])
    }

    private func open(_ mine: Int) async {
        do throws(DBusError) {
            // Before the list is asked for: one that is made right after is not missed.
            let made = try await listen(ListdName.adaptersPath, StandardInterface.objectManager, "InterfacesAdded") {
                [weak self] in self?.appeared($0)
            }
            guard keep(made, mine) else { return }
            let adapter = try await daemon.adapter(name)
            let properties = try await listen(adapter.path, StandardInterface.properties, "PropertiesChanged") {
                [weak self] _ in self?.look(mine)
            }
            guard keep(properties, mine) else { return }
            let view = try await TerminalView.open(adapter) { [weak self] in self?.received($0, mine) }
            guard isCurrent(mine) else { return await view.view.close() }
            (self.adapter, self.view) = (adapter, view)
            onEvent(.opened)
            look(mine)
        } catch {
            if isCurrent(mine) { failedToOpen(error) }
        }
    }

    private func listen(
        _ path: ObjectPath, _ interface: String, _ member: String, _ body: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        let rule = MatchRule(sender: ListdName.bus, path: path, interface: interface, member: member)
        return try await daemon.connection.subscribe(rule, body)
    }

    private func keep(_ subscription: Subscription, _ mine: Int) -> Bool {
        guard isCurrent(mine) else {
            subscription.cancel()
            return false
        }
        subscriptions.append(subscription)
        return true
    }

    private func failedToOpen(_ error: DBusError) {
        switch error.standard {
        // A daemon on its way out: its absence is told by others.
        case .disconnected, .serviceUnknown, .nameHasNoOwner: return
        // It has had its time; a daemon that is stopped or very busy may answer later.
        case .noReply:
            onEvent(.silent)
            leave()
            return open()
        default: onEvent(.refused(error))
        }
    }

    private func appeared(_ message: Message) {
        guard view == nil, !isClosed,
            let path = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            let name = ListdName.unescaped(path), name.utf8.elementsEqual(self.name.utf8)
        else { return }
        leave()
        open()
    }

    private func received(_ event: ListViewClient.Event, _ mine: Int) {
        guard isCurrent(mine) else { return }
        switch event {
        case .changed(let picture): onEvent(.changed(picture))
        case .failed(let error): onEvent(.failed(error))
        case .closed(let reason):
            leave()
            onEvent(.gone("the view was closed: \(reason)"))
            // Another list of the name may be there already; a daemon that ends has none, and says so by going.
            if reason == "adapter-removed" { open() }
        }
    }

    // MARK: - The list's state

    private func look(_ mine: Int) {
        Task { @DBusActor in
            guard isCurrent(mine), let adapter, let text = try? await condition(of: adapter), isCurrent(mine) else {
                return
            }
            onEvent(.condition(text))
        }
    }

    /// What a person should know of the state of a list.
    private func condition(of adapter: RemoteObject) async throws(DBusError) -> String {
        switch try await adapter.property("State", as: String.self) {
        case "failed":
            let source = try await adapter.property("Source", as: String.self)
            let reason = try await daemon.plugins().first { source.hasPrefix($0.name + "/") }?.lastError ?? ""
            return reason.isEmpty ? "the list has failed: listd's journal says why" : "the list has failed: \(reason)"
        case "paused": return "the list waits for its plugin"
        default: return ""
        }
    }
}
