// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import ListConfiguration
@_spi(Daemon) internal import ListKit
internal import ListSupport
internal import ListWorkers

/// One client's viewport on an adapter, on the bus; only its owner hears it.
@DBusActor
final class ViewObject {
    /// Its number, never used again.
    let number: ViewID
    /// The path of the object.
    let path: ObjectPath
    /// The list that it shows.
    let adapter: AdapterObject
    /// The connection that opened it.
    let owner: Peer
    /// The Unix user on whose account it goes.
    let user: UInt32
    /// The options that it was opened with.
    let options: ListViewOptions
    /// Its state, nil before its first viewport or range; as of the last signal.
    private(set) var description: ViewDescription?
    /// How often it was reported anew how the view stands.
    private(set) var stamp: UInt64 = 0
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

    /// Shows how the view stands from now on.
    func setDescription(_ description: ViewDescription) {
        self.description = description
        stamp += 1
    }

    /// The last sent picture.
    var sequence: UInt64 { description?.sequence ?? 0 }
    /// The last acknowledged picture.
    var acknowledgedSequence: UInt64 { description?.acknowledgedSequence ?? 0 }
    /// The contract's word for how it stands.
    var state: String { (description?.state ?? .new).rawValue }

    /// Whether a peer may know what the view shows; a nil peer is everybody.
    func isReadable(by peer: Peer?) -> Bool { peer === owner || adapter.isReadable(by: peer) }

    /// Refuses everybody but the owner and administrators, as every method changes what the owner's client goes by.
    func check(_ call: Call) throws(ListError) {
        guard call.peer !== owner else { return }
        let caller = try service.authority.caller(call.peer, for: .manageLists)
        guard caller.isAdministrator else {
            throw ListError(.notOwner, "view \(number) belongs to \(owner.name)")
        }
    }

    /// Has the host do something and answers the call with what `write` makes of the answer; false = it does not fit.
    func perform(
        _ call: Call, _ command: ViewCommand,
        _ write: @escaping @Sendable (AdapterAnswer, inout MessageWriter) -> Bool
    ) {
        request(for: call, command) { [service] outcome in
            service.calls.reads.answer(call, outcome, isInOrder: true, write) {}
        }
    }

    /// Has the host do something for a call.
    func request(for call: Call, _ command: ViewCommand, _ completion: @escaping RequestTable.Completion) {
        adapter.request(of: call.peer, isLong: mayTakeLong(command), completion) { [number] id in
            .view(id, number, command)
        }
    }
}

extension ViewObject {
    /// The most objects shown for which a step counts as short.
    private static let fewObjects = 256

    /// Whether a command may lay the whole list out, or show very much.
    private func mayTakeLong(_ command: ViewCommand) -> Bool {
        guard let description, description.visibleObjects.count <= Self.fewObjects else { return true }
        switch command {
        case .setViewport(_, let rect): return rect.size != description.viewport.size
        case .setVisibleRange(_, let first, let last): return last.section - first.section > Self.fewObjects
        case .changeSelection(let select, let deselect): return select.count + deselect.count > Self.fewObjects
        case .scrollTo, .reportScroll, .setOnScreen, .reportSizes, .select, .invoke, .setHighlighted, .acknowledge,
            .resync,
            .close:
            return false
        }
    }
}

// MARK: - What the owner hears

extension ViewObject {
    /// The difference to the picture before.
    func changed(_ change: PictureChange) {
        service.count(.pictures)
        emit(Self.changedSignal, size: change.sizeOnBus) { $0.append(change) }
    }

    /// The bus had to drop something: the owner is told how far the view is, as at a stall, and sees the gap.
    func missed() { emitStalled(sequence: sequence, revision: adapter.status.revision) }

    /// The credit is used up.
    func stalled(sequence: UInt64, revision: UInt64) {
        service.count(.stalls)
        emitStalled(sequence: sequence, revision: revision)
    }

    private func emitStalled(sequence: UInt64, revision: UInt64) {
        emit(Self.stalledSignal) { writer in
            writer.append(sequence)
            writer.append(revision)
        }
    }

    /// The view has ended: its owner is told, and the object goes.
    func closed(_ reason: ViewClosing) {
        emit(Self.closedSignal) { $0.append(reason.rawValue) }
        discard()
    }

    /// Removes the object without a signal.
    func discard() {
        service.views.remove(self)
        service.counts.changed()
        service.limits.quotas.release(Quotas.Amounts(views: 1), for: user)
        service.tree.remove(at: path)
    }

    /// Says something to the owner, of about so many bytes, in order: a large picture in its turn, behind it what follows.
    private func emit(_ signal: Signal, size: Int = 0, _ write: @escaping @Sendable (inout MessageWriter) -> Void) {
        guard !owner.hasDeparted else { return }
        service.calls.reads.send(
            { [path] () throws(DBusError) in
                try Message.preparedSignal(signal, of: Self.interface.name, at: path) { writer in write(&writer) }
            }, to: owner, size: size
        ) { [service, owner, number] outcome in
            do throws(DBusError) {
                try service.transports.send(outcome.get(), to: owner, .view(number))
                service.transports.direct.check(owner)
            } catch {
                service.log.warning(
                    "signal \(signal.name) of view \(number) was not sent: \(error)", .client(owner.name),
                    limitedBy: owner.userText)
            }
        }
    }
}
