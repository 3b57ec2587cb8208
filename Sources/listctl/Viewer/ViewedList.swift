// SPDX-License-Identifier: Apache-2.0

import DBus
import ListClient

/// The view of one list of one daemon, opened again whenever the list is made again.
///
/// Owned by `DBusActor`. A list keeps its name when it is removed and made again, or gets another source; its views do
/// not survive that.
@DBusActor
final class ViewedList {
    /// Reports to the owner.
    enum Event {
        /// A view is open; it has no picture yet.
        case opened
        /// The view has this picture.
        case changed(Picture)
        /// The picture is that of the last viewport.
        case answered
        /// The error of the list; empty when there is none.
        case condition(String)
        /// Properties of the list beside the picture.
        case facts(ListFacts)
        /// A request was refused, for this reason.
        case declined(String)
        /// A call to the view failed.
        case failed(DBusError)
        /// There is no view yet, as listd does not answer; it is asked again.
        case silent
        /// The view is gone, for this reason; waits for the list.
        case gone(String)
        /// The list does not exist, or may not be read; waits for it.
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
    /// Distinguishes a late answer from an awaited one.
    private var attempt = 0
    private var viewports = 0
    /// The revision of the last picture.
    private var revision: UInt64?
    private var isAsking = false
    private var hasChanged = false

    init(_ name: String, of daemon: ListDaemonClient, onEvent: @escaping @DBusActor (Event) -> Void) {
        self.name = name
        self.daemon = daemon
        self.onEvent = onEvent
    }

    /// Opens the view, or reports why it cannot.
    func open() {
        attempt += 1
        let mine = attempt
        Task { @DBusActor in await open(mine) }
    }

    /// Ends all reports. The daemon closes the view with the connection.
    func close() {
        isClosed = true
        leave()
    }

    /// Sets the visible part of the content; `answered` is reported when the picture is that part.
    func setViewport(y: Double, width: Double, height: Double) {
        viewports += 1
        let (mine, number) = (attempt, viewports)
        view?.setViewport(y: y, width: width, height: height) { [weak self] in
            // Several may be answered at once; the picture is that of the last.
            guard let self, self.isCurrent(mine), number == self.viewports else { return }
            self.onEvent(.answered)
            self.look(mine)
        }
    }

    /// Scrolls to an item.
    func scroll(to place: Place) {
        view?.view.scroll(to: place.objectID, item: place.item, position: "center")
    }

    /// Selects an item, or deselects it, for all views of the list.
    func select(_ place: Place, _ isSelected: Bool) {
        guard let view = view?.view else { return }
        let (mine, item) = (attempt, ListViewClient.SelectedItem(objectID: place.objectID, item: place.item))
        Task { @DBusActor in
            do throws(DBusError) {
                let done = try await view.changeSelection(
                    select: isSelected ? [item] : [], deselect: isSelected ? [] : [item])
                guard isCurrent(mine) else { return }
                let isDone = isSelected ? done.selected == [item] : done.deselected == [item]
                if !isDone { onEvent(.declined("the list does not allow that")) }
                look(mine)
            } catch {
                if isCurrent(mine) { onEvent(.declined(error.explanation)) }
            }
        }
    }

    private func isCurrent(_ attempt: Int) -> Bool { !isClosed && attempt == self.attempt }

    private func leave() {
        attempt += 1
        for subscription in subscriptions { subscription.cancel() }
        (view, adapter, subscriptions, revision) = (nil, nil, [], nil)
    }

    private func open(_ mine: Int) async {
        do throws(DBusError) {
            // Subscribed before the list is requested, so that a list that is made right after it is not missed.
            let made = try await listen(ListdName.adaptersPath, StandardInterface.objectManager, "InterfacesAdded") {
                [weak self] in self?.appeared($0)
            }
            guard keep(made, mine) else { return }
            let adapter = try await daemon.adapter(name)
            let properties = try await listen(adapter.path, StandardInterface.properties, "PropertiesChanged") {
                [weak self] _ in self?.look(mine)
            }
            guard keep(properties, mine) else { return }
            let selection = try await listen(adapter.path, ListdName.adapter, "SelectionChanged") {
                [weak self] _ in self?.look(mine)
            }
            guard keep(selection, mine) else { return }
            // A restricted list sends signals to subscribers only.
            try? await adapter.call("Subscribe", ["selection"])
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
        // The daemon is ending, which `AwaitedDaemon` reports.
        case .disconnected, .serviceUnknown, .nameHasNoOwner: return
        // The time is up; a daemon that is stopped or very busy may answer later.
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
        case .changed(let picture):
            onEvent(.changed(picture))
            if picture.revision != revision { look(mine) }
            revision = picture.revision
        case .failed(let error): onEvent(.failed(error))
        case .closed(let reason):
            leave()
            onEvent(.gone("the view was closed: \(reason)"))
            // Another list with the name may exist already; a daemon that ends has none, and its end is reported.
            if reason == "adapter-removed" { open() }
        }
    }

    // MARK: - What is known of the list

    /// How often the properties of a list that changes all the time are read.
    private static let pause = Duration.milliseconds(150)

    /// Reads the list's properties; once for all changes meanwhile.
    private func look(_ mine: Int) {
        guard isCurrent(mine) else { return }
        guard !isAsking else {
            hasChanged = true
            return
        }
        (isAsking, hasChanged) = (true, false)
        Task { @DBusActor in
            await ask(mine)
            _ = EventLoop.shared.addTimer(after: Self.pause) { [weak self] in
                guard let self else { return }
                self.isAsking = false
                if self.hasChanged { self.look(self.attempt) }
            }
        }
    }

    private func ask(_ mine: Int) async {
        guard let adapter, let view else { return }
        let everything = RemoteObject(
            adapter.connection, destination: adapter.destination, path: adapter.path,
            interface: StandardInterface.properties)
        guard
            let properties = try? await everything.call(
                "GetAll", ListdName.adapter, returning: [String: DBusValue].self),
            let range = try? await view.view.object.property("WorkingRange", as: DBusStruct<UInt32, UInt32>.self),
            isCurrent(mine)
        else { return }
        onEvent(.facts(ListFacts(properties, workingRange: range.members)))
        let text = await condition(properties)
        if isCurrent(mine) { onEvent(.condition(text)) }
    }

    /// The message about a list's state.
    private func condition(_ properties: [String: DBusValue]) async -> String {
        func text(_ name: String) -> String { properties[name].flatMap(ItemText.plain) ?? "" }
        let error = text("SourceError")
        switch text("State") {
        case "failed":
            if !error.isEmpty { return "the list has failed: \(error)" }
            let source = text("Source")
            let plugins = (try? await daemon.plugins()) ?? []
            let reason = plugins.first { source.hasPrefix($0.name + "/") }?.lastError ?? ""
            return reason.isEmpty ? "the list has failed: listd's journal says why" : "the list has failed: \(reason)"
        case "paused": return "the list waits for its plugin"
        default: return error.isEmpty ? "" : "the list is not complete: \(error)"
        }
    }
}

extension ListFacts {
    /// The content of a list's properties.
    fileprivate init(_ properties: [String: DBusValue], workingRange: (first: UInt32, count: UInt32)) {
        self.init()
        if case .uint32(let count)? = properties["ObjectCount"]?.unwrapped { objects = Int(count) }
        let first = Int(workingRange.first)
        self.workingRange = first..<(first + Int(workingRange.count))
        if case .dictionary(_, _, let entries)? = properties["Options"]?.unwrapped {
            for case (.string("hints"), let value) in entries.map({ ($0.key, $0.value) }) {
                hints = FieldHint.all(in: ["hints": value.unwrapped])
            }
        }
        guard case .array(_, let rows)? = properties["SelectedItems"]?.unwrapped else { return }
        select(
            rows.compactMap { row in
                guard case .structure(let members) = row, members.count == 2, case .string(let id) = members[0],
                    case .uint32(let item) = members[1]
                else { return nil }
                return ListViewClient.SelectedItem(objectID: id, item: item)
            })
    }
}
