// SPDX-License-Identifier: Apache-2.0

public import DBus

/// A client of a view. It keeps the `Picture` that the daemon sends, and acknowledges each change that was applied.
///
/// The client is isolated to `DBusActor`. It is valid as long as the daemon and the connection on which it was opened
/// exist; afterwards, open a new view. Viewports, and ranges of a view with the layout `none`, are sent one at a
/// time. While one is in flight, only the newest of the later ones is kept. The view is closed when the last
/// reference is released.
@DBusActor
public final class ListViewClient {
    /// An event of the view.
    public enum Event {
        /// The picture has changed.
        case changed(Picture)
        /// The daemon has closed the view for this reason, which is a word of the contract.
        case closed(String)
        /// A call failed.
        case failed(DBusError)
    }

    /// The place that a view must show. A range refers to the picture with the sequence `seen`.
    private enum WantedPlace {
        case viewport(x: Double, y: Double, width: Double, height: Double)
        case range(seen: UInt64, first: ItemPath, last: ItemPath)
    }

    /// The present picture: the items in their slots.
    public private(set) var picture = Picture()
    /// The view's object on the bus.
    public let object: RemoteObject

    /// The view's object at the unique name of the daemon that created it, so that closing the view cannot start
    /// another daemon.
    private let maker: RemoteObject
    private let onEvent: @DBusActor (Event) -> Void
    /// Whether ranges refer to revisions.
    private let namesRevisions: Bool
    private var subscription: Subscription?
    private var isClosed = false
    private var isSending = false
    private var isSyncing = false
    private var waiting: WantedPlace?
    private var answered: [@DBusActor () -> Void] = []

    /// Opens a view of a list.
    ///
    /// - Throws: the daemon's error, such as for an unknown option; `NoReply` when the task is cancelled. The new
    ///   view is then closed.
    public static func open(
        _ adapter: RemoteObject, options: [String: DBusValue] = [:], onEvent: @escaping @DBusActor (Event) -> Void
    ) async throws(DBusError) -> ListViewClient {
        var message = try Message.methodCall(
            to: adapter.destination, path: adapter.path, interface: adapter.interface, member: "OpenView")
        try message.write(options)
        let view = { @DBusActor (reply: Message) throws(DBusError) -> ListViewClient in
            let namesRevisions = options["range-at"]?.unwrapped == .string("revision")
            return try ListViewClient(
                opened: reply, from: adapter, namesRevisions: namesRevisions, onEvent: onEvent)
        }
        let reply = try await adapter.connection.callCreating(message) { late in
            // Nothing keeps this client, so its release closes the view.
            _ = try? view(late)
        }
        let opened = try view(reply)
        try await opened.subscribe()
        return opened
    }

    private convenience init(
        opened reply: Message, from adapter: RemoteObject, namesRevisions: Bool,
        onEvent: @escaping @DBusActor (Event) -> Void
    ) throws(DBusError) {
        let path = try reply.read { (reader) throws(DBusError) in try reader.readObjectPath() }
        let object = RemoteObject(
            adapter.connection, destination: adapter.destination, path: path, interface: ListdName.view)
        let maker = RemoteObject(
            adapter.connection, destination: reply.sender ?? adapter.destination, path: path,
            interface: ListdName.view)
        self.init(object: object, maker: maker, namesRevisions: namesRevisions, onEvent: onEvent)
    }

    /// Subscribes to the view's signals. They are unicast, so they arrive without a match rule on the bus.
    private func subscribe() async throws(DBusError) {
        let rule = MatchRule(sender: ListdName.bus, path: object.path, interface: ListdName.view)
        subscription = try await object.connection.subscribe(rule, onBus: false) { [weak self] message in
            self?.handleSignal(message)
        }
    }

    private init(
        object: RemoteObject, maker: RemoteObject, namesRevisions: Bool, onEvent: @escaping @DBusActor (Event) -> Void
    ) {
        self.namesRevisions = namesRevisions
        self.object = object
        self.maker = maker
        self.onEvent = onEvent
    }

    isolated deinit {
        subscription?.cancel()
        guard !isClosed, maker.connection.isConnected else { return }
        let message = try? Message.methodCall(
            to: maker.destination, path: maker.path, interface: maker.interface, member: "Close")
        if let message { try? maker.connection.callWithoutReply(message) }
    }

    /// Sets the visible part of the content, in points.
    public func setViewport(x: Double, y: Double, width: Double, height: Double) {
        waiting = .viewport(x: x, y: y, width: width, height: height)
        sendPlace()
    }

    /// Sets the visible items, from `first` through `last`, in a view with the layout `none`.
    ///
    /// - Parameter seen: the sequence of the picture, or with the option `range-at=revision` the revision of the list, to
    ///   which the range refers; nil for that of the present picture. The daemon adjusts the range to the changes since
    ///   then.
    public func setVisibleRange(from first: ItemPath, through last: ItemPath, seen: UInt64? = nil) {
        let newest = namesRevisions ? picture.revision : picture.sequence
        waiting = .range(seen: seen ?? newest, first: first, last: last)
        sendPlace()
    }

    /// A phase of scrolling by a user.
    public enum ScrollPhase: String, Sendable, CaseIterable {
        /// A finger or pointer has begun to drag the content.
        case began
        /// The finger or pointer has released the content, which may continue to move.
        case ended
        /// The content has stopped moving.
        case decelerated
    }

    /// Reports a phase of scrolling to the section controllers of visible sections.
    public func reportScroll(_ phase: ScrollPhase) {
        call("ReportScroll", phase.rawValue) { (view, result) in view.report(result) }
    }

    /// Reports whether the view is on the screen. While no view of a list is on the screen, the daemon may coalesce its
    /// updates for longer than otherwise. A view with a viewport gets no picture for an update that comes while it is off
    /// the screen; its next picture comes when it is on the screen again.
    public func setOnScreen(_ isOnScreen: Bool) {
        call("SetOnScreen", isOnScreen) { (view, result) in view.report(result) }
    }

    /// Calls `body` when all viewports and ranges have been answered and their pictures applied.
    public func whenAnswered(_ body: @escaping @DBusActor () -> Void) {
        answered.append(body)
        callAnswerHandlers()
    }

    /// Scrolls an object into the viewport.
    public func scroll(to objectID: String, item: UInt32 = 0, position: String = "none") {
        call("ScrollTo", objectID, item, position) { (view, result) in view.report(result) }
    }

    /// A reference to an item that is selected or to be selected.
    public struct SelectedItem: Sendable, Hashable {
        /// The identifier of the item's object.
        public var objectID: String
        /// The index of the item inside of the object's section.
        public var item: UInt32

        /// Creates a reference to an item.
        public init(objectID: String, item: UInt32 = 0) {
            self.objectID = objectID
            self.item = item
        }
    }

    /// Deselects items, then selects others, for all views of the list.
    ///
    /// - Returns: the items of `select` that are selected now, and those of `deselect` that are not. Section
    ///   controllers may refuse a change.
    /// - Throws: `NoSuchObject`, `NoSuchItem`, `InvalidArgs` for an item in both arrays. Nothing is changed then.
    public func changeSelection(
        select: [SelectedItem] = [], deselect: [SelectedItem] = []
    ) async throws(DBusError) -> (selected: [SelectedItem], deselected: [SelectedItem]) {
        typealias Row = DBusStruct<String, UInt32>
        func rows(_ items: [SelectedItem]) -> [Row] { items.map { Row($0.objectID, $0.item) } }
        func items(_ rows: [Row]) -> [SelectedItem] {
            rows.map { SelectedItem(objectID: $0.members.0, item: $0.members.1) }
        }
        let (selected, deselected) = try await object.call(
            "ChangeSelection", rows(select), rows(deselect), returning: [Row].self, [Row].self)
        return (items(selected), items(deselected))
    }

    /// Invokes an action on an item. If the item's section controller does not handle the action, the daemon sends it
    /// to the owner of the list.
    ///
    /// - Returns: whether a section controller has handled the action, or it was sent to a connection of the owner.
    /// - Throws: `AccessDenied` for users who may not invoke actions (the list's option `invokers`), `NoSuchObject`,
    ///   `NoSuchItem`.
    public func invoke(
        _ action: String, parameters: [String: DBusValue] = [:], item: UInt32 = 0, of objectID: String
    ) async throws(DBusError) -> Bool {
        try await object.call("Invoke", objectID, item, action, parameters, returning: Bool.self)
    }

    /// Closes the view. No event follows.
    public func close() async {
        end()
        // The daemon may have ended, and the view with it.
        _ = try? await maker.call("Close")
    }

    private func end() {
        isClosed = true
        subscription?.cancel()
        (subscription, waiting) = (nil, nil)
    }

    private func sendPlace() {
        guard !isSending, !isClosed, let place = waiting else { return }
        (isSending, waiting) = (true, nil)
        switch place {
        case .viewport(let x, let y, let width, let height):
            call("SetViewport", picture.sequence, x, y, width, height) { $0.handleAnswer($1) }
        case .range(let seen, let first, let last):
            let numbers = [first.section, first.item, last.section, last.item].map(UInt32.init(clamping:))
            call("SetVisibleRange", seen, numbers[0], numbers[1], numbers[2], numbers[3]) { $0.handleAnswer($1) }
        }
    }

    /// Handles an answer or an error, and sends the next place.
    private func handleAnswer(_ result: Result<Message, DBusError>) {
        isSending = false
        report(result)
        sendPlace()
        callAnswerHandlers()
    }

    private func callAnswerHandlers() {
        guard !isSending, !isSyncing, waiting == nil else { return }
        let bodies = answered
        answered = []
        for body in bodies { body() }
    }

    private func handleSignal(_ message: Message) {
        do throws(DBusError) {
            switch message.member {
            case "Changed":
                applyChange(try message.read { (reader) throws(DBusError) in try PictureChange(signal: &reader) })
            case "Stalled": resync()
            case "Closed":
                end()
                onEvent(.closed(try message.decode(as: String.self)))
            default: break
            }
        } catch {
            onEvent(.failed(error))
        }
    }

    private func applyChange(_ change: PictureChange) {
        switch picture.apply(change) {
        case .applied:
            acknowledge(change.sequence)
            onEvent(.changed(picture))
        case .ignored: break
        case .gap: resync()
        }
    }

    private func acknowledge(_ sequence: UInt64) {
        do throws(DBusError) {
            var message = try Message.methodCall(
                to: object.destination, path: object.path, interface: object.interface, member: "Ack")
            try message.write(sequence)
            try object.connection.callWithoutReply(message)
        } catch {
            onEvent(.failed(error))
        }
    }

    private func resync() {
        guard !isSyncing else { return }
        isSyncing = true
        call("Resync") { (view, result) in
            view.isSyncing = false
            do throws(DBusError) {
                view.picture.replace(
                    with: try result.get().read { (reader) throws(DBusError) in try Picture(resync: &reader) })
                if !view.isClosed { view.onEvent(.changed(view.picture)) }
            } catch {
                view.report(.failure(error))
            }
            view.callAnswerHandlers()
        }
    }

    private func report(_ result: Result<Message, DBusError>) {
        if case .failure(let error) = result, !isClosed { onEvent(.failed(error)) }
    }

    /// Calls a method of the view. `handle` runs once, also when the call cannot be sent, but not after the client
    /// was released.
    private func call<each Argument: DBusEncodable>(
        _ member: String, _ arguments: repeat each Argument,
        then handle: @escaping @DBusActor (ListViewClient, Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            var message = try Message.methodCall(
                to: object.destination, path: object.path, interface: object.interface, member: member)
            try message.write(repeat each arguments)
            object.connection.call(message) { [weak self] result in
                if let self { handle(self, result) }
            }
        } catch {
            handle(self, .failure(error))
        }
    }
}
