internal import DBus
@_spi(Daemon) internal import ListKit
internal import Synchronization

// Short calls are done by the bus thread itself, when it has read all that has arrived: what arrives together is flushed
// together, and neither side waits for a change of threads.

extension AdapterHost {
    /// A list with more objects is left to its own threads: laying it out for the first time takes milliseconds.
    private static let mostObjects = 100_000
    /// With more views, or more that they show, likewise: each transaction looks what it means for all of it.
    private static let (mostViews, mostShown) = (16, 1024)

    /// Hands over a command like ``send(_:)``, from the bus thread; it may be kept until that has read what there is to
    /// be read.
    package nonisolated func collect(_ command: AdapterCommand, by user: UInt32?) {
        let isFirst = executor.collect(isLight: isLight(command)) {
            self.assumeIsolated { $0.receive(command, by: user) }
        }
        guard isFirst else { return }
        DBusActor.assumeIsolated {
            EventLoop.shared.afterReading { [self] in
                executor.runCollected(mayWorkHere: isSmall.load(ordering: .relaxed))
            }
        }
    }

    private nonisolated func isLight(_ command: AdapterCommand) -> Bool {
        if case .stored = command { isStoringLittle.load(ordering: .relaxed) } else { command.isLight }
    }

    /// Notes whether going on after the store's answer takes microseconds: applying what it has, and what had to wait.
    func noteStoring(isLittle: Bool) { isStoringLittle.store(isLittle, ordering: .relaxed) }

    /// Keeps a command until the store has answered.
    func putOff(_ command: AdapterCommand, by user: UInt32?) {
        deferred.append((command, user))
        if !command.isLight { noteStoring(isLittle: false) }
    }

    /// Notes whether the list is one that the bus thread may work for: never for a plugin's code, which may take its time,
    /// nor for a list that rests, whose engine is made by the first thing that is asked.
    func noteSize() {
        isSmall.store(
            !isResting && !usesPlugins && counts.objects <= Self.mostObjects
                && shownObjects.count <= Self.mostViews
                && shownObjects.values.reduce(0, +) <= Self.mostShown,
            ordering: .relaxed)
    }
}

extension AdapterCommand {
    /// Whether handling it takes microseconds, in a list that is small.
    var isLight: Bool {
        switch self {
        case .update(let request): request.isLight
        case .query(_, .objects(_, _, let byteLimit)): byteLimit <= AdapterQuery.lightBytes
        case .query(_, .changes(_, let byteLimit)): byteLimit <= AdapterQuery.lightBytes
        case .query(_, .items(_, let count, _)): count <= UpdateRequest.lightCount
        case .query(_, .itemCounts(_, let limit)): limit <= UpdateRequest.lightCount
        case .query(_, .find), .openView, .closeView: true
        case .view(_, _, .reportSizes(let sizes)): sizes.count <= UpdateRequest.lightCount
        case .view(_, _, .changeSelection(let select, let deselect)):
            select.count + deselect.count <= UpdateRequest.lightCount
        case .view: true
        case .query(_, .description), .configure, .hold, .keep, .stored, .stop: false
        }
    }
}

extension AdapterQuery {
    /// About the most bytes of contents that the bus thread collects itself: it writes them anyway.
    fileprivate static let lightBytes = 1 << 20
}

extension PreparedTransaction.Content {
    /// Whether a list takes it over in microseconds.
    var isLight: Bool {
        switch self {
        case .replace(let objects): objects.count <= UpdateRequest.lightCount
        case .changes(let changes):
            changes.removed.count + changes.updated.count + changes.placed.count <= UpdateRequest.lightCount
        }
    }
}

extension UpdateRequest {
    /// The most changes that count as little.
    fileprivate static let lightCount = 64

    /// Whether flushing it takes microseconds.
    var isLight: Bool {
        switch operation {
        case .applyChanges(let removed, let upserts): removed.count + upserts.count <= Self.lightCount
        case .moveObject, .patchObject, .moveItem, .invalid: true
        case .reloadObjects(let ids): ids.count <= Self.lightCount
        default: false
        }
    }
}
