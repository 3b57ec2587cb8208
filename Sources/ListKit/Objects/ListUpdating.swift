// SPDX-License-Identifier: Apache-2.0

/// An updater of a list, in place of ``ListBatchUpdater`` and ``ListReloadUpdater``: IGListKit's
/// `IGListUpdatingDelegate`.
///
/// An updater decides three things, each from values: when waiting requests are taken, how old and new objects are
/// compared, and as what a change is announced. The list does the rest, so that an updater cannot lose a request or apply
/// one twice. The defaults are those of ``ListBatchUpdater``. An updater is called on the executor of its list, and must
/// not call the list.
public protocol ListUpdating: AnyObject {
    /// Returns when the waiting requests are taken. Called whenever a request is added, and after each flush.
    ///
    /// With ``FlushTiming/idle`` they wait for the next request, or for ``ListAdapter/flushNow(now:)``, which takes them
    /// at any time.
    ///
    /// - Parameters:
    ///   - planned: the time by the list's options (``ListOptions/coalescing``), never idle.
    ///   - requests: the number of waiting requests. 0 if only section controllers have changed items.
    func timing(planned: FlushTiming, requests: Int) -> FlushTiming

    /// Returns how the objects of a full list are compared with those before.
    ///
    /// - Parameter planned: the comparison by the list's options.
    func comparison(of old: [ListObject], with new: [ListObject], planned: ListComparison) -> ListComparison

    /// Returns whether a change is announced as a batch or as a reload, which asks every section controller again.
    ///
    /// A batch that is too large is a reload all the same (``ListOptions/reloadThreshold``). Called for each update that
    /// writes objects, changed or not, and for each item update of section controllers that runs by itself; not for
    /// reloads that a request asks for.
    func form(of change: ListChangeCounts) -> ListOptions.Updater
}

extension ListUpdating {
    /// The time by the list's options.
    public func timing(planned: FlushTiming, requests: Int) -> FlushTiming { planned }

    /// The comparison by the list's options.
    public func comparison(
        of old: [ListObject], with new: [ListObject], planned: ListComparison
    ) -> ListComparison { planned }

    /// A batch.
    public func form(of change: ListChangeCounts) -> ListOptions.Updater { .batch }
}

/// An updater that announces batches of changes: IGListKit's `IGListAdapterUpdater`.
public final class ListBatchUpdater: ListUpdating {
    /// Creates an updater.
    public init() {}
}

/// An updater that announces a reload, even if an update changes no object: IGListKit's `IGListReloadDataUpdater`.
public final class ListReloadUpdater: ListUpdating {
    /// Creates an updater.
    public init() {}

    /// A reload.
    public func form(of change: ListChangeCounts) -> ListOptions.Updater { .reload }
}

/// How the objects of a full list are compared with those before.
@frozen public struct ListComparison: Sendable, Hashable {
    /// Whether contents are compared, so that an equal object counts as unchanged. With `pointerPersonality`, every object
    /// that is not the same instance counts as changed.
    public var contents: ListDiffOption
    /// The rule by which objects count as moved.
    public var moves: ListDiffMoves
    /// Whether the list's scheduler may compute the diff on another thread (``ListScheduler/run(_:completion:)``).
    public var isInBackground: Bool

    /// Creates a comparison.
    public init(
        contents: ListDiffOption = .equality, moves: ListDiffMoves = .positional, isInBackground: Bool = false
    ) {
        (self.contents, self.moves, self.isInBackground) = (contents, moves, isInBackground)
    }
}

/// The numbers of objects that an update changes.
@frozen public struct ListChangeCounts: Sendable, Hashable {
    /// The number of removed objects.
    public var removed = 0
    /// The number of inserted objects.
    public var inserted = 0
    /// The number of moved objects.
    public var moved = 0
    /// The number of objects whose type or fields changed, moved ones included.
    public var updated = 0
    /// The number of objects that a request reloads, changed or not.
    public var reloaded = 0
    /// Whether all requests of the update are animated.
    public var animated = true

    /// Creates the numbers of an update that changes no object.
    public init() {}

    /// All numbers together. An object that is moved and changed counts twice.
    public var total: Int { removed + inserted + moved + updated + reloaded }

    init(_ change: Change) {
        (removed, inserted) = (change.removed.count, change.inserted.count)
        (moved, updated) = (change.moved.count, change.updated.count)
        reloaded = change.reloads.reduce(0) { $0 + $1.range.count }
        animated = change.animated
    }
}
