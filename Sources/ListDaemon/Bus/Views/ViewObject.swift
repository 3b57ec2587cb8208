// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// A view's object on the bus: one client's viewport on an adapter. Its signals are sent only to its owner.
@DBusActor
final class ViewObject {
    /// The number of the view, which is never reused.
    let number: ViewID
    /// The path of the object.
    let path: ObjectPath
    /// The list that it shows.
    let adapter: AdapterObject
    /// The connection that opened it.
    let owner: Peer
    /// The Unix user on whose account the view counts.
    let user: UInt32
    /// The options that the view was opened with.
    let options: ListViewOptions
    /// The state of the view as of the last signal; nil before its first viewport or range.
    private(set) var description: ViewDescription?
    /// A counter that increases with every new state.
    private(set) var stamp: UInt64 = 0
    /// The pictures that wait for their turn.
    private var unsent = UnsentPictures()
    /// How far the viewport moved in pictures that were withdrawn, and that the owner has not been told yet.
    private var lostShift = Point.zero
    /// Whether the owner has closed the view. Its object stays until nothing is displayed any more.
    private var isClosing = false
    /// The number of calls that set the viewport or the range.
    private var places: UInt64 = 0
    /// The size of the last viewport that was sent to the host, and whether the host is laying it out.
    private var size: (wanted: Size, isUnderWay: Bool)?
    /// The newest viewport that waits until another size is laid out, with the calls that it replaces.
    private var waiting: (call: Call, seen: UInt64, viewport: Rect, replaced: [Call])?
    let service: Service

    init(
        number: ViewID, adapter: AdapterObject, owner: Peer, user: UInt32, options: ListViewOptions, service: Service
    ) {
        self.number = number
        path = .view(number)
        self.adapter = adapter
        self.owner = owner
        self.user = user
        self.options = options
        self.service = service
    }

    /// Records a new state of the view. What it shows counts on the account of its user.
    func setDescription(_ description: ViewDescription) {
        let growth = description.byteCount - (self.description?.byteCount ?? 0)
        if growth != 0 { service.limits.quotas.bookUnchecked(Quotas.Amounts(bytes: growth), for: user) }
        self.description = description
        stamp += 1
    }

    /// The sequence number of the last sent picture.
    var sequence: UInt64 { description?.sequence ?? 0 }
    /// The sequence number of the last acknowledged picture.
    var acknowledgedSequence: UInt64 { description?.acknowledgedSequence ?? 0 }
    /// The value of the property `State`.
    var state: String { (description?.state ?? .new).rawValue }

    /// Returns whether a peer may read the contents of the view. For nil, returns whether all peers may.
    func isReadable(by peer: Peer?) -> Bool { peer === owner || adapter.isReadable(by: peer) }

    /// Throws if the view was closed, or if the caller is neither the owner nor an administrator, because every method
    /// changes state that the owner's client relies on.
    func checkOwner(of call: Call) throws {
        if isClosing { throw DBusError.unknownObject(path) }
        guard call.peer !== owner else { return }
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard caller.isAdministrator else {
            throw ListError(.notOwner, "view \(number) belongs to \(owner.name)")
        }
    }

    /// Closes the view for its owner. Calls that come later find no object.
    func close(_ call: Call) throws {
        try checkOwner(of: call)
        isClosing = true
        perform(call, .close) { _, _ in true }
    }

    /// Sends a command to the host and answers the call with what `write` encodes.
    func perform(_ call: Call, _ command: ViewCommand, _ write: @escaping AnswerEncoder) {
        request(for: call, command) { [self] outcome in answer(call, with: outcome, write) }
    }

    /// Answers a call in the order of the owner's messages.
    func answer(_ call: Call, with outcome: Result<PresenterAnswer, ListError>, _ write: @escaping AnswerEncoder) {
        if case .failure = outcome, service.views.object(number) == nil {
            // The view was closed while the call was under way.
            return call.fail(DBusError.unknownObject(path))
        }
        service.calls.outbox.answer(call, with: outcome, isInOrder: true, write)
    }

    /// Sends a command to the host on behalf of a call, behind the viewport that waits.
    func request(for call: Call, _ command: ViewCommand, _ completion: @escaping ListHost.Completion<PresenterAnswer>) {
        switch command {
        case .setViewport, .acknowledge: break
        case .setVisibleRange, .scrollTo, .reportScroll, .setOnScreen, .reportSizes, .select, .changeSelection,
            .invoke, .setHighlighted, .resync, .close:
            sendWaitingViewport()
        }
        // The call retains its peer until it is answered.
        adapter.host.view(
            command, on: number, by: call.peer.pluginCaller, for: ObjectIdentifier(call.peer),
            cost: command.cost(in: description), done: completion)
    }
}

extension ViewCommand {
    /// Returns the number of elements that the command touches in a view with a state; of a view that shows nothing yet, nil.
    fileprivate func cost(in view: ViewDescription?) -> Int {
        let visible = view?.visibleObjects.count ?? 0
        switch self {
        case .setViewport(_, let rect, _):
            // The whole list is laid out for another size.
            return rect.size == view?.viewport.size ? visible : .max
        case .setVisibleRange(_, let first, let last, _, _):
            return view == nil ? .max : max(visible, last.section - first.section)
        case .scrollTo, .setOnScreen: return view == nil ? .max : visible
        case .changeSelection(let select, let deselect): return select.count + deselect.count
        case .reportSizes(let sizes): return visible + sizes.count
        case .reportScroll, .acknowledge, .resync, .close: return visible
        case .select, .invoke, .setHighlighted: return 1
        }
    }
}

// MARK: - The account of the user

extension ViewObject {
    /// The bytes that are booked for the growth of a picture before its size is known.
    private static let firstGrowth = 1 << 20

    /// Sets the viewport, in the content of the picture `seen`, and answers the call with the sequence.
    ///
    /// While one size is laid out, which may take long, only the newest of the later viewports is kept. The calls that it
    /// replaces get its answer.
    func setViewport(_ call: Call, seen: UInt64, _ viewport: Rect) {
        guard size?.isUnderWay != true else {
            waiting = (call, seen, viewport, (waiting?.replaced ?? []) + (waiting.map { [$0.call] } ?? []))
            return
        }
        send(viewport, seen: seen, for: call, replacing: [])
    }

    /// Sends the viewport that waits, before a call that came after it.
    func sendWaitingViewport() {
        guard let (call, seen, viewport, replaced) = waiting else { return }
        waiting = nil
        send(viewport, seen: seen, for: call, replacing: replaced)
    }

    private func send(_ viewport: Rect, seen: UInt64, for call: Call, replacing replaced: [Call]) {
        let isNew = size.map { $0.wanted != viewport.size } ?? true
        size = (viewport.size, isNew || size?.isUnderWay == true)
        performForPicture(call) { growth in
            .setViewport(seen: seen, viewport, growth: growth)
        } then: { [self] outcome in
            for other in replaced { answer(other, with: outcome, Self.writeSequence) }
            guard isNew else { return }
            size?.isUnderWay = false
            sendWaitingViewport()
        }
    }

    /// Sets the viewport or the range of a view, and answers the call with the sequence.
    ///
    /// How much larger the picture becomes is known when it is made. Until then bytes are booked for it, as far as the
    /// user has some left. If the picture needs more, it is made again with sixteen times as many.
    ///
    /// - Parameter then: called with the outcome, after the call was answered.
    func performForPicture(
        _ call: Call, _ command: @escaping @DBusActor (_ growth: Int) -> ViewCommand,
        then: @escaping ListHost.Completion<PresenterAnswer> = { _ in }
    ) {
        places += 1
        performForPicture(call, command, number: places, growth: Self.firstGrowth, then: then)
    }

    private func performForPicture(
        _ call: Call, _ command: @escaping @DBusActor (_ growth: Int) -> ViewCommand, number: UInt64, growth: Int,
        then: @escaping ListHost.Completion<PresenterAnswer>
    ) {
        let quotas = service.limits.quotas
        let booked = quotas.bookBytes(upTo: growth, for: user)
        request(for: call, command(booked)) { [self] outcome in
            quotas.release(Quotas.Amounts(bytes: booked), for: user)
            var outcome = outcome
            if case .failure(let error) = outcome, error.code == .limitsExceeded {
                if booked < growth {
                    outcome = .failure(
                        LimitKey.bytesPerUser.refusal(
                            .limitsExceeded, "user \(user) would have more bytes in lists and views than allowed"))
                } else if number == places {
                    let (more, overflow) = growth.multipliedReportingOverflow(by: 16)
                    return performForPicture(
                        call, command, number: number, growth: overflow ? .max : more, then: then)
                } else {
                    // A later call has set another place meanwhile.
                    outcome = .success(.sequence(sequence))
                }
            }
            answer(call, with: outcome, Self.writeSequence)
            then(outcome)
        }
    }

    /// Encodes the answer of a call with the sequence number of the view.
    nonisolated static func writeSequence(_ answer: PresenterAnswer, _ writer: inout MessageWriter) -> Bool {
        guard case .sequence(let sequence) = answer else { return false }
        writer.append(sequence)
        return true
    }
}

// MARK: - Signals to the owner

extension ViewObject {
    /// Sends the difference to the previous picture.
    func sendChange(_ change: PictureChange) {
        service.count(.pictures)
        guard !owner.hasDeparted else { return }
        let isHeld = service.calls.outbox.isWaiting(for: owner)
        if unsent.changes.isEmpty, !isHeld, change.sizeOnBus <= Outbox.largestAtOnce {
            return emit(Self.changedSignal) { $0.append(change) }
        }
        unsent.append(change)
        service.views.setHasUnsent(self, true)
        // One message is queued for each change. Until its turn, the change may become another one.
        service.calls.outbox.send(
            to: owner, size: { [self] in unsent.changes.first?.sizeOnBus ?? 0 }, stamp: { [self] in unsent.stamp }
        ) { [self] () throws(DBusError) in
            guard let change = unsent.changes.first else { throw .failed("the picture is sent already") }
            return making(Self.changedSignal) { $0.append(change) }
        } send: { [self] outcome in
            // A withdrawn picture has no message.
            guard unsent.popFirst() != nil else { return }
            if unsent.changes.isEmpty { service.views.setHasUnsent(self, false) }
            send(outcome, Self.changedSignal)
        }
    }

    /// Prepares the waiting pictures for the announcement of the list's next revision: they are sent at once if a later
    /// one cannot take their place, because an answer waits behind them or the viewer has no credit for it. Otherwise
    /// they become the picture of that revision. Pictures without a successor that are too large to be sent at once are
    /// withdrawn: the owner is told of the loss, and reads the whole picture.
    func prepare(forUpdateTo revision: UInt64) {
        let hasNoSuccessor = description?.state == .stalled || service.transports.isCongested
        let outbox = service.calls.outbox
        if outbox.hasAnswer(for: owner) || hasNoSuccessor, unsent.size <= Self.mostFlushedBytes { outbox.flush(owner) }
        guard hasNoSuccessor else { return unsent.advance(to: revision) }
        if let shift = unsent.withdraw() {
            lostShift = lostShift + shift
            service.views.setHasUnsent(self, false)
            announceLoss()
        }
    }

    /// Returns how far the viewport moved in pictures that were withdrawn since the last call.
    func takeLostShift() -> Point {
        defer { lostShift = .zero }
        return lostShift
    }

    /// The maximum bytes of a view's pictures that are encoded on the event loop's thread because others wait for them.
    private static let mostFlushedBytes = 1 << 20

    /// Notifies the owner that the bus dropped a signal. The owner receives `Stalled` with the present sequence number,
    /// and notices the gap.
    func announceLoss() { emitStalled(sequence: sequence, revision: adapter.status.revision) }

    /// Notifies the owner that the view's credit is exhausted.
    func announceStall(sequence: UInt64, revision: UInt64) {
        service.count(.stalls)
        emitStalled(sequence: sequence, revision: revision)
    }

    private func emitStalled(sequence: UInt64, revision: UInt64) {
        emit(Self.stalledSignal) { writer in
            writer.append(sequence)
            writer.append(revision)
        }
    }

    /// Notifies the owner that the view has ended, and removes the object.
    func finishClosing(_ reason: ViewClosing) {
        emit(Self.closedSignal) { $0.append(reason.rawValue) }
        discard()
    }

    /// Removes the object without a signal.
    func discard() {
        service.views.setHasUnsent(self, false)
        service.views.remove(self)
        service.counts.notifyChange()
        service.limits.quotas.release(Quotas.Amounts(views: 1, bytes: description?.byteCount ?? 0), for: user)
        service.tree.remove(at: path)
    }

    /// Sends a small signal to the owner in order, behind the pictures that wait for their turn.
    private func emit(_ signal: Signal, _ write: @escaping @Sendable (inout MessageWriter) -> Void) {
        guard !owner.hasDeparted else { return }
        service.calls.outbox.send(to: owner) { [self] in
            making(signal, write)
        } send: { [self] outcome in
            send(outcome, signal)
        }
    }

    /// Returns a closure that makes a signal with the arguments that `write` appends, on any thread.
    private func making(
        _ signal: Signal, _ write: @escaping @Sendable (inout MessageWriter) -> Void
    ) -> Outbox.Maker {
        { [path, interface = Self.interface.name] () throws(DBusError) in
            try Message.signal(signal, of: interface, at: path) { writer in write(&writer) }
        }
    }

    private func send(_ outcome: Result<Message, DBusError>, _ signal: Signal) {
        do throws(DBusError) {
            try service.transports.send(outcome.get(), to: owner, .view(number))
            service.transports.direct.pauseReadingIfBehind(owner)
        } catch {
            service.log.warning(
                "signal \(signal.name) of view \(number) could not be sent: \(error)", .client(owner.name),
                limitedBy: owner.userText)
        }
    }
}
