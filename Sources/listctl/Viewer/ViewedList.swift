// SPDX-License-Identifier: Apache-2.0

import DBus
import Glibc
import ListClient

/// The list that the viewer shows, and the searches in it. It is either the list that the user named, or a filtered
/// list of its objects.
@DBusActor
final class ShownList {
    /// The name of the list that the user named.
    let name: String
    /// The list that is shown; nil while there is no daemon.
    private(set) var list: ViewedList?
    /// Whether a view was ever open.
    private(set) var hasOpened = false
    private var daemon: ListDaemonClient?
    private var filter: FilterList?
    private var searches: SearchQueue?
    private var onEvent: @DBusActor (ViewerState.Input) -> Void = { _ in }

    init(_ name: String) { self.name = name }

    /// Sets the function that receives the events of the list and of searches. Call it once, before any other method.
    func setEventHandler(_ onEvent: @escaping @DBusActor (ViewerState.Input) -> Void) {
        self.onEvent = onEvent
        searches = SearchQueue { query, result in
            switch result {
            case .success(let hit): onEvent(.found(query, hit))
            case .failure(let error): onEvent(.message(error.explanation))
            }
        }
    }

    /// Shows the list of a daemon; if the text is not empty, only the objects that contain it.
    func open(on daemon: ListDaemonClient, filter text: String) {
        close()
        self.daemon = daemon
        if text.isEmpty { open(name) } else { filter(by: text) }
    }

    /// Stops showing a list. A filtered list ends with its connection.
    func close() {
        closeList()
        (daemon, filter) = (nil, nil)
    }

    /// Filters by a text. An empty text shows the whole list.
    func filter(by text: String) {
        guard let daemon else { return }
        guard !text.isEmpty else { return endFilter() }
        if let filter { return filter.filter(by: text) }
        let filter = FilterList(of: name, from: daemon) { [weak self] in self?.handleFiltering($0) }
        self.filter = filter
        filter.filter(by: text)
    }

    /// Searches the shown list. An event reports the result.
    func find(_ query: Search.Query) {
        guard let adapter = list?.adapter else { return }
        searches?.start(query) { (query, isWanted) async throws(DBusError) in
            try await Search.find(query, in: adapter, while: isWanted)
        }
    }

    private func open(_ name: String) {
        guard let daemon else { return }
        closeList()
        let list = ViewedList(name, of: daemon) { [weak self] in self?.process($0) }
        self.list = list
        list.open()
    }

    private func closeList() {
        searches?.cancel()
        list?.close()
        list = nil
    }

    private func process(_ event: ViewerState.Input) {
        if case .opened = event { hasOpened = true }
        onEvent(event)
    }

    /// Shows the filtered list when it was created. When it could not be created, or listd refused its text, the whole
    /// list is shown.
    private func handleFiltering(_ result: Result<Void, DBusError>) {
        switch result {
        case .success: if let filter { open(filter.name) }
        case .failure(let error):
            onEvent(.filterRefused(error.explanation))
            endFilter()
        }
    }

    private func endFilter() {
        guard let filter else { return }
        self.filter = nil
        open(name)
        filter.remove()
    }
}

/// A view of the list with a name on one daemon. The view is opened again whenever the list is created again.
///
/// When a list is removed and created again, or gets another source, it keeps its name, but its views are closed. The
/// events say what `ViewerState` has to know.
@DBusActor
final class ViewedList {
    private let name: String
    private let daemon: ListDaemonClient
    private let onEvent: @DBusActor (ViewerState.Input) -> Void
    /// The list, while there is a view of it.
    private(set) var adapter: RemoteObject?
    private var view: TerminalView?
    private var subscriptions: [Subscription] = []
    private var isClosed = false
    /// The number of the latest opening. Replies to earlier openings are ignored.
    private var currentOpening = 0
    /// The number of viewports that were requested.
    private var viewportCount = 0
    /// The revision of the last picture.
    private var revision: UInt64?
    private var isReadingFacts = false
    private var needsRefresh = false

    init(_ name: String, of daemon: ListDaemonClient, onEvent: @escaping @DBusActor (ViewerState.Input) -> Void) {
        self.name = name
        self.daemon = daemon
        self.onEvent = onEvent
    }

    /// Opens the view. An event reports the success or the error.
    func open() {
        currentOpening += 1
        let opening = currentOpening
        Task { @DBusActor in await performOpening(opening) }
    }

    /// Stops sending events. The daemon closes the view when the connection ends.
    func close() {
        isClosed = true
        detach()
    }

    /// Sets the viewport. The event `answered` follows when the picture of that viewport has arrived.
    func setViewport(y: Double, width: Double, height: Double) {
        viewportCount += 1
        let (opening, number) = (currentOpening, viewportCount)
        view?.setViewport(y: y, width: width, height: height) { [weak self] in
            // One picture may answer several viewports; it is that of the last one.
            guard let self, self.isCurrentOpening(opening), number == self.viewportCount else { return }
            self.onEvent(.answered)
            self.refreshFacts(ofOpening: opening)
        }
    }

    /// Scrolls to an item.
    func scroll(to place: Place) {
        view?.view.scroll(to: place.objectID, item: place.item, position: "center")
    }

    /// Selects an item, or deselects it, for all views of the list.
    func setSelected(_ isSelected: Bool, at place: Place) {
        guard let view = view?.view else { return }
        let (opening, item) = (currentOpening, ListViewClient.SelectedItem(objectID: place.objectID, item: place.item))
        Task { @DBusActor in
            do throws(DBusError) {
                let done = try await view.changeSelection(
                    select: isSelected ? [item] : [], deselect: isSelected ? [] : [item])
                guard isCurrentOpening(opening) else { return }
                let isDone = isSelected ? done.selected == [item] : done.deselected == [item]
                // The answer says what is selected now, and a section controller may deselect an item that it has let
                // somebody select, as a button does.
                let why = isSelected ? "the item is not selected, or no longer" : "the item is still selected"
                if !isDone { onEvent(.message(why)) }
                refreshFacts(ofOpening: opening)
            } catch {
                if isCurrentOpening(opening) { onEvent(.message(error.explanation)) }
            }
        }
    }

    /// Invokes an action on an item.
    func invoke(_ action: String, at place: Place) {
        guard let view = view?.view else { return }
        let opening = currentOpening
        Task { @DBusActor in
            do throws(DBusError) {
                let isHandled = try await view.invoke(action, item: place.item, of: place.objectID)
                if isCurrentOpening(opening) {
                    onEvent(.message(isHandled ? "done: \(action)" : "nobody handles the action “\(action)”"))
                }
            } catch {
                if isCurrentOpening(opening) { onEvent(.message(error.explanation)) }
            }
        }
    }

    private func isCurrentOpening(_ opening: Int) -> Bool { !isClosed && opening == currentOpening }

    private func detach() {
        currentOpening += 1
        for subscription in subscriptions { subscription.cancel() }
        (view, adapter, subscriptions, revision) = (nil, nil, [], nil)
    }

    private func performOpening(_ opening: Int) async {
        do throws(DBusError) {
            // Subscribes before the list is looked up, so that a list is not missed that is created in between.
            let made = try await subscribe(ListdName.managerPath, StandardInterface.objectManager, "InterfacesAdded") {
                [weak self] in self?.listAdded($0)
            }
            guard retain(made, forOpening: opening) else { return }
            let adapter = try await daemon.adapter(name)
            let properties = try await subscribe(adapter.path, StandardInterface.properties, "PropertiesChanged") {
                [weak self] _ in self?.refreshFacts(ofOpening: opening)
            }
            guard retain(properties, forOpening: opening) else { return }
            let selection = try await AdapterClient(adapter).subscribe(to: "SelectionChanged", "selection") {
                [weak self] _ in self?.refreshFacts(ofOpening: opening)
            }
            guard retain(selection, forOpening: opening) else { return }
            let view = try await TerminalView.open(adapter) { [weak self] in self?.handle($0, ofOpening: opening) }
            guard isCurrentOpening(opening) else { return await view.view.close() }
            (self.adapter, self.view) = (adapter, view)
            onEvent(.opened)
            refreshFacts(ofOpening: opening)
        } catch {
            if isCurrentOpening(opening) { handleOpeningFailure(error) }
        }
    }

    private func subscribe(
        _ path: ObjectPath, _ interface: String, _ member: String, _ body: @escaping @DBusActor (Message) -> Void
    ) async throws(DBusError) -> Subscription {
        let rule = MatchRule(sender: ListdName.bus, path: path, interface: interface, member: member)
        return try await daemon.connection.subscribe(rule, body)
    }

    /// Stores the subscription, or cancels it if this opening is no longer current. Returns whether it was stored.
    private func retain(_ subscription: Subscription, forOpening opening: Int) -> Bool {
        guard isCurrentOpening(opening) else {
            subscription.cancel()
            return false
        }
        subscriptions.append(subscription)
        return true
    }

    private func handleOpeningFailure(_ error: DBusError) {
        switch error.standard {
        // The daemon has ended, which `ListClient` reports.
        case .disconnected, .serviceUnknown, .nameHasNoOwner: return
        // The call timed out. A daemon that is stopped or very busy may answer later.
        case .noReply:
            onEvent(.silent)
            detach()
            return open()
        default: onEvent(.closed(error.explanation, keepingPicture: false))
        }
    }

    private func listAdded(_ message: Message) {
        guard view == nil, !isClosed,
            let path = try? message.read({ (reader) throws(DBusError) in try reader.readObjectPath() }),
            path.parent == ListdName.adaptersPath, let name = ListdName.unescaped(path),
            name.utf8.elementsEqual(self.name.utf8)
        else { return }
        detach()
        open()
    }

    private func handle(_ event: ListViewClient.Event, ofOpening opening: Int) {
        guard isCurrentOpening(opening) else { return }
        switch event {
        case .changed(let picture):
            onEvent(.shown(picture))
            if picture.revision != revision { refreshFacts(ofOpening: opening) }
            revision = picture.revision
        case .failed(let error): onEvent(error.isTimeout ? .unanswered : .refused(error.explanation))
        case .closed(let reason):
            detach()
            onEvent(.closed("the view was closed: \(reason)", keepingPicture: false))
            // A new list with the same name may exist already. If the daemon has ended, opening fails without an event.
            if reason == "adapter-removed" { open() }
        }
    }

    // MARK: - Properties of the list

    /// The delay after the properties were read until they may be read again.
    private static let refreshInterval = Duration.milliseconds(150)

    /// Reads the list's properties. Changes that arrive while they are read lead to one further reading.
    private func refreshFacts(ofOpening opening: Int) {
        guard isCurrentOpening(opening) else { return }
        guard !isReadingFacts else {
            needsRefresh = true
            return
        }
        (isReadingFacts, needsRefresh) = (true, false)
        Task { @DBusActor in
            await readFacts(ofOpening: opening)
            _ = EventLoop.shared.addTimer(after: Self.refreshInterval) { [weak self] in
                guard let self else { return }
                self.isReadingFacts = false
                if self.needsRefresh { self.refreshFacts(ofOpening: self.currentOpening) }
            }
        }
    }

    private func readFacts(ofOpening opening: Int) async {
        guard let adapter, let view else { return }
        let everything = RemoteObject(
            adapter.connection, destination: adapter.destination, path: adapter.path,
            interface: StandardInterface.properties)
        guard
            let properties = try? await everything.call(
                "GetAll", ListdName.adapter, returning: [String: DBusValue].self),
            let range = try? await view.view.object.property("WorkingRange", as: DBusStruct<UInt32, UInt32>.self),
            isCurrentOpening(opening)
        else { return }
        onEvent(.facts(ListFacts(properties, workingRange: range.members)))
        let text = await stateMessage(for: properties)
        if isCurrentOpening(opening) { onEvent(.condition(text)) }
    }

    /// Returns the message about the list's state; empty when the list is ready and complete.
    private func stateMessage(for properties: [String: DBusValue]) async -> String {
        func text(_ name: String) -> String { properties[name].flatMap(ItemText.plain) ?? "" }
        let error = text("SourceError")
        switch text("State") {
        case "failed":
            if !error.isEmpty { return "the list has failed: \(error)" }
            let source = text("Source")
            let plugins = (try? await daemon.plugins()) ?? []
            let reason = plugins.first { source.hasPrefix($0.name + "/") }?.values.text("error") ?? ""
            return reason.isEmpty ? "the list has failed: listd's journal says why" : "the list has failed: \(reason)"
        case "paused": return "the list waits for its plugin"
        default: return error.isEmpty ? "" : "the list is not complete: \(error)"
        }
    }
}

extension ListFacts {
    /// Decodes the properties of a list.
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
        setSelection(
            rows.compactMap { row in
                guard case .structure(let members) = row, members.count == 2, case .string(let id) = members[0],
                    case .uint32(let item) = members[1]
                else { return nil }
                return ListViewClient.SelectedItem(objectID: id, item: item)
            })
    }
}

/// The properties of a list that the viewer shows around the picture.
struct ListFacts: Equatable, Sendable {
    /// The number of objects; nil while unknown.
    var objects: Int?
    /// The working range: the visible sections and some around them.
    var workingRange: Range<Int>?
    /// The hints for the list's fields, by field name.
    var hints: [String: FieldHint] = [:]
    /// The selected items. The selection is common to all views of the list.
    private(set) var selected: Set<ListViewClient.SelectedItem> = []

    /// Replaces the selection.
    mutating func setSelection(_ items: [ListViewClient.SelectedItem]) { selected = Set(items) }

    func isSelected(_ shown: Picture.Shown) -> Bool {
        !selected.isEmpty && shown.kind == "cell"
            && selected.contains(ListViewClient.SelectedItem(objectID: shown.objectID, item: shown.item))
    }
}

/// A view of a list in the axes of the terminal.
@DBusActor
struct TerminalView {
    /// The view in the axes of the list.
    let view: ListViewClient
    private let axis: Axis

    /// Opens a view whose pictures are in the axes of the terminal. A list with the layout `none` gets the layout
    /// `flow` in this view.
    static func open(
        _ adapter: RemoteObject, onEvent: @escaping @DBusActor (ListViewClient.Event) -> Void
    ) async throws(DBusError) -> TerminalView {
        let options = try await adapter.property("Options", as: [String: DBusValue].self)
        let text = { (key: String) in options[key].flatMap(ItemText.plain) }
        let axis = text("direction") == "horizontal" ? Axis.horizontal : .vertical
        let layout: [String: DBusValue] = text("layout") == "none" ? ["layout": .string("flow")] : [:]
        let view = try await ListViewClient.open(adapter, options: layout) { event in
            if case .changed(let picture) = event { return onEvent(.changed(axis.terminalPicture(of: picture))) }
            onEvent(event)
        }
        return TerminalView(view: view, axis: axis)
    }

    /// Sets the viewport. `body` is called when the picture of that viewport has arrived.
    func setViewport(y: Double, width: Double, height: Double, then body: @escaping @DBusActor () -> Void) {
        let viewport = axis.viewport(y: y, width: width, height: height)
        view.setViewport(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height)
        view.whenAnswered(body)
    }
}

/// A list of those objects of another list that contain a text. It ends with this connection.
///
/// The text changes while the user types. While listd handles one text, only the newest of the texts that follow is
/// kept.
@DBusActor
final class FilterList {
    /// The name of the filtered list.
    let name: String
    private let base: String
    private let daemon: ListDaemonClient
    /// Called when the list was created; with an error when it could not be created, or listd refused its text.
    private let onResult: @DBusActor (Result<Void, DBusError>) -> Void
    private var adapter: RemoteObject?
    private var wanted: String?
    private var isBusy = false
    private var isRemoved = false
    private static var count = 0
    /// The maximum length of a list's name, in bytes.
    private static let maximumNameLength = 255

    init(
        of base: String, from daemon: ListDaemonClient, onResult: @escaping @DBusActor (Result<Void, DBusError>) -> Void
    ) {
        (self.base, self.daemon, self.onResult) = (base, daemon, onResult)
        Self.count += 1
        // The unique name makes the list's name unique on the bus. A direct connection has no unique name, but a
        // process ID.
        let suffix = " & \(daemon.connection.uniqueName) \(getpid()).\(Self.count)"
        var start = base
        while start.utf8.count + suffix.utf8.count > Self.maximumNameLength { start.removeLast() }
        name = start + suffix
    }

    /// Filters by a text. The list is created for the first text.
    func filter(by text: String) {
        wanted = text
        guard !isBusy, !isRemoved else { return }
        isBusy = true
        Task { @DBusActor in
            while let text = wanted, !isRemoved {
                wanted = nil
                await apply(text)
            }
            isBusy = false
            if isRemoved { await removeNow() }
        }
    }

    /// Removes the list. No result follows.
    func remove() {
        isRemoved = true
        guard !isBusy else { return }
        Task { @DBusActor in await removeNow() }
    }

    private func removeNow() async {
        guard adapter != nil else { return }
        adapter = nil
        // Another client may have removed the list already.
        try? await daemon.removeAdapter(name)
    }

    private func apply(_ text: String) async {
        do throws(DBusError) {
            var query = ListQueryText()
            query.contains = text
            if let adapter {
                _ = try await adapter.call("SetSourceArgument", query.argument, returning: UInt64.self)
                return
            }
            let options = try await Self.makeOptions(of: base, matching: query, on: daemon)
            let path = try await daemon.createAdapter(name, options: options)
            adapter = RemoteObject(
                daemon.connection, destination: ListdName.bus, path: path, interface: ListdName.adapter)
            if !isRemoved { onResult(.success(())) }
        } catch {
            wanted = nil
            if !isRemoved { onResult(.failure(error)) }
        }
    }

    // MARK: - Options

    /// The options that are not copied from the followed list to the filtered list.
    private static let ownOptions: Set<String> = [
        "source", "transient", "durability", "readers", "writers", "invokers", "empty", "near-end-distance",
    ]

    /// Returns the options of a filtered list.
    ///
    /// Most are those of the followed list, so that objects look as they do there. The option `source` names the
    /// followed list and the query; `transient` is true.
    static func makeOptions(
        of base: String, matching query: ListQueryText, on daemon: ListDaemonClient
    ) async throws(DBusError) -> [String: DBusValue] {
        var options = try await daemon.adapter(base).property("Options", as: [String: DBusValue].self)
        options = options.filter { !ownOptions.contains($0.key) }
        options["source"] = .string(query.source(of: base))
        options["transient"] = .boolean(true)
        return options
    }
}
