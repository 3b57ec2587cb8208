// SPDX-License-Identifier: Apache-2.0

extension ListAdapter {
    /// Begins the flush of a request that goes alone; `nil` when it is none of those.
    func beginAlone(_ request: UpdateRequest, _ flush: Flush) -> FlushStep? {
        switch request.operation {
        case .moveItem(let from, let to): return beginMove(request, from: from, to: to, flush)
        case .configure(let configuration, let controllersChanged):
            return beginConfigure(request, configuration, controllersChanged: controllersChanged, flush)
        default: return nil
        }
    }

    private func finishAlone(
        _ request: UpdateRequest, _ flush: Flush, error: ListError? = nil, isRefused: Bool = false
    ) -> FlushStep {
        var flush = flush
        flush.verdicts = [RequestVerdict(id: request.id, error: error, isRefused: isRefused)]
        return .finished(finishUnchanged(flush))
    }

    // MARK: Dragging

    private func beginMove(
        _ request: UpdateRequest, from: IndexPath, to: IndexPath, _ flush: Flush
    ) -> FlushStep {
        if let error = request.conflict(with: revision) { return finishAlone(request, flush, error: error) }
        var flush = flush
        flush.verdicts = [RequestVerdict(id: request.id)]
        flush.isAnimated = request.animated
        switch judgeMove(from: from, to: to) {
        case .error(let error): return finishAlone(request, flush, error: error)
        case .refused: return finishAlone(request, flush, isRefused: true)
        case .nothing: return finishAlone(request, flush)
        case .section: flush.changes.moves = [(from.section, to.section)]
        case .object(let object): flush.changes.updates = [(from.section, object)]
        case .item(let section): flush.itemMove = (section, from.item, to.item)
        }
        return prepare(flush)
    }

    /// What becomes of an item that was dragged.
    enum MoveJudgement {
        /// There is no such item, or no such place.
        case error(ListError)
        /// The item stays where it is.
        case refused
        /// The item is where it shall be.
        case nothing
        /// Its section moves.
        case section
        /// Its section gets this object.
        case object(ListObject)
        /// Its section controller moves it.
        case item(SectionHandle)
    }

    /// Asks about an item that was dragged: inside its section if the controller agrees, or a whole
    /// section if both sections have one item.
    func judgeMove(from: IndexPath, to: IndexPath) -> MoveJudgement {
        guard let source = sections.handle(at: from.section), let target = sections.handle(at: to.section),
            (0..<sections.itemCount(of: source)).contains(from.item),
            (0..<sections.itemCount(of: target)).contains(to.item)
        else {
            let (item, place) = ("\(from.section), \(from.item)", "\(to.section), \(to.item)")
            return .error(ListError(.noSuchItem, "no item at (\(item)) or no place at (\(place))"))
        }
        let isInside = source == target
        let isSingle = sections.itemCount(of: source) == 1 && sections.itemCount(of: target) == 1
        guard isInside || isSingle,
            mayMove(source, from: from.item, to: isInside ? to.item : nil)
        else { return .refused }
        if from == to { return .nothing }
        guard isInside else { return .section }
        return movedObject(source, from: from.item, to: to.item).map { .object($0) } ?? .item(source)
    }

    private func mayMove(_ handle: SectionHandle, from: Int, to: Int?) -> Bool {
        guard let controller = controller(of: handle), registry.faults[handle] == nil else { return false }
        return call(.move, handle) {
            to.map { controller.canMoveItem(from: from, to: $0) } ?? controller.canMoveItem(at: from)
        }
    }

    private func movedObject(_ handle: SectionHandle, from: Int, to: Int) -> ListObject? {
        guard let controller = controller(of: handle) else { return nil }
        let object = call(.move, handle) { controller.object(movingItemFrom: from, to: to) }
        guard let object, sections.object(of: handle)?.isSame(as: object) == true else { return nil }
        return object
    }

    // MARK: Options

    private func beginConfigure(
        _ request: UpdateRequest, _ new: Configuration, controllersChanged: Bool, _ flush: Flush
    ) -> FlushStep {
        if let error = request.conflict(with: revision) { return finishAlone(request, flush, error: error) }
        let relaysOut = configuration.affectsLayout(comparedTo: new)
        let changesViews = configuration.affectsViews(comparedTo: new)
        var flush = flush
        flush.verdicts = [RequestVerdict(id: request.id)]
        guard controllersChanged || relaysOut else {
            take(new)
            return .finished(changesViews ? finishUnannounced(flush, changesViews: true) : finishUnchanged(flush))
        }
        flush.isAnimated = false
        flush.configuration = new
        (flush.reloadsAll, flush.relaysOut) = (controllersChanged, relaysOut)
        return prepare(flush)
    }

    /// Takes options over.
    func take(_ new: Configuration) {
        configuration = new
        if coalescer.configuration != new.coalescing { coalescer.configuration = new.coalescing }
    }
}
