@_spi(Daemon) internal import ListKit
internal import Synchronization

// What a worker died of is not asked again, and whoever asked for it again and again has to wait.

extension GuardedHost {
    /// Why a request is not handed on; nil = it is.
    func refusal(of request: Request) -> ListError? {
        guard request.command.callsPlugin else { return nil }
        if let error = refusals.refusal(of: request.command, position: { snapshot.find($0)?.position }) { return error }
        guard let user = request.user, let worker = controllers.worker,
            let wait = worker.callers.withLock({ $0.wait(of: user, at: .now) })
        else { return nil }
        let milliseconds = UInt64(wait.time / .milliseconds(1)) + 1
        return ListError(
            .pluginFailed,
            "plugin \(worker.name) died \(wait.deaths) times of calls of user \(user): it is called for that user again in "
                + "\(milliseconds) ms")
    }

    /// Notes what a worker died of.
    ///
    /// - Returns: the request that is not asked again; nil = none is known to be to blame.
    func blame(for deadly: DeadlyCall) -> RequestID? {
        let id = culprit(of: deadly.call)
        if let id { requests[id]?.deathsInCallback += 1 }
        let request = id.flatMap { requests[$0] }
        // Of several calls that were under way, it is the one with which that happens again.
        guard deadly.isCertain || (request?.deathsInCallback ?? 0) > 1 else { return nil }
        if let user = request?.user ?? deadly.call.cause?.user {
            controllers.worker?.callers.withLock { $0.noteDeath(by: user, at: .now) }
        }
        guard let id, let request else { return nil }
        var viewport: Rect?
        if case .view(_, let view, _) = request.command { viewport = views[view]?.resumption.viewport }
        refusals.add(
            request.command, dyingOn: deadly.call.object, in: deadly.call.description, viewport: viewport)
        return id
    }

    /// The request for which something was called; an item is moved when its turn among the writes has come.
    private func culprit(of call: Breadcrumb) -> RequestID? {
        if let cause = call.cause { return requests[cause.request].map { _ in cause.request } }
        guard call.kind == .move else { return nil }
        return order.first { id in
            guard let request = requests[id], request.isSent, case .update(let update) = request.command,
                case .moveItem = update.operation
            else { return false }
            return true
        }
    }

    /// The daemon's copy follows what is stored; what is refused is asked again of objects that are others now.
    func apply(_ content: PreparedTransaction.Content) {
        let before = refusals.objects.map { ($0, snapshot.find($0)?.object) }
        snapshot.apply(content)
        observer?(content)
        guard !before.isEmpty else { return }
        refusals.listChanged(Set(before.filter { snapshot.find($0.0)?.object != $0.1 }.map(\.0)))
    }
}

extension AdapterCommand {
    /// Whether it is a call of a viewer that comes to section controllers, and may be refused.
    fileprivate var callsPlugin: Bool {
        switch self {
        case .update(let request): if case .moveItem = request.operation { true } else { false }
        case .query(_, .items): true
        case .query(_, .objects), .query(_, .find), .query(_, .itemCounts), .query(_, .changes),
            .query(_, .description):
            false
        case .view(_, _, let command):
            switch command {
            case .setViewport, .setVisibleRange, .scrollTo, .reportSizes, .select, .changeSelection,
                .setHighlighted:
                true
            // What a client needs to go on, or to leave.
            case .acknowledge, .resync, .close: false
            }
        case .openView, .closeView, .configure, .hold, .keep, .stored, .stop: false
        }
    }
}
